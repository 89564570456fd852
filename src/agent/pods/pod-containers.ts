// What the runtime has of one pod, and what the agent notes on each container so that it knows them again after a restart.

import { createHash } from "node:crypto";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import type { AnyContainer } from "../all-containers.ts";

/** By the pod's name for them, the newest first, never empty. */
export type PodContainers = ReadonlyMap<string, readonly ContainerStatus[]>;

export function podContainers(all: readonly ContainerStatus[], podUid: string): PodContainers {
  const own = all.filter((one) => one.podUid === podUid);
  // Those with the same number stand in the order of their start: the later one is newer.
  const newestFirst = own.toReversed().toSorted((a, b) => b.attempt - a.attempt);
  return Map.groupBy(newestFirst, ({ name }) => name);
}

export function running(containers: PodContainers): readonly ContainerStatus[] {
  return [...containers.values()].flat().filter(({ end }) => end === undefined);
}

/** The agent's own annotations of a container. */
export const notes = {
  /** Of what the container was made: another one means that it has to be made anew. */
  hash: "driftless.dev/container-hash",
  /** How long to wait if it ends too soon. */
  backoffMs: "driftless.dev/restart-backoff-ms",
  /** How long it may take to stop, for when the pod is not known any more. */
  graceSeconds: "driftless.dev/termination-grace-seconds",
  /** What it does before it stops, and its ports, for the same case. */
  preStop: "driftless.dev/pre-stop",
  /** The machine's boot in which it was started: of another one nothing is left but files. */
  bootId: "driftless.dev/boot-id",
  /** The file in which it may say why it ended, on the host. */
  terminationFile: "driftless.dev/termination-message-file",
  /** Where else to look for that: "FallbackToLogsOnError". */
  terminationPolicy: "driftless.dev/termination-message-policy",
  /** Its program could not be started, for this reason. */
  startError: "driftless.dev/start-error",
} as const;

/** Of name and image and nothing else, as in the original: nothing else restarts a container. */
export function containerHash({ name, image = "" }: AnyContainer): string {
  return createHash("sha256")
    .update(JSON.stringify([name, image]))
    .digest("hex")
    .slice(0, 16);
}

export function isChanged(container: AnyContainer, { annotations }: ContainerStatus): boolean {
  const hash = annotations[notes.hash];
  return hash !== undefined && hash !== containerHash(container);
}

/** Those that were started since the machine came up; a container without the note was. */
export function ofThisBoot(containers: PodContainers, bootId: string): PodContainers {
  return new Map(
    [...containers].flatMap(([name, all]) => {
      const own = all.filter(({ annotations }) => (annotations[notes.bootId] ?? bootId) === bootId);
      return own.length === 0 ? [] : [[name, own]];
    }),
  );
}
