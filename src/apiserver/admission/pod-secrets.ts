// Which Secrets a pod refers to, and by what.

import type { Container, Pod, PodSpec, Volume } from "../../api/types.ts";
import { list } from "../../api/validation/absent.ts";

export interface SecretUse {
  readonly secret: string;
  /** `envVar PASSWORD` or `envFrom`. */
  readonly by: string;
}

/** Those that become variables of a container. */
export function environmentSecrets({ env, envFrom }: Container): SecretUse[] {
  return [
    ...list(env).flatMap(({ name, valueFrom }) =>
      valueFrom?.secretKeyRef === undefined
        ? []
        : [{ secret: valueFrom.secretKeyRef.name ?? "", by: `envVar ${name}` }],
    ),
    ...list(envFrom).flatMap(({ secretRef }) =>
      secretRef === undefined ? [] : [{ secret: secretRef.name ?? "", by: "envFrom" }],
    ),
  ];
}

export function refersToSecrets({ spec }: Pod): boolean {
  return (
    list(spec.imagePullSecrets).length > 0 ||
    containersOf(spec).some((container) => environmentSecrets(container).length > 0) ||
    list(spec.volumes).some(isSecretVolume)
  );
}

function containersOf(spec: PodSpec): Container[] {
  return [
    ...list(spec.initContainers),
    ...list(spec.containers),
    ...list(spec.ephemeralContainers),
  ];
}

function isSecretVolume(volume: Volume): boolean {
  const { cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos } = volume;
  const references = [
    ...[cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos].map((of) => of?.secretRef),
    volume.csi?.nodePublishSecretRef,
    volume.azureFile?.secretName,
    volume.secret,
    ...list(volume.projected?.sources).map(({ secret }) => secret),
  ];
  return references.some((reference) => reference !== undefined);
}
