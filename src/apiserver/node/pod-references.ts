// The objects of its own namespace that a pod names: whoever runs the pod has to read them.

import type { Container, EphemeralContainer, Pod, Volume } from "../../api/types.ts";
import { list, text } from "../../api/validation/absent.ts";

export type ReferencedResource =
  | "configmaps"
  | "persistentvolumeclaims"
  | "secrets"
  | "serviceaccounts";

export interface Reference {
  readonly resource: ReferencedResource;
  readonly name: string;
}

/** Every one that has a name, as often as it is named. */
export function podReferences({ metadata, spec }: Pod): readonly Reference[] {
  const { initContainers, containers, ephemeralContainers, volumes } = spec;
  return [
    ...namedIn("serviceaccounts", [spec.serviceAccountName]),
    ...namedIn(
      "secrets",
      list(spec.imagePullSecrets).map(({ name }) => name),
    ),
    ...[...list(initContainers), ...list(containers), ...list(ephemeralContainers)].flatMap(
      containerReferences,
    ),
    ...list(volumes).flatMap((volume) => [
      ...namedIn("secrets", volumeSecrets(volume)),
      ...namedIn("configmaps", volumeConfigMaps(volume)),
      ...namedIn("persistentvolumeclaims", [claimOf(volume, text(metadata.name))]),
    ]),
  ];
}

function containerReferences({ env, envFrom }: Container | EphemeralContainer): Reference[] {
  const values = list(env).map(({ valueFrom }) => valueFrom);
  return [
    ...namedIn("secrets", [
      ...list(envFrom).map(({ secretRef }) => secretRef?.name),
      ...values.map((from) => from?.secretKeyRef?.name),
    ]),
    ...namedIn("configmaps", [
      ...list(envFrom).map(({ configMapRef }) => configMapRef?.name),
      ...values.map((from) => from?.configMapKeyRef?.name),
    ]),
  ];
}

function volumeSecrets(volume: Volume): (string | undefined)[] {
  const { cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos } = volume;
  return [
    volume.secret?.secretName,
    volume.azureFile?.secretName,
    volume.csi?.nodePublishSecretRef?.name,
    ...[cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos].map(
      (source) => source?.secretRef?.name,
    ),
    ...list(volume.projected?.sources).map(({ secret }) => secret?.name),
  ];
}

function volumeConfigMaps({ configMap, projected }: Volume): (string | undefined)[] {
  return [configMap?.name, ...list(projected?.sources).map((source) => source.configMap?.name)];
}

/** The claim of an ephemeral volume is made for the pod, and named after both. */
function claimOf({ name, persistentVolumeClaim, ephemeral }: Volume, pod: string): string {
  if (persistentVolumeClaim !== undefined) return persistentVolumeClaim.claimName;
  return ephemeral === undefined ? "" : `${pod}-${name}`;
}

function namedIn(
  resource: ReferencedResource,
  names: readonly (string | null | undefined)[],
): Reference[] {
  return names.flatMap((name) => (text(name) === "" ? [] : [{ resource, name: text(name) }]));
}
