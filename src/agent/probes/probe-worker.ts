// One probe of one container, from its first question to its last. It has one timer; a question that takes long delays only its own
// next one. A new container has new workers, so that nothing is counted across a restart.
//
// Life: waiting -> asking -> waiting … until stop(). Startup ends with its first verdict, liveness with a failure: both wait for
// another container then.

import { untilAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Asked } from "./ask.ts";
import type { ProbeKind, ProbeTally } from "./probe-tally.ts";

export interface WorkerOptions {
  readonly kind: ProbeKind;
  readonly tally: ProbeTally;
  readonly periodMs: number;
  readonly clock: Clock;
  /** Rejects only when the signal aborts. */
  readonly ask: (signal: AbortSignal) => Promise<Asked>;
  /** There were enough answers in a row for a verdict; often it is the one that was there. */
  readonly onVerdict: (isNew: boolean) => void;
}

export class ProbeWorker {
  readonly #options: WorkerOptions;
  readonly #stop = new AbortController();
  #life: Promise<void> | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Does nothing the second time, or after stop(). */
  start(firstDelayMs: number): void {
    const { signal } = this.#stop;
    if (signal.aborted) return;
    this.#life ??= untilAborted(signal, () => this.#run(firstDelayMs, signal));
  }

  /** No verdict comes after this. */
  stop(): void {
    this.#stop.abort();
  }

  /** Settles when nothing of it is left, after stop(). */
  async stopped(): Promise<void> {
    await this.#life;
  }

  async #run(firstDelayMs: number, signal: AbortSignal): Promise<void> {
    const { kind, tally, periodMs, clock, onVerdict } = this.#options;
    let dueMs = clock.monotonicMs() + firstDelayMs;
    for (;;) {
      await clock.sleep(Math.max(0, dueMs - clock.monotonicMs()), signal);
      const { answer, cleanup } = await this.#options.ask(signal);
      const before = tally.verdict;
      if (answer !== undefined && tally.take(answer)) {
        if (kind === "Startup" || (kind === "Liveness" && answer === "failure")) this.stop();
        onVerdict(tally.verdict !== before);
      }
      await cleanup;
      signal.throwIfAborted();
      dueMs = Math.max(dueMs + periodMs, clock.monotonicMs());
    }
  }
}
