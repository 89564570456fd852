// Volumes of one ConfigMap or one Secret. An optional object that is deleted empties the volume, as in Kubernetes: whoever said
// "optional" can do without. A required one that is deleted, or loses a key that the volume lists, changes nothing but the error.

import type { KeyToPath, Volume } from "../../../api/types.ts";
import { Payload } from "../../../files/payload.ts";
import type { ObjectKind } from "../../objects/config-object.ts";
import type { Recipe } from "./config-plugin.ts";
import type { Medium } from "./config-volume.ts";
import { type KeySource, keyFiles } from "./key-files.ts";

interface ObjectSource {
  readonly name: string | undefined;
  readonly items?: readonly KeyToPath[] | undefined;
  readonly optional?: boolean | undefined;
  readonly defaultMode?: number | undefined;
  readonly defaultUser?: number | undefined;
}

function objectRecipe(of: {
  readonly name: string;
  readonly kind: ObjectKind;
  readonly medium: Medium;
  readonly source: (volume: Volume) => ObjectSource | undefined;
}): Recipe {
  const { name, kind, medium } = of;
  const sourceOf = (volume: Volume): ObjectSource => {
    const source = of.source(volume);
    if (!source) throw new Error(`Volume "${volume.name}" is no ${kind} volume`);
    return source;
  };
  const keysOf = (volume: Volume, namespace = ""): KeySource => {
    const source = sourceOf(volume);
    const { items, optional: isOptional = false } = source;
    return { of: { kind, namespace, name: source.name ?? "" }, items, isOptional };
  };
  return {
    name,
    medium,
    supports: (volume) => of.source(volume) !== undefined,
    references: (volume, { metadata }) => [keysOf(volume, metadata.namespace).of],
    payload(volume, { pod, read }) {
      const { defaultMode: mode, defaultUser: user } = sourceOf(volume);
      const keys = keysOf(volume, pod.metadata.namespace);
      return { payload: Payload.from(keyFiles(keys, read, { mode, user })) };
    },
  };
}

/** On disk: a ConfigMap is nothing confidential. */
export const configMapRecipe: Recipe = objectRecipe({
  name: "kubernetes.io/configmap",
  kind: "ConfigMap",
  medium: "disk",
  source: ({ configMap }) => configMap && { ...configMap, name: configMap.name },
});

export const secretRecipe: Recipe = objectRecipe({
  name: "kubernetes.io/secret",
  kind: "Secret",
  medium: "memory",
  source: ({ secret }) => secret && { ...secret, name: secret.secretName },
});
