// What the life of a pod needs to know of its probes. Probes follow containers by themselves: they begin when one runs, and end with it.

import type { Pod } from "../../api/types.ts";

export interface Probes {
  /** Long-running: probes what it is told to follow. */
  run(signal: AbortSignal): Promise<void>;

  /** The pod as it is now; its containers may be there or not. Called again with every change, and when a container has started. */
  follow(pod: Pod): void;
  /** Called when its containers are to stop: from then on only readiness is asked, as in the original; `forget` ends all. */
  stopping(podUid: string): void;
  forget(podUid: string): void;

  /** A container without a startup probe has started as soon as it runs (and its postStart hook is done: that is for the caller). */
  isStarted(containerId: string): boolean;
  /** Without a readiness probe: whether it has started. */
  isReady(containerId: string): boolean;
  /** It has to be restarted; undefined while it is well. */
  failure(containerId: string): ProbeFailure | undefined;

  /** Called when an answer of the three above may have changed. */
  onChange(handler: (podUid: string) => void): Disposable;
}

export interface ProbeFailure {
  readonly probe: "Liveness" | "Startup";
  /** Of the probe, if it has its own: how long the container may take to stop. */
  readonly terminationGracePeriodSeconds: number | undefined;
}
