// Which ConfigMaps and Secrets a pod refers to: by its volumes, mounted or not, and by the environments of all its containers.
// Not imagePullSecrets, nor the Secrets of storage drivers (csi, rbd, azureFile …): nobody here pulls images with credentials
// or speaks with those drivers, and what is not used is not held.

import type { Pod, Volume } from "../../api/types.ts";
import { list, text } from "../../api/validation/absent.ts";
import { type AnyContainer, allContainers } from "../all-containers.ts";
import { type ObjectKind, type ObjectReference, referenceKey } from "./config-object.ts";

export interface PodObject extends ObjectReference {
  /** Its content can change while it is used. What only environments use is read when a container starts. */
  readonly isInVolume: boolean;
}

type Named = readonly [kind: ObjectKind, name: string | null | undefined];

/** Each one once, by its referenceKey. */
export function podObjects(pod: Pod): ReadonlyMap<string, PodObject> {
  const namespace = text(pod.metadata.namespace);
  const objects = new Map<string, PodObject>();
  const add = (named: readonly Named[], isInVolume: boolean): void => {
    for (const [kind, given] of named) {
      const name = text(given);
      if (name === "") continue;
      const reference = { kind, namespace, name };
      const key = referenceKey(reference);
      if (!objects.has(key)) objects.set(key, { ...reference, isInVolume });
    }
  };
  // Volumes first: what both use is in a volume.
  for (const volume of list(pod.spec?.volumes)) add(namedByVolume(volume), true);
  for (const container of allContainers(pod)) add(namedByContainer(container), false);
  return objects;
}

function namedByVolume({ configMap, secret, projected }: Volume): readonly Named[] {
  return [
    ["ConfigMap", configMap?.name],
    ["Secret", secret?.secretName],
    ...list(projected?.sources).flatMap((source): readonly Named[] => [
      ["ConfigMap", source.configMap?.name],
      ["Secret", source.secret?.name],
    ]),
  ];
}

function namedByContainer({ env, envFrom }: AnyContainer): readonly Named[] {
  return [
    ...list(envFrom).flatMap(({ configMapRef, secretRef }): readonly Named[] => [
      ["ConfigMap", configMapRef?.name],
      ["Secret", secretRef?.name],
    ]),
    ...list(env).flatMap(({ valueFrom }): readonly Named[] => [
      ["ConfigMap", valueFrom?.configMapKeyRef?.name],
      ["Secret", valueFrom?.secretKeyRef?.name],
    ]),
  ];
}
