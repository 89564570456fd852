// From the names in a request to the container that is meant: the one that runs, or the one whose log is asked for.

import type { ContainerStatus as StatusOfContainer } from "../../api/types.ts";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import { allContainers } from "../all-containers.ts";
import { podContainers } from "../pods/pod-containers.ts";
import { RequestError } from "./request-error.ts";
import type { ServedPod, ServedPods } from "./served-pods.ts";

export interface PodPlace {
  readonly namespace: string;
  readonly pod: string;
  /** "" if any of this name will do. */
  readonly uid: string;
}

export interface ContainerPlace extends PodPlace {
  readonly container: string;
}

/** Throws RequestError. */
export function findPod(pods: ServedPods, { namespace, pod: name, uid }: PodPlace): ServedPod {
  const found = pods.find(namespace, name);
  if (found !== undefined && (uid === "" || found.pod.metadata.uid === uid)) return found;
  throw new RequestError(404, "pod does not exist");
}

/** The one that runs. Throws RequestError. */
export function runningContainer(
  containers: readonly ContainerStatus[],
  { pod }: ServedPod,
  name: string,
): ContainerStatus {
  const [newest] = podContainers(containers, pod.metadata.uid ?? "").get(name) ?? [];
  if (newest !== undefined && newest.end === undefined) return newest;
  throw new RequestError(500, `container not found (${JSON.stringify(name)})`);
}

export interface LogPlace extends ContainerPlace {
  readonly isPrevious: boolean;
}

/** The one whose log is meant: the newest, or the one before it. Throws RequestError, in the kubelet's words. */
export function loggedContainer(
  containers: readonly ContainerStatus[],
  { pod, status }: ServedPod,
  { container: name, isPrevious }: LogPlace,
): ContainerStatus {
  const place = `container ${JSON.stringify(name)} in pod ${JSON.stringify(pod.metadata.name)}`;
  if (!allContainers(pod).some((one) => one.name === name)) {
    const podName = JSON.stringify(pod.metadata.name);
    throw new RequestError(404, `container ${JSON.stringify(name)} not found in pod ${podName}`);
  }
  const [newest, before] = podContainers(containers, pod.metadata.uid ?? "").get(name) ?? [];
  const found = isPrevious ? previous(newest, before, statusOf(status, name)) : newest;
  if (found !== undefined) return found;
  if (isPrevious) throw new RequestError(400, `previous terminated ${place} not found`);
  throw new RequestError(400, `${place} ${whyNot(statusOf(status, name))}`);
}

/** Of one that waits to be started again, the newest is the previous one. */
function previous(
  newest: ContainerStatus | undefined,
  before: ContainerStatus | undefined,
  told: StatusOfContainer | undefined,
): ContainerStatus | undefined {
  const isWaiting = told?.state?.waiting !== undefined;
  return newest?.end !== undefined && isWaiting ? newest : before;
}

function statusOf(
  { containerStatuses, initContainerStatuses, ephemeralContainerStatuses }: ServedPod["status"],
  name: string,
): StatusOfContainer | undefined {
  return [containerStatuses, initContainerStatuses, ephemeralContainerStatuses]
    .flatMap((list) => list ?? [])
    .find((one) => one.name === name);
}

function whyNot(status: StatusOfContainer | undefined): string {
  if (status === undefined) return "is not available";
  const { waiting, terminated } = status.state ?? {};
  if (terminated !== undefined) return "is terminated";
  switch (waiting?.reason) {
    case undefined:
      return "is waiting to start - no logs yet";
    case "ErrImagePull":
      return "is waiting to start: image can't be pulled";
    case "ImagePullBackOff":
      return "is waiting to start: trying and failing to pull image";
    default:
      return `is waiting to start: ${waiting?.reason}`;
  }
}
