// The kinds of volumes that this agent can make.

import type { Volume } from "../../../api/types.ts";
import type { VolumePlugin } from "../volume-plugin.ts";
import { ConfigPlugin, type ConfigPluginParts } from "./config-plugin.ts";
import { EmptyDirPlugin } from "./empty-dir-plugin.ts";
import { HostPathPlugin } from "./host-path-plugin.ts";
import { configMapRecipe, secretRecipe } from "./object-recipe.ts";
import { downwardApiRecipe, projectedRecipe } from "./pod-recipe.ts";

export function defaultPlugins(parts: ConfigPluginParts): readonly VolumePlugin[] {
  return [
    new ConfigPlugin(configMapRecipe, parts),
    new ConfigPlugin(secretRecipe, parts),
    new ConfigPlugin(downwardApiRecipe, parts),
    new ConfigPlugin(projectedRecipe, parts),
    new EmptyDirPlugin(parts),
    new HostPathPlugin(),
  ];
}

/** Throws if none can make it. */
export function pluginFor(plugins: readonly VolumePlugin[], volume: Volume): VolumePlugin {
  const found = plugins.find((plugin) => plugin.supports(volume));
  if (found) return found;
  const { name, ...sources } = volume;
  const source = Object.keys(sources).join(", ") || "nothing";
  throw new Error(
    `no volume plugin matched: volume "${name}" is made of ${source}; Driftless supports configMap, secret, downwardAPI, projected, emptyDir and hostPath`,
  );
}
