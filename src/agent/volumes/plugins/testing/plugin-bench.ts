// Everything that a volume plugin wants, in a directory of the test's own:
//   using bench = pluginBench();

import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import type { Pod, PodSpec, Volume } from "../../../../api/types.ts";
import { systemClock } from "../../../../base/clock.ts";
import { CaptureLogger } from "../../../../base/testing/capture-logger.ts";
import { seededRandom } from "../../../../base/testing/seeded-random.ts";
import { tempDir } from "../../../../base/testing/temp-dir.ts";
import { currentProcess } from "../../../../files/process-identity.ts";
import type { Mounts } from "../../../../mounts/mounts.ts";
import { FakeMounts } from "../../../../mounts/testing/fake-mounts.ts";
import { AgentPaths } from "../../../agent-paths.ts";
import { type TestTokens, testTokens } from "../../../tokens/testing/token-server.ts";
import type { VolumeContent, VolumePlugin, VolumeToMount } from "../../volume-plugin.ts";
import type { ConfigPluginParts } from "../config-plugin.ts";
import { defaultPlugins, pluginFor } from "../default-plugins.ts";
import { MemoryObjects } from "./memory-objects.ts";

export interface PluginBench extends Disposable {
  readonly parts: ConfigPluginParts;
  readonly objects: MemoryObjects;
  readonly tokens: TestTokens;
  readonly logger: CaptureLogger;
  readonly root: string;
  readonly allocatable: Record<string, string>;
  plugins: readonly VolumePlugin[];
  /** As after a restart of the agent: nothing is remembered. */
  restart(): void;
  setUp(volume: Volume, pod?: Pod): Promise<VolumeContent>;
  tearDown(volume: Volume, pod?: Pod): Promise<void>;
}

const self = currentProcess();
const { signal } = new AbortController();

export interface PluginBenchOptions {
  readonly mounts?: Mounts;
  readonly parts?: Partial<ConfigPluginParts>;
}

export function pluginBench(options: PluginBenchOptions = {}): PluginBench {
  const dir = tempDir();
  const objects = new MemoryObjects();
  const logger = new CaptureLogger();
  const tokens = testTokens();
  const { mounts = new FakeMounts() } = options;
  const allocatable: Record<string, string> = { cpu: "2", memory: "16Gi" };
  const parts: ConfigPluginParts = {
    paths: new AgentPaths(dir.path),
    mounts,
    objects,
    tokens: tokens.tokens,
    node: () => ({ name: "node", addresses: ["10.0.0.1"], allocatable }),
    self,
    clock: systemClock,
    random: seededRandom(1),
    logger,
    ...options.parts,
  };
  return {
    ...{ parts, objects, tokens, logger, root: dir.path, allocatable },
    plugins: defaultPlugins(parts),
    restart() {
      this.plugins = defaultPlugins(parts);
    },
    setUp(volume, pod = podWith()) {
      const plugin = pluginFor(this.plugins, volume);
      return plugin.setUp(toMount(plugin, volume, pod), signal);
    },
    tearDown(volume, pod = podWith()) {
      const plugin = pluginFor(this.plugins, volume);
      const { podUid, plugin: name } = toMount(plugin, volume, pod);
      return plugin.tearDown({ podUid, plugin: name, volume: volume.name });
    },
    [Symbol.dispose]() {
      for (const mount of mounts.below(dir.path)) mounts.unmount(mount.path);
      dir[Symbol.dispose]();
    },
  };
}

export function toMount(plugin: VolumePlugin, spec: Volume, pod: Pod): VolumeToMount {
  const { uid: podUid = "" } = pod.metadata;
  return { podUid, plugin: plugin.name, volume: spec.name, pod, spec };
}

/** A pod by the name of web in the namespace shop. */
export function podWith(spec: Partial<PodSpec> = {}, metadata: Partial<Pod["metadata"]> = {}): Pod {
  return {
    metadata: { name: "web", namespace: "shop", uid: "pod-1", ...metadata },
    spec: { containers: [], serviceAccountName: "web", ...spec },
    status: {},
  };
}

/** What a container sees: path to "content" or, if it is not 0644, "content@mode". */
export function shown(root: string): Record<string, string> {
  const files: Record<string, string> = {};
  const visit = (path: string): void => {
    for (const name of readdirSync(`${root}/${path}`)) {
      const inside = path === "" ? name : `${path}/${name}`;
      if (inside.startsWith("..")) continue;
      const stats = statSync(`${root}/${inside}`);
      if (stats.isDirectory()) {
        visit(inside);
        continue;
      }
      const mode = stats.mode & 0o7777;
      const text = readFileSync(`${root}/${inside}`).toString();
      files[inside] = mode === 0o644 ? text : `${text}@${mode.toString(8)}`;
    }
  };
  visit("");
  return files;
}

export function modeOf(path: string): string {
  return (lstatSync(path).mode & 0o7777).toString(8);
}
