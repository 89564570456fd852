// Containers of one pod whose program could not be started. The runtime keeps nothing of them, but they count as if they had ended at
// once: each is an attempt, the next one waits as after a crash, and one that is not to be restarted has failed. Nobody else knows of
// them: after a restart of the agent it is tried once more.

import type { Clock } from "../../base/clock.ts";
import type { ContainerSpec, ContainerStatus } from "../../runtime/runtime.ts";
import { notes } from "./pod-containers.ts";

/** As other runtimes say it. */
const EXIT_CODE = 128;

export class FailedStarts {
  readonly #clock: Clock;
  /** By id, until somebody has removed what is left of them: a log, a file for a last word. */
  readonly #all = new Map<string, ContainerStatus>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `message` is for the pod's status. */
  add(spec: ContainerSpec, message: string): void {
    const { podUid, podName, podNamespace, name, attempt, image, logPath, hasTty, stdin } = spec;
    const nowMs = this.#clock.now();
    const how = { exitCode: EXIT_CODE, signal: undefined, isUnknown: false, isOutOfMemory: false };
    const id = `${podUid}-${name}-${attempt}`;
    this.#all.set(id, {
      ...{ id, podUid, podName, podNamespace, name, attempt },
      annotations: { ...spec.annotations, [notes.startError]: message },
      ...{ imageName: image.name, imageId: image.id, logPath, hasTty, stdin },
      ...{ startedAtMs: nowMs, pid: undefined, end: { ...how, finishedAtMs: nowMs } },
    });
  }

  /** What the runtime has, and these. */
  with(containers: readonly ContainerStatus[]): readonly ContainerStatus[] {
    return this.#all.size === 0 ? containers : [...containers, ...this.#all.values()];
  }

  /** Nobody will ask for it again. */
  forget({ id }: ContainerStatus): void {
    this.#all.delete(id);
  }
}
