// The only pods that a node may create: pictures of what it runs by itself, bound to it, owned by its Node object, and
// without any reference that could open another object to it.

import { notFound } from "../../api/status-error.ts";
import type { OwnerReference, Pod, Volume, VolumeProjection } from "../../api/types.ts";
import { list } from "../../api/validation/absent.ts";
import { goQuote } from "../../api/validation/go-text.ts";
import { isMirrorPod } from "../../api/validation/pod-annotations.ts";
import { podReferences } from "./pod-references.ts";
import { isBoundTo, type NodeWrite, refusal } from "./restriction.ts";

export function restrictPodCreation(write: NodeWrite): void {
  const pod = write.request.object as unknown as Pod;
  const node = goQuote(write.node);
  if (!isMirrorPod(pod.metadata.annotations)) {
    throw refusal(
      write,
      `pod does not have "kubernetes.io/config.mirror" annotation, node ${node} can only create mirror pods`,
    );
  }
  if (!isBoundTo(write.node, pod)) {
    throw refusal(write, `node ${node} can only create pods with spec.nodeName set to itself`);
  }
  restrictOwners(write, list(pod.metadata.ownerReferences));
  const reference = apiReference(write, pod);
  if (reference !== undefined) {
    throw refusal(write, `node ${node} can not create pods that reference ${reference}`);
  }
}

function restrictOwners(write: NodeWrite, owners: readonly OwnerReference[]): void {
  const node = goQuote(write.node);
  const [owner] = owners;
  if (owners.length > 1) {
    throw refusal(
      write,
      `node ${node} can only create pods with a single owner reference set to itself`,
    );
  }
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== write.node) {
    throw refusal(write, `node ${node} can only create pods with an owner reference set to itself`);
  }
  if (owner.controller !== true) {
    throw refusal(
      write,
      `node ${node} can only create pods with a controller owner reference set to itself`,
    );
  }
  if (owner.blockOwnerDeletion === true) {
    throw refusal(write, `node ${node} must not set blockOwnerDeletion on an owner reference`);
  }
  restrictOwnerUid(write, owner.uid);
}

function restrictOwnerUid(write: NodeWrite, uid: string): void {
  const { node, caches } = write;
  const found = caches.nodes.get(node)?.object.metadata;
  if (found === undefined) throw notFound({ group: "", resource: "nodes", kind: "Node" }, node);
  if (found.uid !== uid) {
    throw refusal(write, `node ${node} UID mismatch: expected ${uid} got ${found.uid}`);
  }
}

/** What the pod refers to, in the words of the refusal. */
function apiReference(write: NodeWrite, pod: Pod): string | undefined {
  const named = new Set(podReferences(pod).map(({ resource }) => resource));
  const first = (["serviceaccounts", "secrets", "configmaps"] as const).find((resource) =>
    named.has(resource),
  );
  if (first !== undefined) return first;
  if (list(pod.spec.resourceClaims).length > 0) return "resourceclaims";
  return list(pod.spec.volumes)
    .flatMap((volume) => volumeReference(write, volume) ?? [])
    .at(0);
}

const harmlessVolumes: readonly (keyof Volume)[] = [
  "awsElasticBlockStore",
  "azureDisk",
  "cephfs",
  "cinder",
  "downwardAPI",
  "emptyDir",
  "fc",
  "flexVolume",
  "flocker",
  "gcePersistentDisk",
  "gitRepo",
  "hostPath",
  "image",
  "iscsi",
  "nfs",
  "photonPersistentDisk",
  "portworxVolume",
  "quobyte",
  "rbd",
  "scaleIO",
  "storageos",
  "vsphereVolume",
];
const volumeReferences: readonly (readonly [keyof Volume, string])[] = [
  ["configMap", "configmaps (via configmap volumes)"],
  ["secret", "secrets (via secret volumes)"],
  ["csi", "csidrivers (via CSI volumes)"],
  ["glusterfs", "endpoints (via glusterFS volumes)"],
  ["persistentVolumeClaim", "persistentvolumeclaims"],
  ["ephemeral", "persistentvolumeclaims (via ephemeral volumes)"],
  ["azureFile", "secrets (via azureFile volumes)"],
];
const projectionReferences: readonly (readonly [keyof VolumeProjection, string])[] = [
  ["configMap", "configmaps (via projected volumes)"],
  ["secret", "secrets (via projected volumes)"],
  ["serviceAccountToken", "serviceaccounts (via projected volumes)"],
  ["clusterTrustBundle", "clustertrustbundles"],
  ["podCertificate", "podcertificates"],
];

/** What nobody has heard of is refused: it may read anything. */
function volumeReference(write: NodeWrite, volume: Volume): string | undefined {
  const { name, projected } = volume;
  if (projected !== undefined) {
    return list(projected.sources)
      .flatMap((source) => projectionReference(write, source, name) ?? [])
      .at(0);
  }
  const found = volumeReferences.find(([field]) => volume[field] !== undefined)?.[1];
  const isKnown =
    found !== undefined || harmlessVolumes.some((field) => volume[field] !== undefined);
  if (!isKnown) throw unknownSource(write, `unknown volume type for volume  ${goQuote(name)}`);
  return found;
}

function projectionReference(
  write: NodeWrite,
  source: VolumeProjection,
  volume: string,
): string | undefined {
  const found = projectionReferences.find(([field]) => source[field] !== undefined)?.[1];
  if (found === undefined && source.downwardAPI === undefined) {
    throw unknownSource(write, `unknown source for projected volume ${goQuote(volume)}`);
  }
  return found;
}

function unknownSource(write: NodeWrite, why: string): Error {
  return refusal(write, `error checking mirror pod for API references: ${why}`);
}
