// Makes a watch say how far it has come when nothing happens to its keys. A reader that knows of revision
// R waits until its watch has reached R; if R was a write elsewhere in etcd, no event ever says so.
//
// etcd can be asked for progress, but up to 3.4.24 and 3.5.7 the answer can overtake events that are still
// on their way (etcd-io/etcd#15220): it is made of the store's current revision and sent through another
// queue than the events, and also while the watch is still catching up. Nothing in the answer tells. Nor
// can a read prove that nothing is on its way: a key that was created and deleted meanwhile leaves no trace
// in any later state. What is in order on every version are the events of one watch. So where the answer
// cannot be trusted, a key inside the watched range is written: its event comes after all before it, and
// its revision is past R. That costs a write, and is needed only when others write to the same etcd.

import type { Clock } from "../../base/clock.ts";
import type { Revision } from "../store.ts";
import type { TouchPace } from "./touch-pace.ts";

export interface ProgressDemandOptions {
  readonly clock: Clock;
  /** Of the member. */
  readonly version: string;
  /** Shared by all demands of a store. */
  readonly pace: TouchPace;
  /** Whether answers to ask() are in order with the events. */
  readonly isTrusted: boolean;
  /** Sends a progress request. */
  ask(): void;
  /** Writes the key that is only written to be seen. */
  touch(): Promise<void>;
  /** Nothing was heard for too long although there is something to say. */
  onStall(): void;
}

/** Trusted: requests are dropped by a member that is busy catching up, and may be repeated. */
const askAgainMs = 100;
/** An answer that does not reach far enough comes from a member that lags: give it a moment. */
const lagMs = 10;
/** Not trusted: usually the event that is waited for is on its way, and saves the write. */
const graceMs = 15;
/** A new watch gets the past within 100 ms, the interval at which etcd looks for such watches. */
const newWatchGraceMs = 300;
const touchAgainMs = 1000;
/** Longer than an election: a member that says nothing for so long is cut off or stopped. */
const stallMs = 3500;

/** Belongs to one stream of one watch. Dispose it with the stream. */
export class ProgressDemand implements Disposable {
  readonly #options: ProgressDemandOptions;
  #reached: Revision;
  #wanted: Revision;
  /** Set while something is wanted: when to act next. */
  #timer: Disposable | undefined;
  #heardMs: number;
  #isNew = true;
  #isDone = false;

  constructor(reached: Revision, options: ProgressDemandOptions) {
    this.#options = options;
    this.#reached = reached;
    this.#wanted = reached;
    this.#heardMs = options.clock.monotonicMs();
  }

  /** The watch is to reach this revision soon. */
  want(revision: Revision): void {
    if (revision <= this.#wanted || this.#isDone) return;
    this.#wanted = revision;
    if (this.#timer !== undefined) return;
    // Silence counts from now: before, there was nothing to say.
    this.#heardMs = this.#options.clock.monotonicMs();
    if (this.#options.isTrusted) this.#act();
    else this.#schedule(this.#isNew ? newWatchGraceMs : graceMs);
  }

  /** The stream said something, and the watch has now reached this revision. */
  heard(reached: Revision): void {
    this.#reached = reached;
    this.#heardMs = this.#options.clock.monotonicMs();
    this.#isNew = false;
    if (this.#timer === undefined) return;
    if (reached >= this.#wanted) this.#clear();
    else this.#schedule(this.#options.isTrusted ? lagMs : graceMs);
  }

  [Symbol.dispose](): void {
    this.#isDone = true;
    this.#clear();
  }

  #act(): void {
    this.#timer = undefined;
    if (this.#isDone || this.#reached >= this.#wanted) return;
    const { clock, isTrusted, pace } = this.#options;
    if (clock.monotonicMs() - this.#heardMs > stallMs) {
      this.#options.onStall();
      return;
    }
    if (isTrusted) {
      this.#options.ask();
      this.#schedule(askAgainMs);
    } else if (pace.waitMs > 0) {
      this.#schedule(pace.waitMs);
    } else {
      this.#touch();
      this.#schedule(touchAgainMs);
    }
  }

  #touch(): void {
    this.#options.pace.touched(this.#options.version);
    // A failure needs no report: the key is written again, or the watch moves to another member.
    this.#options.touch().catch(() => undefined);
  }

  #schedule(ms: number): void {
    this.#clear();
    this.#timer = this.#options.clock.schedule(ms, () => this.#act());
  }

  #clear(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}
