// Runs the long-running parts of a program as one. Parts start in order, each after the one before is
// ready, and stop in reverse order, each after the one behind it has stopped: a cache outlives the loops
// that read it, a listener is not open before there is something to answer with.

import { aborted, isAbort } from "./abort.ts";
import type { Clock } from "./clock.ts";

export interface Part {
  /** For error messages. */
  readonly name: string;
  /** Settles when everything that it started has stopped; ends when `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** When the next part may start. At once if it is missing. A function is called after run(). */
  readonly ready?: Promise<void> | (() => Promise<void>);
  /** The part may end before it is told to. Otherwise that is a failure. */
  readonly mayEnd?: boolean;
}

export interface RunGroupOptions {
  readonly parts: readonly Part[];
  readonly clock: Clock;
  /** A part that takes longer to stop counts as failed and is left behind. No limit if missing. */
  readonly stopTimeoutMs?: number;
}

/** A part failed; `cause` says how. `later` are the failures that followed, in order. */
export class PartError extends Error {
  override readonly name = "PartError";
  readonly part: string;
  later: readonly PartError[] = [];

  constructor(part: string, what: string, options?: ErrorOptions) {
    super(`Part "${part}" ${what}`, options);
    this.part = part;
  }
}

interface Started {
  readonly part: Part;
  readonly controller: AbortController;
  /** Never rejects: a failure is in the list of failures by then. */
  readonly ended: Promise<void>;
}

export class RunGroup {
  readonly #options: RunGroupOptions;

  constructor(options: RunGroupOptions) {
    this.#options = options;
  }

  /**
   * Runs until `signal` aborts, a part fails, or all parts have ended. Settles when all parts have stopped
   * (or were given up on). Rejects with the first failure, a PartError.
   */
  async run(signal: AbortSignal): Promise<void> {
    const failures: PartError[] = [];
    const stop = new AbortController();
    const onAbort = (): void => stop.abort();
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) {
      stop.abort();
    }
    const fail = (failure: PartError): void => {
      failures.push(failure);
      stop.abort();
    };

    const started = await this.#start(stop.signal, fail);
    await Promise.race([aborted(stop.signal), Promise.all(started.map((one) => one.ended))]);
    for (const one of started.toReversed()) {
      await this.#stop(one, fail);
    }

    signal.removeEventListener("abort", onAbort);
    const [first, ...later] = failures;
    if (first) {
      first.later = later;
      throw first;
    }
  }

  async #start(stop: AbortSignal, fail: (failure: PartError) => void): Promise<Started[]> {
    const { parts } = this.#options;
    for (const { ready } of parts) {
      // A part that is never started has nobody to hear that its promise was broken.
      if (ready instanceof Promise) {
        ready.catch(() => undefined);
      }
    }
    const started: Started[] = [];
    for (const part of parts) {
      if (stop.aborted) {
        break;
      }
      const one = startPart(part, fail);
      started.push(one);
      await Promise.race([isReady(part, fail), one.ended, aborted(stop)]);
    }
    return started;
  }

  async #stop(
    { part, controller, ended }: Started,
    fail: (failure: PartError) => void,
  ): Promise<void> {
    const { clock, stopTimeoutMs } = this.#options;
    controller.abort();
    if (stopTimeoutMs === undefined) {
      await ended;
      return;
    }
    const late = Promise.withResolvers<"late">();
    using _timer = clock.schedule(stopTimeoutMs, () => late.resolve("late"));
    if ((await Promise.race([ended, late.promise])) === "late") {
      fail(new PartError(part.name, `did not stop within ${stopTimeoutMs} ms`));
    }
  }
}

function startPart(part: Part, fail: (failure: PartError) => void): Started {
  const controller = new AbortController();
  const live = async (): Promise<void> => {
    try {
      await part.run(controller.signal);
      if (!controller.signal.aborted && !part.mayEnd) {
        fail(new PartError(part.name, "ended without being told to"));
      }
    } catch (err) {
      if (!(controller.signal.aborted && isAbort(err, controller.signal))) {
        fail(new PartError(part.name, "failed", { cause: err }));
      }
    }
  };
  return { part, controller, ended: live() };
}

async function isReady(part: Part, fail: (failure: PartError) => void): Promise<void> {
  try {
    await (typeof part.ready === "function" ? part.ready() : part.ready);
  } catch (err) {
    fail(new PartError(part.name, "did not become ready", { cause: err }));
  }
}
