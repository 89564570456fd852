// Everything that a container is started with, put together when it starts: environment, program, user, mounts.
//
// The environment and the files of one start are of the same versions. Both are read from the same objects, but not at the same
// instant; so they are compared, and read again if an object changed in between.

import { totalmem } from "node:os";
import type { Pod, Service } from "../api/types.ts";
import type { Image } from "../runtime/image.ts";
import type { ContainerSpec } from "../runtime/runtime.ts";
import type { AckDirectories } from "./acks/ack-directories.ts";
import type { AgentPaths } from "./agent-paths.ts";
import type { AnyContainer } from "./all-containers.ts";
import { buildEnvironment } from "./env/build-environment.ts";
import { containerCommand, processEnvironment } from "./env/container-command.ts";
import { containerResources } from "./env/container-resources.ts";
import { containerSecurity } from "./env/container-security.ts";
import { containerUser } from "./env/container-user.ts";
import type { Environment, NodeFacts } from "./env/environment.ts";
import { START_NOTE, startNote } from "./env/start-note.ts";
import { imageFile } from "./image-file.ts";
import { type ConfigObject, referenceKey } from "./objects/config-object.ts";
import type { ObjectManager } from "./objects/object-manager.ts";
import { podHostname } from "./pod-hostname.ts";
import type { ContainerToPrepare } from "./pods/pod-parts.ts";
import { makeTerminationFile } from "./pods/termination-file.ts";
import { containerMounts } from "./sub-path/container-mounts.ts";
import type { SubPaths } from "./sub-path/sub-paths.ts";
import { MOUNTS_NOTE, type VolumeUse } from "./sub-path/volume-use.ts";
import type { MountedVolumes, Volumes } from "./volumes/volumes.ts";

export interface PrepareParts {
  readonly paths: AgentPaths;
  readonly objects: ObjectManager;
  readonly volumes: Pick<Volumes, "current" | "mounted">;
  readonly subPaths: Pick<SubPaths, "prepare">;
  readonly acks: Pick<AckDirectories, "prepare">;
  /** What is mounted in a container that runs can be replaced. */
  readonly canReplaceMounts: boolean;
  readonly node: () => NodeFacts;
  /** How many processes each container may have; undefined: any number. */
  readonly pidsLimit: number | undefined;
  readonly isStatic: (pod: Pod) => boolean;
  /** Undefined: they are not known yet. */
  readonly services: () => readonly Service[] | undefined;
}

/** An object that changes more often than this in the time of a start has no version that is worth waiting for. */
const MAX_READS = 5;

/** Throws with the original's text what the container's status is to say. */
export async function prepareContainer(
  parts: PrepareParts,
  { pod, container, attempt, image, targetId }: ContainerToPrepare,
  signal: AbortSignal,
): Promise<ContainerSpec> {
  const { environment, volumes } = await oneVersion(parts, { pod, container, signal });
  const { variables, objects } = environment;
  const user = await containerUser({
    pod,
    container,
    imageUser: image.config.user,
    imageFile: (path) => imageFile(image, path),
  });
  const { paths, subPaths, canReplaceMounts } = parts;
  const { mounts, uses } = containerMounts({
    ...{ pod, container, volumes, variables, paths, subPaths, canReplaceMounts },
    nodeHostsPath: "/etc/hosts",
  });
  const { uid: podUid = "", name: podName = "", namespace: podNamespace = "" } = pod.metadata;
  const { home, ...credentials } = user;
  const termination = makeTerminationFile({ paths, podUid, container, attempt, mounts });
  const hasTty = container.tty === true;
  const hostname = podHostname(pod, parts.node().name);
  const env = [
    ...processEnvironment({ image: image.config, variables, hostname, home, hasTty }),
    ...liveMarker(uses),
  ];
  const acks = parts.acks.prepare({ pod, container: container.name, attempt, uses, mounts, env });
  return {
    podUid,
    podName,
    podNamespace,
    name: container.name,
    attempt,
    annotations: {
      [START_NOTE]: JSON.stringify(
        startNote({ pod, container, objects, volumes, uses, peek: (of) => parts.objects.peek(of) }),
      ),
      [MOUNTS_NOTE]: JSON.stringify(uses),
      ...termination.annotations,
      ...acks.annotations,
    },
    image: withStopSignal(image, container.lifecycle?.stopSignal),
    argv: containerCommand({ container, image: image.config, variables }),
    env: [...env, ...acks.env],
    workingDir: workingDirOf(container.workingDir, image),
    user: credentials,
    mounts: [...mounts, ...termination.mounts, ...acks.mounts],
    isRootReadOnly: container.securityContext?.readOnlyRootFilesystem === true,
    security: containerSecurity({ pod, container, seccompDirectory: paths.seccomp }),
    resources: containerResources({
      ...{ pod, container, memoryCapacity: totalmem() },
      pidsLimit: parts.pidsLimit,
    }),
    processes: processesOf(pod, targetId),
    stdin: stdinOf(container),
    hasTty,
    logPath: paths.containerLog({
      namespace: podNamespace,
      podName,
      podUid,
      container: container.name,
      attempt,
    }),
  };
}

