// Pods that wait for a node. The one with the highest priority is next, among equals the one that waits longest. What found no node
// is parked: nothing is tried again before something has changed that may help it, and then not sooner than its pause allows. A net
// behind the events brings everything back after five minutes.
//
// Invariants: an entry is in `#lines` if it is waiting, in `#parked` if it is parked, in `#taken` if somebody works on
// it; it has a timer only if it rests or is parked.

import { addAbortListener } from "node:events";
import type { Clock } from "../../base/clock.ts";
import type { Blocker } from "./place-pod.ts";

/** What came of an attempt: no more to do, no node for it, or something went wrong. */
export type Outcome = "done" | "blocked" | "failed";

/** A pod in the queue. Whoever took it holds it until `finish`. */
export interface QueuedPod {
  readonly key: string;
}

interface Entry extends QueuedPod {
  readonly priority: number;
  attempts: number;
  state: "waiting" | "taken" | "resting" | "parked";
  /** What kept it from a node; undefined before that is known. */
  blockers: ReadonlySet<Blocker> | undefined;
  /** Something that may help has happened since it was taken. */
  isStirred: boolean;
  /** Not before this time, however much changes. */
  restsUntilMs: number;
  timer: Disposable | undefined;
}

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 10_000;
const NET_MS = 300_000;

export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  /** Those that wait, by priority, in the order of their coming. A priority that nobody has is not kept. */
  readonly #lines = new Map<number, Set<Entry>>();
  readonly #parked = new Set<Entry>();
  readonly #taken = new Set<Entry>();
  /** Called when there may be something to take: who comes then takes the best of all that have come together. */
  readonly #takers = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** It is new, or has changed in a way that matters. */
  add(key: string, priority: number): void {
    const held = this.#entries.get(key);
    if (held === undefined) {
      const fresh = { attempts: 0, blockers: undefined, isStirred: false, timer: undefined };
      const entry: Entry = { key, priority, state: "resting", restsUntilMs: 0, ...fresh };
      this.#entries.set(key, entry);
      this.#wait(entry);
      return;
    }
    if (held.state === "taken") held.isStirred = true;
    else if (held.state === "parked") this.#rest(held);
  }

  /** It has a node, or is gone. Whoever holds it finds out when he is finished with it. */
  remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#leave(entry);
    this.#entries.delete(key);
  }

  /** Something changed that these may have waited for; without any: that all may have waited for. */
  wake(changed?: readonly Blocker[]): void {
    if (changed?.length === 0) return;
    const isHelped = ({ blockers }: Entry): boolean =>
      changed === undefined || changed.some((blocker) => blockers?.has(blocker));
    for (const entry of this.#parked) if (isHelped(entry)) this.#rest(entry);
    for (const entry of this.#taken) if (entry.blockers && isHelped(entry)) entry.isStirred = true;
  }

  /** The next one, which is the caller's until `finish`. Rejects with the signal's reason when it aborts. */
  async take(signal: AbortSignal): Promise<QueuedPod> {
    for (;;) {
      signal.throwIfAborted();
      const next = this.#next();
      if (next !== undefined) return next;
      await this.#turn(signal);
    }
  }

  /** There is no node for it now. Said in the same turn in which that was found, so that no change is missed. */
  block(taken: QueuedPod, blockers: ReadonlySet<Blocker>): void {
    const entry = this.#held(taken);
    if (entry !== undefined) entry.blockers = blockers;
  }

  finish(taken: QueuedPod, outcome: Outcome): void {
    const entry = this.#held(taken);
    if (entry === undefined) return;
    this.#taken.delete(entry);
    if (outcome === "done") {
      this.#entries.delete(entry.key);
      return;
    }
    const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (entry.attempts - 1));
    entry.restsUntilMs = this.#clock.monotonicMs() + pauseMs;
    if (outcome === "failed" || entry.isStirred) this.#rest(entry);
    else this.#park(entry);
  }

  /** Forgets everything. */
  clear(): void {
    for (const entry of this.#entries.values()) this.#leave(entry);
    this.#entries.clear();
  }

  /** Undefined if it was removed meanwhile: what has its name now is another pod. */
  #held(taken: QueuedPod): Entry | undefined {
    const entry = this.#entries.get(taken.key);
    return entry === taken ? entry : undefined;
  }

  /** Settles when there may be something to take, or `signal` aborts. */
  async #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#takers.add(resolve);
    using _listener = addAbortListener(signal, () => resolve());
    await promise;
    this.#takers.delete(resolve);
  }

  #next(): Entry | undefined {
    if (this.#lines.size === 0) return undefined;
    const [entry] = this.#lines.get(Math.max(...this.#lines.keys())) ?? [];
    if (entry === undefined) return undefined;
    this.#leave(entry);
    entry.state = "taken";
    entry.attempts++;
    entry.blockers = undefined;
    entry.isStirred = false;
    this.#taken.add(entry);
    return entry;
  }

  #wait(entry: Entry): void {
    this.#leave(entry);
    entry.state = "waiting";
    const line = this.#lines.get(entry.priority) ?? new Set();
    this.#lines.set(entry.priority, line.add(entry));
    const [taker] = this.#takers;
    if (taker === undefined) return;
    this.#takers.delete(taker);
    taker();
  }

  #rest(entry: Entry): void {
    this.#leave(entry);
    entry.state = "resting";
    const leftMs = entry.restsUntilMs - this.#clock.monotonicMs();
    if (leftMs <= 0) this.#wait(entry);
    else entry.timer = this.#clock.schedule(leftMs, () => this.#wait(entry));
  }

  #park(entry: Entry): void {
    entry.state = "parked";
    this.#parked.add(entry);
    entry.timer = this.#clock.schedule(NET_MS, () => this.#rest(entry));
  }

  /** Takes it out of wherever it is. */
  #leave(entry: Entry): void {
    entry.timer?.[Symbol.dispose]();
    entry.timer = undefined;
    this.#parked.delete(entry);
    this.#taken.delete(entry);
    const line = this.#lines.get(entry.priority);
    line?.delete(entry);
    if (line?.size === 0) this.#lines.delete(entry.priority);
  }
}
