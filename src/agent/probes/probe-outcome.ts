// What asking a container once can come to, and what every way of asking is given.

import type { Container, Pod, Probe } from "../../api/types.ts";
import type { Clock } from "../../base/clock.ts";

export interface Outcome {
  /** A warning counts as success. */
  readonly result: "success" | "warning" | "failure";
  /** For people, in the original's words. */
  readonly output: string;
  /** What is left of a question that took too long: the next one waits for it. */
  readonly cleanup?: Promise<void>;
}

/** The question could not be asked, or its answer not be read: that counts neither way, and is tried again at once. */
export class ProbeError extends Error {
  override readonly name = "ProbeError";
  /** As events call it. */
  readonly state: "unknown" | "failure";

  constructor(state: ProbeError["state"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.state = state;
  }
}

/** Whom to ask. */
export interface ProbeTarget {
  readonly pod: Pod;
  readonly container: Container;
  /** As the runtime knows it. */
  readonly containerId: string;
  readonly probe: Probe;
  /** Of the pod. */
  readonly address: string;
}

/** How long an answer may take. */
export interface ProbeLimits {
  readonly clock: Clock;
  readonly timeoutSeconds: number;
  /** The answer is not wanted any more: the call rejects with its reason. */
  readonly signal: AbortSignal;
}
