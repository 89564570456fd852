// What a pod needs an API server for. A static pod may need none: it must run when there is no server.

import type { Container, EnvFromSource, EnvVar, Pod, Volume } from "../../api/types.ts";
import { allContainers } from "../all-containers.ts";

/** In the words of the refusal: "configmaps (via configmap volumes)". Undefined: nothing. */
export function apiReference(pod: Pod): string | undefined {
  const { spec } = pod;
  if ((spec.serviceAccountName ?? "") !== "") return "serviceaccounts";
  const containers = allContainers(pod);
  const isPulled = (spec.imagePullSecrets ?? []).some(({ name }) => (name ?? "") !== "");
  if (isPulled || containers.some((one) => uses(one, "secret"))) return "secrets";
  if (containers.some((one) => uses(one, "configMap"))) return "configmaps";
  if ((spec.resourceClaims ?? []).length > 0) return "resourceclaims";
  return (spec.volumes ?? []).flatMap((volume) => volumeReference(volume) ?? []).at(0);
}

function uses(
  { env, envFrom }: Pick<Container, "env" | "envFrom">,
  what: "secret" | "configMap",
): boolean {
  const fromAll = (one: EnvFromSource): boolean => isNamed(one[`${what}Ref`]);
  const fromKey = ({ valueFrom }: EnvVar): boolean => isNamed(valueFrom?.[`${what}KeyRef`]);
  return (envFrom ?? []).some(fromAll) || (env ?? []).some(fromKey);
}

function isNamed(reference: { readonly name?: string | undefined } | undefined): boolean {
  return (reference?.name ?? "") !== "";
}

const refused: readonly (readonly [source: keyof Volume, what: string])[] = [
  ["configMap", "configmaps (via configmap volumes)"],
  ["secret", "secrets (via secret volumes)"],
  ["csi", "csidrivers (via CSI volumes)"],
  ["glusterfs", "endpoints (via glusterFS volumes)"],
  ["persistentVolumeClaim", "persistentvolumeclaims"],
  ["ephemeral", "persistentvolumeclaims (via ephemeral volumes)"],
  ["azureFile", "secrets (via azureFile volumes)"],
];

const refusedProjections = [
  ["configMap", "configmaps (via projected volumes)"],
  ["secret", "secrets (via projected volumes)"],
  ["serviceAccountToken", "serviceaccounts (via projected volumes)"],
  ["clusterTrustBundle", "clustertrustbundles"],
  ["podCertificate", "podcertificates"],
] as const;

function volumeReference(volume: Volume): string | undefined {
  const direct = refused.find(([source]) => volume[source] !== undefined);
  if (direct !== undefined) return direct[1];
  return (volume.projected?.sources ?? [])
    .flatMap((one) => refusedProjections.filter(([source]) => one[source] !== undefined))
    .map(([, what]) => what)
    .at(0);
}
