// Who may go now, who waits, and who is told to come back later.
//
// (1) A request with a seat to spare goes at once, without a promise. Seats of other levels may be borrowed while these
//     do not want them; whoever wants its own goes before all who borrow.
// (2) The others wait: by level in the order of urgency, within a level flow by flow. Nothing is read from them yet.
// (3) What starts in one turn of the event loop is bounded too. Answers from the cache never wait for anything, so
//     their seats are free again at once, and a flood would keep the loop from reading what is more urgent. With a
//     bound the rest of the flood waits here, where urgency counts, while the sockets are read.
// (4) A seat is free when the answer is made, but an answer of thousands of objects is in memory until its client has
//     taken it. So of those a flow may have only so many open; it waits then, a second at most, and nobody else does.
// (5) A refusal costs as much as an answer from the cache, and whoever ignores it asks again at once. So it is given
//     after the time that it tells the client to wait: a flood that is refused is slower than one that is served.

import { tooManyRequests } from "../../api/status-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Metrics } from "../../base/metrics.ts";
import { ClientGoneError } from "../http/read-body.ts";
import type { Classified } from "./classify.ts";
import { FlowMetrics } from "./flow-metrics.ts";
import { type Flow, LevelQueue } from "./level-queue.ts";
import type { FlowSettings, LimitedLevel } from "./priority-level.ts";

export interface FlowControlOptions {
  /** In the order of urgency. */
  readonly levels: FlowSettings;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Calls back when the event loop has looked at its sockets once more. setImmediate, where that may be named. */
  readonly onNextTurn: (callback: () => void) => void;
}

export interface Ask extends Classified {
  readonly width: number;
  /** How long the request may take altogether; a quarter of it may be spent waiting. */
  readonly timeoutMs?: number | undefined;
  /**
   * Called only if it has to wait. Calls back when the client has left, never at once, until what it returns is
   * called. Not an AbortSignal: one for every request that waits, aborted at its end, is dear.
   */
  readonly onGone: (callback: () => void) => () => void;
  /** The answer may be large: how many the client has not taken yet counts. */
  readonly isBulky?: boolean;
}

/** The right to be in progress. Must be given back, whatever happens. */
export interface Seat extends Disposable {
  /** Once; further calls do nothing. */
  release(): void;
}

/** Of a request that says nothing else. */
const DEFAULT_TIMEOUT_MS = 60_000;
const WAITING_SHARE = 1 / 4;

/** A few milliseconds of answers from the cache, or two long lists. What is more urgent waits for several turns. */
const TURN_SEATS = 16;

/**
 * How long an answer counts that is not taken. Not until its end: the server hears late, or never, of a client that was
 * killed while it read, and the same user comes back.
 */
const MAX_OPEN_MS = 1000;

const RETRY_AFTER_SECONDS = 1;
const REFUSAL_SPREAD_MS = 1000;
/** Refusals that are held back, of all levels; beyond, they are given at once. */
const MAX_REFUSING = 4096;

