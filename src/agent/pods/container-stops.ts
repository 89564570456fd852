// Stops containers of one pod, each in these steps:
//   1. it is told, once, that it is about to be stopped;
//   2. its preStop hook runs;
//   3. those that have to end before it do;
//   4. it is asked to end, and made to after the rest of the time.
// All steps share one grace period, which may get shorter while they go on. Whatever took it up, the last step has two seconds: who is
// killed at once cannot even close a file.

import { addAbortListener } from "node:events";
import type { Pod } from "../../api/types.ts";
import { isAbort } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Events } from "../../controller/event-recorder.ts";
import type { ContainerStatus, Runtime } from "../../runtime/runtime.ts";
import { type AnyContainer, allContainers } from "../all-containers.ts";
import { type HookParts, runHook } from "./lifecycle-hook.ts";
import { aboutContainer } from "./pod-events.ts";
import { stopsAfter } from "./stop-order.ts";

export interface StopParts extends HookParts {
  readonly runtime: Pick<Runtime, "exec" | "stop">;
  readonly events: Events;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface StopRequest {
  readonly pod: Pod;
  readonly container: ContainerStatus;
  /** The event's. */
  readonly message: string;
  readonly graceSeconds: number;
}

const MIN_MS = 2000;

export class ContainerStops {
  readonly #parts: StopParts;
  /** Of containers that were told to end and have not: one is told once, and has one hook, however often it is stopped. */
  readonly #told = new Map<string, Told>();
  readonly #quit = new AbortController();

  constructor(parts: StopParts) {
    this.#parts = parts;
  }

  /** Settles when it has ended. Asked again, the shorter time counts. */
  async stop(request: StopRequest): Promise<void> {
    await this.#stop(request, []);
  }

  /** All of them, in their order. Settles when all have ended; throws after that if one could not be stopped. */
  async stopAll(requests: readonly StopRequest[]): Promise<void> {
    const ends = new Map(
      requests.map(({ container }) => [container.name, Promise.withResolvers<void>()]),
    );
    const stops = requests.map(async (request) => {
      const { pod, container } = request;
      const first = stopsAfter(pod, container.name, [...ends.keys()]);
      try {
        const before = first.flatMap((name) => ends.get(name)?.promise ?? []);
        await this.#stop(request, before);
      } finally {
        ends.get(container.name)?.resolve();
      }
    });
    const results = await Promise.allSettled(stops);
    const failed = results.find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  /** What is under way has no more than this from now on. */
  hurry(graceSeconds: number): void {
    for (const told of this.#told.values()) told.shorten(graceSeconds);
  }

  /** The agent ends: hooks are cut off, and what has not been asked to end yet is left to the next agent. */
  end(): void {
    this.#quit.abort();
  }

  async #stop(request: StopRequest, before: readonly Promise<void>[]): Promise<void> {
    const { runtime, logger } = this.#parts;
    const { id, name } = request.container;
    const told = this.#tell(request); // (1)
    told.shorten(request.graceSeconds);
    await told.wait(told.hook); // (2)
    await told.wait(Promise.all(before)); // (3)
    this.#quit.signal.throwIfAborted();
    using _hurry = told.onShorter((graceMs) => {
      runtime.stop(id, { graceMs }).catch((err: unknown) => {
        logger.warn("container cannot be stopped faster", { err, container: name });
      });
    });
    await runtime.stop(id, { graceMs: told.leftMs }); // (4)
    told.cancelHook();
    this.#told.delete(id); // Nobody stops what has ended; one that could not be stopped stays told.
  }

  #tell(request: StopRequest): Told {
    const { events, clock } = this.#parts;
    const { pod, container, message, graceSeconds } = request;
    const before = this.#told.get(container.id);
    if (before !== undefined) return before;
    aboutContainer(events, pod, container.name)("Normal", "Killing", message);
    const told = new Told(clock, graceSeconds, this.#quit.signal);
    this.#told.set(container.id, told);
    const spec = allContainers(pod).find(({ name }) => name === container.name);
    told.hook = this.#preStop(request, spec, told.signal);
    return told;
  }

  async #preStop(
    { pod, container, graceSeconds }: StopRequest,
    spec: AnyContainer | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const handler = spec?.lifecycle?.preStop;
    if (spec === undefined || handler === undefined || graceSeconds <= 0) return;
    const { events, logger } = this.#parts;
    try {
      await runHook(
        this.#parts,
        { pod, container: spec, containerId: container.id, handler },
        signal,
      );
    } catch (err) {
      if (isAbort(err, signal)) return;
      logger.warn("preStop hook failed", { err, container: spec.name });
      // Not with its message: who may read events may not see what the program said.
      aboutContainer(events, pod, spec.name)("Warning", "FailedPreStopHook", "PreStopHook failed");
    }
  }
}

/** One container that was told to end, and how long it may take. */
class Told {
  readonly #clock: Clock;
  readonly #hookQuit = new AbortController();
  readonly #handlers = new Set<(graceMs: number) => void>();
  /** By the monotonic clock. */
  #deadlineMs: number;
  /** Settles when its preStop hook is over, however it went. */
  hook: Promise<void> = Promise.resolve();

  /** For the hook. */
  readonly signal: AbortSignal;

  constructor(clock: Clock, graceSeconds: number, signal: AbortSignal) {
    this.#clock = clock;
    this.#deadlineMs = clock.monotonicMs() + 1000 * graceSeconds;
    this.signal = AbortSignal.any([this.#hookQuit.signal, signal]);
  }

  get leftMs(): number {
    return Math.max(MIN_MS, this.#deadlineMs - this.#clock.monotonicMs());
  }

  shorten(graceSeconds: number): void {
    const deadlineMs = this.#clock.monotonicMs() + 1000 * graceSeconds;
    if (deadlineMs >= this.#deadlineMs) return;
    this.#deadlineMs = deadlineMs;
    for (const handler of this.#handlers) handler(this.leftMs);
  }

  onShorter(handler: (graceMs: number) => void): Disposable {
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => this.#handlers.delete(handler) };
  }

  /** Until the time is over, at the most, also when it gets shorter meanwhile; or until the agent ends. */
  async wait(work: Promise<unknown>): Promise<void> {
    const { promise: isOver, resolve } = Promise.withResolvers<void>();
    const arm = (): Disposable =>
      this.#clock.schedule(Math.max(0, this.#deadlineMs - this.#clock.monotonicMs()), resolve);
    let timer = arm();
    using _end = addAbortListener(this.signal, () => resolve());
    using _shorter = this.onShorter(() => {
      timer[Symbol.dispose]();
      timer = arm();
    });
    try {
      await Promise.race([work, isOver]);
    } finally {
      timer[Symbol.dispose]();
    }
  }

  cancelHook(): void {
    this.#hookQuit.abort();
  }
}
