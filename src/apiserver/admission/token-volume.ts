// The files with which a pod speaks to the API: a token, the certificate of the API's authority and the namespace, as
// one volume in every container.

import type { Container, Pod, Volume, VolumeMount } from "../../api/types.ts";
import { list } from "../../api/validation/absent.ts";
import type { Random } from "../../base/random.ts";
import { generatedName } from "../registry/metadata-rules.ts";

const prefix = "kube-api-access-";
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
/** An hour and seven seconds: the odd number marks tokens that nobody asked for. */
const expirationSeconds = 3607;

/** Where every namespace has the certificate. */
export const ROOT_CERTIFICATES = "kube-root-ca.crt";

/** Changes the pod. A second time it changes nothing. */
export function mountToken({ spec }: Pod, random: Random): void {
  const existing = list(spec.volumes).find(({ name }) => name.startsWith(prefix))?.name;
  const name = existing ?? generatedName(prefix, random);
  const containers = [...list(spec.initContainers), ...list(spec.containers)].filter(
    (container) => !isTaken(container),
  );
  if (containers.length === 0) return;
  const mount: VolumeMount = { name, readOnly: true, mountPath };
  for (const container of containers) {
    container.volumeMounts = [...list(container.volumeMounts), { ...mount }];
  }
  if (existing === undefined) spec.volumes = [...list(spec.volumes), tokenVolume(name)];
}

/** Whoever mounts something else there wants no token. */
function isTaken({ volumeMounts }: Container): boolean {
  return list(volumeMounts).some((mount) => mount.mountPath === mountPath);
}

function tokenVolume(name: string): Volume {
  const fieldRef = { apiVersion: "v1", fieldPath: "metadata.namespace" };
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds, path: "token" } },
        { configMap: { name: ROOT_CERTIFICATES, items: [{ key: "ca.crt", path: "ca.crt" }] } },
        { downwardAPI: { items: [{ path: "namespace", fieldRef }] } },
      ],
      defaultMode: 0o644,
    },
  };
}