export class FlowControl {
  readonly #options: FlowControlOptions;
  readonly #levels: readonly LevelQueue[];
  readonly #byName: ReadonlyMap<string, LevelQueue>;
  readonly #totalSeats: number;
  readonly #metrics: FlowMetrics;
  readonly #end = ({ level, flow, width, ask }: HeldSeatOptions): void => {
    this.#used -= width;
    if (ask.isBulky === true) this.#followAnswer(level, flow, { width, ask }); // (4)
    level.end(flow, width);
    this.#dispatch();
  };
  /** Never more than all seats. */
  #used = 0;
  /** What this turn has started. If it is not 0, the next turn is waited for. */
  #turnSeats = 0;
  /** How many refusals are held back. */
  #refusing = 0;

  constructor(options: FlowControlOptions) {
    this.#options = options;
    const names = Object.keys(options.levels) as LimitedLevel[];
    this.#levels = names.map((name) => new LevelQueue(name, options.levels[name]));
    this.#byName = new Map(this.#levels.map((level) => [level.name, level]));
    this.#totalSeats = this.#levels.reduce((sum, { settings }) => sum + settings.seats, 0);
    this.#metrics = new FlowMetrics(options.metrics, names);
  }

  /** Rejects with TooManyRequests, and with ClientGoneError if there is nobody to answer any more. Never throws. */
  acquire(ask: Ask): Seat | Promise<Seat> {
    const level = this.#byName.get(ask.level);
    if (level === undefined) return exemptSeat;
    const width = level.widthOf(ask.width);
    if (!level.isFreeFor(ask.flow, width) || !this.#fits(level, width)) {
      return this.#wait(level, width, ask);
    }
    return this.#start(level, level.start(ask.flow, width), { width, ask }); // (1)
  }

  /** Brings the metrics up to date; before they are printed. */
  publishMetrics(): void {
    this.#metrics.publish(this.#levels);
  }

  /** As it is now. */
  get state(): readonly LevelState[] {
    return this.#levels.map(({ name, seats, executing, waiting, flows }) => ({
      name,
      seats,
      executing,
      waiting,
      flows,
    }));
  }

  #start(level: LevelQueue, flow: Flow, { width, ask }: Started): Seat {
    this.#used += width;
    this.#metrics.dispatched(level.name);
    if (!level.settings.ignoresTurns) this.#spendTurn(level, width);
    return new HeldSeat({ level, flow, width, ask, end: this.#end });
  }

  #followAnswer(level: LevelQueue, flow: Flow, { width, ask }: Started): void {
    const end = (): void => {
      timer[Symbol.dispose]();
      stopListening();
      level.close(flow, width);
      this.#dispatch();
    };
    level.open(flow, width);
    const timer = this.#options.clock.schedule(MAX_OPEN_MS, end);
    const stopListening = ask.onGone(end);
  }

  #spendTurn(level: LevelQueue, width: number): void {
    if (this.#turnSeats === 0) {
      this.#options.onNextTurn(() => {
        this.#turnSeats = 0;
        for (const each of this.#levels) each.turnSeats = 0;
        this.#dispatch();
      });
    }
    this.#turnSeats += width;
    level.turnSeats += width;
  }

  /** A turn that has started enough still starts a little of each level: urgency must not mean all or nothing. */
  #isTurnOver({ settings, turnSeats }: LevelQueue): boolean {
    if (settings.ignoresTurns || this.#turnSeats < TURN_SEATS) return false;
    return turnSeats >= (TURN_SEATS * settings.seats) / this.#totalSeats;
  }

  #fits(level: LevelQueue, width: number): boolean {
    if (this.#isTurnOver(level) || !level.isWithin(width)) return false; // (3)
    let spare = this.#totalSeats - this.#used - width;
    for (const other of this.#levels) if (other !== level) spare -= other.reserved;
    if (spare < 0) return false;
    if (level.isOwn(width)) return true;
    // Who wants its own gets it first. That it waits for the next turn only is no reason to lend nothing.
    for (const other of this.#levels) if (wantsItsOwn(other)) spare -= other.peek()?.width ?? 0;
    return spare >= 0;
  }

  #wait(level: LevelQueue, width: number, ask: Ask): Promise<Seat> {
    if (!level.hasRoomFor(ask.flow)) {
      this.#metrics.rejected(level.name, "queue-full");
      return this.#refuse(ask);
    }
    const { clock } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<Seat>();
    const sinceMs = clock.monotonicMs();
    const waiter = level.wait(ask.flow, (flow) => ({
      flow,
      width,
      start: () => {
        stopWaiting(true);
        resolve(this.#start(level, flow, { width, ask }));
      },
    }));
    const leave = (reason: "time-out" | "cancelled", err: Error): void => {
      level.leave(waiter);
      stopWaiting(false);
      this.#metrics.rejected(level.name, reason);
      reject(err);
      // It may have been the one for whom others had to wait.
      this.#dispatch();
    };
    const stopListening = ask.onGone(() => leave("cancelled", clientLeft()));
    const maxWaitMs = WAITING_SHARE * Math.min(ask.timeoutMs ?? Infinity, DEFAULT_TIMEOUT_MS);
    const timer = clock.schedule(maxWaitMs, () => leave("time-out", tooMany()));
    const stopWaiting = (isExecuted: boolean): void => {
      timer[Symbol.dispose]();
      stopListening();
      this.#metrics.waited(level.name, (clock.monotonicMs() - sinceMs) / 1000, isExecuted);
    };
    return promise;
  }

  #refuse({ onGone }: Ask): Promise<never> {
    if (this.#refusing >= MAX_REFUSING) return Promise.reject(tooMany());
    // Those that came together do not end together: that would be a burst of its own.
    const spreadMs = (this.#refusing++ * 37) % REFUSAL_SPREAD_MS;
    const { promise, reject } = Promise.withResolvers<never>();
    const end = (err: Error): void => {
      this.#refusing--;
      timer[Symbol.dispose]();
      stopListening();
      reject(err);
    };
    const ms = 1000 * RETRY_AFTER_SECONDS + spreadMs;
    const timer = this.#options.clock.schedule(ms, () => end(tooMany())); // (5)
    const stopListening = onGone(() => end(clientLeft()));
    return promise;
  }

  #dispatch(): void {
    for (;;) {
      const level = this.#nextLevel();
      const waiter = level?.peek();
      if (level === undefined || waiter === undefined) return;
      level.take(waiter);
    }
  }

  /** Those who want their own, by urgency; if nobody does, those who borrow. (2) */
  #nextLevel(): LevelQueue | undefined {
    const goes = (level: LevelQueue): boolean => {
      const waiter = level.peek();
      return waiter !== undefined && this.#fits(level, waiter.width);
    };
    return (
      this.#levels.find((level) => wantsItsOwn(level) && goes(level)) ?? this.#levels.find(goes)
    );
  }
}

export interface LevelState {
  readonly name: LimitedLevel;
  readonly seats: number;
  readonly executing: number;
  readonly waiting: number;
  readonly flows: number;
}

interface Started {
  readonly width: number;
  readonly ask: Ask;
}

interface HeldSeatOptions extends Started {
  readonly level: LevelQueue;
  readonly flow: Flow;
  readonly end: (held: HeldSeatOptions) => void;
}

class HeldSeat implements Seat {
  /** Undefined when it has been given back. */
  #held: HeldSeatOptions | undefined;

  constructor(held: HeldSeatOptions) {
    this.#held = held;
  }

  release(): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    held.end(held);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** For requests that are not counted. */
const exemptSeat: Seat = { release: () => undefined, [Symbol.dispose]: () => undefined };

function wantsItsOwn(level: LevelQueue): boolean {
  const waiter = level.peek();
  return waiter !== undefined && level.isOwn(waiter.width);
}

/** Made anew each time: an error belongs to one request. */
function tooMany(): Error {
  return tooManyRequests("Too many requests, please try again later.", RETRY_AFTER_SECONDS);
}

function clientLeft(): ClientGoneError {
  return new ClientGoneError("Cannot answer the request: the client left while it waited");
}
