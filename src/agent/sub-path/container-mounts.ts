// From what a container wants mounted and what is there of the pod's volumes to what the runtime mounts.

import { posix } from "node:path";
import type { Pod, VolumeMount } from "../../api/types.ts";
import type { ContainerMount } from "../../runtime/runtime.ts";
import type { AgentPaths } from "../agent-paths.ts";
import type { AnyContainer } from "../all-containers.ts";
import { containerPath as fieldPathOf } from "../pods/pod-events.ts";
import type { MountedVolume, MountedVolumes } from "../volumes/volumes.ts";
import { expandSubPath } from "./expand-sub-path.ts";
import { ensureHostsFile } from "./hosts-file.ts";
import type { SubPaths } from "./sub-paths.ts";
import { type FreezeReason, LIVE_SUB_PATH_ANNOTATION, type VolumeUse } from "./volume-use.ts";

const hostsPath = "/etc/hosts";

/** Volumes whose content the agent writes, and swaps when it changes. */
const writtenByAgent: ReadonlySet<string> = new Set([
  "kubernetes.io/configmap",
  "kubernetes.io/secret",
  "kubernetes.io/downward-api",
  "kubernetes.io/projected",
]);

export interface MountSources {
  readonly pod: Pod;
  readonly container: AnyContainer;
  readonly volumes: MountedVolumes;
  /** The container's environment, for subPathExpr. */
  readonly variables: ReadonlyMap<string, string>;
  readonly paths: AgentPaths;
  readonly subPaths: Pick<SubPaths, "prepare">;
  /** What is mounted in a container that runs can be replaced. */
  readonly canReplaceMounts: boolean;
  /** "/etc/hosts" */
  readonly nodeHostsPath: string;
}

export interface ContainerMounts {
  readonly mounts: readonly ContainerMount[];
  readonly uses: readonly VolumeUse[];
}

/** Throws with the original's texts. Sub paths that were mounted before something failed are used by the next attempt. */
export function containerMounts(sources: MountSources): ContainerMounts {
  const wanted = sources.container.volumeMounts ?? [];
  const made = wanted.map((mount, index) => volumeMount(mount, index, sources));
  const mounts = made.map(({ mount }) => mount);
  // The container's own mount there wins.
  if (!mounts.some(({ containerPath }) => containerPath === hostsPath)) {
    mounts.push(hostsMount(sources));
  }
  return { mounts, uses: made.map(({ use }) => use) };
}

function volumeMount(
  wanted: VolumeMount,
  index: number,
  sources: MountSources,
): { readonly mount: ContainerMount; readonly use: VolumeUse } {
  const { container, volumes } = sources;
  const volume = volumes.get(wanted.name);
  if (!volume) {
    throw new Error(
      `cannot find volume ${JSON.stringify(wanted.name)} to mount into container ${JSON.stringify(container.name)}`,
    );
  }
  const propagation = propagationOf(wanted);
  checkRecursiveReadOnly(wanted);
  const subPath = expandSubPath(wanted, sources.variables);
  const { hostPath, isAbsent } = partOf(volume, { wanted, index, subPath }, sources);
  const containerPath = absolute(wanted.mountPath);
  const isReadOnly = wanted.readOnly === true || volume.isReadOnly;
  const isConfigPart = isPart(subPath) && writtenByAgent.has(volume.plugin);
  const whyFrozen = isConfigPart ? freezeReason(sources) : undefined;
  return {
    mount: { hostPath, containerPath, isReadOnly, propagation },
    use: {
      volume: wanted.name,
      plugin: volume.plugin,
      container: container.name,
      fieldPath: fieldPathOf(sources.pod, container.name),
      mountPath: containerPath,
      index,
      subPath,
      isLive: isConfigPart && whyFrozen === undefined,
      isFrozen: whyFrozen !== undefined,
      whyFrozen,
      isAbsent,
      version: volume.version,
    },
  };
}

function freezeReason({ pod, canReplaceMounts }: MountSources): FreezeReason | undefined {
  if (pod.metadata.annotations?.[LIVE_SUB_PATH_ANNOTATION] === "false") return "annotation";
  return canReplaceMounts ? undefined : "kernel";
}

function partOf(
  volume: MountedVolume,
  of: {
    readonly wanted: VolumeMount;
    readonly index: number;
    readonly subPath: string | undefined;
  },
  { pod, container, subPaths }: MountSources,
): { readonly hostPath: string; readonly isAbsent: boolean } {
  const { wanted, index, subPath } = of;
  if (subPath === undefined) return { hostPath: volume.path, isAbsent: false };
  return subPaths.prepare({
    podUid: pod.metadata.uid ?? "",
    volume: wanted.name,
    container: container.name,
    index,
    root: volume.path,
    subPath,
    isWrittenByAgent: writtenByAgent.has(volume.plugin),
  });
}

/** "." is a sub path that is the whole volume, and follows it. */
function isPart(subPath: string | undefined): boolean {
  return subPath !== undefined && !/^\.\/?$/.test(posix.normalize(subPath));
}

/** Without a slash at its end or dots in it, so that places can be compared. */
function absolute(mountPath: string): string {
  const path = posix.join("/", mountPath);
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

function propagationOf({ mountPropagation }: VolumeMount): ContainerMount["propagation"] {
  switch (mountPropagation) {
    case undefined:
    case "None":
      return "None";
    case "HostToContainer":
    case "Bidirectional":
      return mountPropagation;
    default:
      throw new Error(`invalid MountPropagation mode: ${JSON.stringify(mountPropagation)}`);
  }
}

/** What is read-only here is so with everything below it, so there is nothing more to do than to check. */
function checkRecursiveReadOnly(mount: VolumeMount): void {
  const { name, readOnly, recursiveReadOnly, mountPropagation = "None" } = mount;
  if (recursiveReadOnly === undefined || recursiveReadOnly === "Disabled") return;
  const problem = (text: string): Error =>
    new Error(`failed to resolve recursive read-only mode: ${text}`);
  const asked = `volume ${JSON.stringify(name)} requested recursive read-only mode, but it is not`;
  if (!readOnly) throw problem(`${asked} read-only`);
  if (mountPropagation !== "None") {
    throw problem(`${asked} compatible with propagation ${JSON.stringify(mountPropagation)}`);
  }
  if (recursiveReadOnly !== "IfPossible" && recursiveReadOnly !== "Enabled") {
    throw problem(`unknown recursive read-only mode ${JSON.stringify(recursiveReadOnly)}`);
  }
}

function hostsMount({ pod, paths, nodeHostsPath }: MountSources): ContainerMount {
  const path = paths.etcHosts(pod.metadata.uid ?? "");
  ensureHostsFile({ path, nodeHostsPath, aliases: pod.spec.hostAliases ?? [] });
  return { hostPath: path, containerPath: hostsPath, isReadOnly: false, propagation: "None" };
}
