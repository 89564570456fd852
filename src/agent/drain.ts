// Ends everything that this node runs and removes all that it made: containers, mounts, files.
//
// (1) The server hears that the pods are over, as when a machine shuts down: whoever made them makes them elsewhere.
// (2) Containers end, each with its own grace time.
// (3) Their files and what they shared go.
// (4) What is mounted goes, the deepest first: nothing of it is removed as if it were ours.
// (5) Only now directories can go. What is not ours is never in them.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { apiTime } from "../api/api-time.ts";
import type { ApiObject } from "../api/object.ts";
import type { Pod, PodStatus, ContainerStatus as StatusOfContainer } from "../api/types.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { ResourceClient } from "../client/resource-client.ts";
import type { Mounts } from "../mounts/mounts.ts";
import type { ContainerStatus, Runtime } from "../runtime/runtime.ts";
import { notes } from "./pods/pod-containers.ts";
import { removeIfEmpty } from "./remove-if-empty.ts";

export interface DrainOptions {
  readonly dataDir: string;
  readonly nodeName: string;
  /** Runs, and is ready. */
  readonly runtime: Runtime;
  readonly mounts: Mounts;
  /** Undefined: there is no server to tell. */
  readonly pods: ResourceClient<Pod & ApiObject> | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Drained {
  readonly pods: number;
  readonly containers: number;
}

/** The original's, of a machine that shuts down. */
const OVER = {
  phase: "Failed",
  reason: "Terminated",
  message: "Pod was terminated in response to imminent node shutdown.",
} as const;
const UNREADY = { status: "False", reason: "PodFailed" } as const;
const DEFAULT_GRACE_S = 30;

/** What is below the data directory of what a node makes. A server may have others there. */
const OURS = [
  "pods",
  "containers",
  "sandboxes",
  "logs",
  "images",
  "launcher-cache",
  "node",
] as const;
type OwnDirectory = (typeof OURS)[number];

export async function drainNode(options: DrainOptions): Promise<Drained> {
  const { runtime, logger } = options;
  await tellServer(options); // (1)
  const containers = runtime.list();
  const running = containers.filter(({ end }) => end === undefined);
  logger.info("ending all containers", { containers: running.length });
  await Promise.all(running.map((one) => runtime.stop(one.id, { graceMs: graceMs(one) }))); // (2)
  const pods = new Set([...containers.map(({ podUid }) => podUid), ...runtime.sandboxes()]);
  for (const podUid of pods) await runtime.removeSandbox(podUid); // (3)
  return { pods: pods.size, containers: running.length };
}

export interface RemoveOptions extends Pick<DrainOptions, "dataDir" | "mounts"> {
  /** Of what a node makes, by name: what whoever starts again goes on with. */
  readonly kept: readonly OwnDirectory[];
}

/** When nothing runs any more, not even the runtime. */
export function removeNode({ dataDir, mounts, kept }: RemoveOptions): void {
  for (const { path } of mounts.below(dataDir)) {
    if (path !== dataDir) mounts.unmount(path); // (4)
  }
  for (const name of OURS) {
    if (!kept.includes(name)) rmSync(join(dataDir, name), { recursive: true, force: true }); // (5)
  }
  removeIfEmpty(join(dataDir, "manifests"));
}

function graceMs({ annotations }: ContainerStatus): number {
  const seconds = Number(annotations[notes.graceSeconds] ?? DEFAULT_GRACE_S);
  return 1000 * (Number.isFinite(seconds) ? seconds : DEFAULT_GRACE_S);
}

async function tellServer({ pods, nodeName, clock, logger }: DrainOptions): Promise<void> {
  if (pods === undefined) return;
  try {
    for await (const pod of pods.all({ fieldSelector: `spec.nodeName=${nodeName}` })) {
      const { namespace, name = "" } = pod.metadata;
      if (pod.status.phase === "Succeeded" || pod.status.phase === "Failed") continue;
      const patch = { status: overStatus(pod.status, apiTime(clock.now())) };
      await pods.patch({ namespace, name }, patch, { type: "merge", subresource: "status" });
    }
  } catch (err) {
    // A machine that leaves does not wait for a server that is away: it will see that the node is gone.
    logger.warn("cannot tell the server that this node's pods are over", { err });
  }
}

/** Nobody sends a request to a pod that is not ready; its containers are about to end. */
function overStatus(status: PodStatus, now: string): Partial<PodStatus> {
  const { conditions, containerStatuses, initContainerStatuses } = status;
  return {
    ...OVER,
    ...(conditions !== undefined && {
      conditions: conditions.map((one) =>
        ["Ready", "ContainersReady"].includes(one.type)
          ? { ...one, ...UNREADY, ...(one.status === "True" && { lastTransitionTime: now }) }
          : one,
      ),
    }),
    ...(containerStatuses !== undefined && { containerStatuses: containerStatuses.map(unready) }),
    ...(initContainerStatuses !== undefined && {
      initContainerStatuses: initContainerStatuses.map(unready),
    }),
  };
}

function unready(status: StatusOfContainer): StatusOfContainer {
  return status.state?.running === undefined ? status : { ...status, ready: false, started: false };
}