/** For programs that would else take what is mounted with a subPath for frozen. */
function liveMarker(uses: readonly VolumeUse[]): ContainerSpec["env"] {
  const live = uses.filter(({ isLive }) => isLive).map(({ mountPath }) => mountPath);
  return live.length === 0 ? [] : [["DRIFTLESS_LIVE_SUBPATHS", JSON.stringify(live)]];
}

/** The pod's word counts for more than the image's. */
function withStopSignal(image: Image, stopSignal: string | undefined): Image {
  if (stopSignal === undefined) return image;
  return { ...image, config: { ...image.config, stopSignal } };
}

function processesOf({ spec }: Pod, targetId: string | undefined): ContainerSpec["processes"] {
  if (targetId !== undefined) return { of: targetId };
  if (spec.hostPID === true) return "host";
  return spec.shareProcessNamespace === true ? "pod" : "own";
}

function stdinOf({ stdin, stdinOnce }: AnyContainer): ContainerSpec["stdin"] {
  if (stdin !== true) return "none";
  return stdinOnce === true ? "once" : "open";
}

function workingDirOf(wanted: string | undefined, { config }: Image): string {
  return wanted || config.workingDir || "/";
}

interface Read {
  readonly environment: Environment;
  readonly volumes: MountedVolumes;
}

async function oneVersion(
  parts: PrepareParts,
  of: Pick<ContainerToPrepare, "pod" | "container"> & { readonly signal: AbortSignal },
): Promise<Read> {
  const { pod, container, signal } = of;
  const podUid = pod.metadata.uid ?? "";
  for (let read = 1; ; read++) {
    const before = parts.volumes.current(podUid);
    const environment = await buildEnvironment({
      pod,
      container,
      node: parts.node(),
      object: (reference) => parts.objects.get(reference, { podUid, signal }),
      services: parts.services(),
      isStatic: parts.isStatic(pod),
      volumePath: (name) => before.get(name)?.path,
    });
    const volumes = parts.volumes.current(podUid);
    if (read === MAX_READS || areAlike(environment.objects, volumes))
      return { environment, volumes };
    await parts.volumes.mounted(podUid, signal);
  }
}

/** A volume that could not be refreshed stays behind whatever is done: it does not hold up the container. */
function areAlike(objects: readonly ConfigObject[], volumes: MountedVolumes): boolean {
  const wanted = new Map(objects.map((one) => [referenceKey(one), one.version]));
  return [...volumes.values()]
    .filter(({ failure }) => failure === undefined)
    .flatMap((volume) => volume.versions)
    .every((one) => (wanted.get(referenceKey(one)) ?? one.version) === one.version);
}
