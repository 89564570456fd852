// Several sources in one directory. Every source is tried, and if one fails nothing is written: a volume shows all of its sources or
// what it showed before. The error says which source it was.
//
// Two sources with a file of the same path: the later one is shown, as in Kubernetes, where people lay one ConfigMap over another; but
// whoever runs the agent is told. A token neither replaces anything nor is replaced: that can only be a mistake, or an attempt.

import type { Pod, ProjectedVolumeSource, VolumeProjection } from "../../../api/types.ts";
import { Payload, PayloadError, type PayloadFile } from "../../../files/payload.ts";
import { allContainers } from "../../all-containers.ts";
import type { TokenDemand } from "../../tokens/token-manager.ts";
import { type AboutPod, downwardFiles } from "./downward-files.ts";
import { type KeySource, keyFiles, type ReadObject } from "./key-files.ts";
import { aggregated, type FileDefaults, requiredMode, type VolumeFiles } from "./volume-files.ts";

export interface ProjectedIngredients extends AboutPod {
  readonly read: ReadObject;
  /** Throws if there is none to be had. */
  readonly token: (demand: TokenDemand) => Uint8Array;
}

export interface ProjectedContent {
  readonly payload: Payload;
  /** For people: what was laid over what. */
  readonly warnings: readonly string[];
}

interface Placed {
  readonly file: PayloadFile;
  readonly source: VolumeProjection;
  readonly label: string;
}

/** Throws one error about all sources that failed. */
export function projectedPayload(
  volume: ProjectedVolumeSource,
  ingredients: ProjectedIngredients,
): ProjectedContent {
  const defaults = { mode: volume.defaultMode, user: volume.defaultUser };
  requiredMode(defaults);
  const errors: Error[] = [];
  const warnings: string[] = [];
  const placed = new Map<string, Placed>();
  for (const [index, source] of (volume.sources ?? []).entries()) {
    const label = labelOf(source, index);
    try {
      const { files } = Payload.from(filesOf(source, ingredients, defaults));
      for (const file of files) place(placed, { file, source, label }, warnings);
    } catch (err) {
      errors.push(new Error(`${label}: ${(err as Error).message}`, { cause: err }));
    }
  }
  const failure = aggregated(errors);
  if (failure) throw failure;
  return { payload: Payload.from(entriesOf(placed)), warnings };
}

/** The ConfigMaps and Secrets of all sources. */
export function keySources(
  { sources }: ProjectedVolumeSource,
  namespace: string,
): readonly KeySource[] {
  return (sources ?? []).flatMap((source) => keySourceOf(source, namespace) ?? []);
}

/** The tokens of all sources. */
export function tokenDemands({ sources }: ProjectedVolumeSource, pod: Pod): readonly TokenDemand[] {
  return (sources ?? []).flatMap((source) => demandOf(source, pod) ?? []);
}

function place(placed: Map<string, Placed>, added: Placed, warnings: string[]): void {
  const { path } = added.file;
  const before = placed.get(path);
  if (before !== undefined) {
    if (before.source.serviceAccountToken || added.source.serviceAccountToken) {
      throw new PayloadError(`Cannot project "${path}": ${before.label} is there already`);
    }
    warnings.push(`"${path}" of ${before.label} is hidden by ${added.label}`);
  }
  placed.set(path, added);
}

function* entriesOf(placed: ReadonlyMap<string, Placed>): Iterable<VolumeFiles[number]> {
  for (const [path, { file }] of placed) yield [path, file];
}

function filesOf(
  source: VolumeProjection,
  ingredients: ProjectedIngredients,
  defaults: FileDefaults,
): VolumeFiles {
  const { pod, read } = ingredients;
  const keys = keySourceOf(source, pod.metadata.namespace ?? "");
  if (keys) return keyFiles(keys, read, defaults);
  if (source.downwardAPI) {
    return downwardFiles(source.downwardAPI.items ?? [], ingredients, defaults);
  }
  if (source.clusterTrustBundle)
    throw new Error("clusterTrustBundle is not supported by Driftless");
  if (source.podCertificate) throw new Error("podCertificate is not supported by Driftless");
  return tokenFiles(source, ingredients, defaults);
}

/** A token that belongs to somebody is for nobody else; a group adds its own right to read. */
function tokenFiles(
  source: VolumeProjection,
  { pod, token }: ProjectedIngredients,
  defaults: FileDefaults,
): VolumeFiles {
  const demand = demandOf(source, pod);
  const projection = source.serviceAccountToken;
  if (!demand || !projection) return [];
  const uid = projection.user ?? defaults.user ?? userOfAll(pod);
  const isPrivate = uid !== undefined || pod.spec.securityContext?.fsGroup !== undefined;
  const mode = isPrivate ? 0o600 : requiredMode(defaults);
  return [[projection.path, { data: token(demand), mode, uid }]];
}

function keySourceOf(source: VolumeProjection, namespace: string): KeySource | undefined {
  const { configMap, secret } = source;
  const keys = configMap ?? secret;
  if (!keys) return undefined;
  const { name = "", items, optional: isOptional = false } = keys;
  return { of: { kind: configMap ? "ConfigMap" : "Secret", namespace, name }, items, isOptional };
}

function demandOf({ serviceAccountToken }: VolumeProjection, pod: Pod): TokenDemand | undefined {
  if (!serviceAccountToken) return undefined;
  const { audience = "", expirationSeconds } = serviceAccountToken;
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  return {
    namespace,
    name: pod.spec.serviceAccountName ?? "default",
    audiences: audience === "" ? [] : [audience],
    expirationSeconds,
    pod: { name, uid },
  };
}

/** The user that all containers run as, if there is one. */
function userOfAll(pod: Pod): number | undefined {
  const ofPod = pod.spec.securityContext?.runAsUser;
  const users = allContainers(pod).map(
    ({ securityContext }) => securityContext?.runAsUser ?? ofPod,
  );
  return users.every((user) => user === users[0]) ? users[0] : undefined;
}

function labelOf(source: VolumeProjection, index: number): string {
  const { configMap, secret, serviceAccountToken } = source;
  const at = `sources[${index}]`;
  if (configMap) return `${at} (configMap "${configMap.name ?? ""}")`;
  if (secret) return `${at} (secret "${secret.name ?? ""}")`;
  if (serviceAccountToken) return `${at} (serviceAccountToken)`;
  return source.downwardAPI ? `${at} (downwardAPI)` : at;
}
