// One object that is watched, and what is known of it. Two sources speak, the watch and single reads, in any order; what is older
// than what is known is left out, so that it never goes backwards.
//
//             start                 state
//   stopped ─────────► unknown ─────────────► known
//                         ▲                     │
//                         └─── start ── idle ◄──┘ nobody read it for long
//
// An immutable object is watched like any other: it cannot change, but it can be deleted and made anew.
//
// A pod's first read needs a read of the server that was STARTED after the pod was registered: by then the server had whatever
// it had when the pod came to this node, however late the watch is. Turns count registrations, so that this can be said.

import { addAbortListener } from "node:events";
import { notFound } from "../../api/status-error.ts";
import { isOlderVersion } from "../../client/resource-version.ts";
import type { ConfigObject, ObjectReference } from "./config-object.ts";
import { type FollowerParts, type FollowerTarget, ObjectFollower } from "./object-follower.ts";
import { SyncError } from "./object-manager.ts";
import { isSameVersion } from "./object-news.ts";
import { type ObjectSource, resourceKinds, type Seen } from "./object-source.ts";

/** Who has it. Nothing here may throw. */
export interface WatchedObjectOwner {
  readonly parts: FollowerParts;
  readonly source: ObjectSource;
  /** Another version is known, or that there is none; the first state always. */
  changed(of: WatchedObject): void;
  /** Whether anything may be begun. */
  readonly isRunning: boolean;
  /** A watch was begun; it settles when it has ended. */
  begun(watch: Promise<void>): void;
  /** `staleSinceMs` came or went. */
  stalenessChanged(of: WatchedObject): void;
}

/** What was known when something was asked for, and the turn in which that was. */
interface Question {
  readonly known: Seen;
  readonly turn: number;
}

/** As the kubelet. */
const SYNC_MS = 1000;
const NOTHING: Seen = { object: undefined, asOf: "" };

export class WatchedObject implements FollowerTarget<Question> {
  readonly reference: ObjectReference;
  readonly #owner: WatchedObjectOwner;
  /** Stays when it is not served any more: nothing older comes after it. */
  #known: Seen = NOTHING;
  #isServed = false;
  #failure: unknown;
  /** Present while it is watched. */
  #watch: AbortController | undefined;
  /** Ends what was begun for pods when there are none. */
  readonly #life = new AbortController();
  /** Called when there is a first state. */
  readonly #waiting = new Set<() => void>();
  #turn = 0;
  /** The latest turn in which a read was started that has been answered. */
  #provenTurn = 0;
  /** Pods that have not read it yet, with the turn in which they came. */
  readonly #unread = new Map<string, number>();
  /** The last one that was started. */
  #fetch: { readonly turn: number; readonly done: Promise<void> } | undefined;
  #lastReadMs: number;
  #staleSinceMs: number | undefined;

  constructor(reference: ObjectReference, owner: WatchedObjectOwner) {
    this.reference = reference;
    this.#owner = owner;
    this.#lastReadMs = owner.parts.clock.monotonicMs();
  }

  /** "unknown" if nothing is known that may be served. */
  get current(): ConfigObject | "unknown" | undefined {
    return this.#isServed ? this.#known.object : "unknown";
  }

  get isWatched(): boolean {
    return this.#watch !== undefined;
  }

  /** Monotonic time since which changes cannot be heard of; undefined if they can, or if nothing is served. */
  get staleSinceMs(): number | undefined {
    return this.#staleSinceMs;
  }

  /** Monotonic time. */
  get lastReadMs(): number {
    return this.#lastReadMs;
  }

  addPod(podUid: string): void {
    this.#unread.set(podUid, ++this.#turn);
  }

  dropPod(podUid: string): void {
    this.#unread.delete(podUid);
  }

  /** Does nothing if it is watched. */
  start(): void {
    if (this.#watch !== undefined || !this.#owner.isRunning || this.#life.signal.aborted) return;
    this.#watch = new AbortController();
    const { signal } = this.#watch;
    if (this.#isServed) this.#setStale(true);
    const follower = new ObjectFollower(this.reference, this.#owner.parts, this.#unless(signal));
    this.#owner.begun(follower.run(signal));
  }

  /** What is known is served still. */
  stop(): void {
    this.#setStale(false);
    this.#watch?.abort();
    this.#watch = undefined;
  }

  /** Stops what is known already, and forgets it: the next read begins anew. */
  rest(): void {
    if (!this.#isServed || this.#watch === undefined) return;
    this.#isServed = false;
    this.stop();
  }

  /** For ever. Whoever waits for it hears the reason. */
  end(reason: Error): void {
    this.stop();
    this.#life.abort(reason);
  }

  async read(podUid: string, signal: AbortSignal): Promise<ConfigObject> {
    this.#lastReadMs = this.#owner.parts.clock.monotonicMs();
    if (!this.#isServed) {
      this.start();
      await this.#firstState(signal);
    }
    await this.#freshFor(podUid, signal);
    const { object } = this.#known;
    if (object !== undefined) return object;
    // The original names the kind here, and only in an answer of the server the resource.
    const { kind, name } = this.reference;
    throw notFound({ ...resourceKinds[kind], resource: kind.toLowerCase() }, name);
  }

  /** Asks the server how it stands now. Throws what it says. */
  async #recheck(): Promise<void> {
    const question = this.asks();
    const seen = await this.#owner.source.newest(this.reference, this.#life.signal);
    this.#provenTurn = Math.max(this.#provenTurn, question.turn);
    // The same again says no more than what is known: the version of a single object is not that of the server.
    const isNews = !isSameVersion(seen.object, this.#known.object) || seen.object === undefined;
    if (isNews) this.#take(seen, question.known);
  }

  asks(): Question {
    return { known: this.#known, turn: this.#turn };
  }

  state(
    seen: Seen,
    { question, isNewest }: { readonly question: Question; readonly isNewest: boolean },
  ): void {
    this.#failure = undefined;
    if (isNewest) this.#provenTurn = Math.max(this.#provenTurn, question.turn);
    this.#take(seen, isNewest ? question.known : undefined);
  }

  event(seen: Seen): void {
    this.#failure = undefined;
    this.#take(seen, undefined);
  }

  failed(err: unknown): void {
    this.#failure = err;
  }

  following(isFollowing: boolean): void {
    if (this.#isServed) this.#setStale(!isFollowing);
  }

  /**
   * `asked`: what was known when the newest was asked for. If that is all that is known still, the answer is newer even if its
   * version is not: the server was set back to a backup, and so are we.
   */
  #take(seen: Seen, asked: Seen | undefined): void {
    const before = this.#known;
    const isFirst = !this.#isServed;
    const isOld = asked !== before && isOlderVersion(seen.asOf, before.asOf);
    const isSame = isSameVersion(seen.object, before.object);
    if (!isOld) this.#known = isSame ? { ...before, asOf: seen.asOf } : seen;
    this.#isServed = true;
    this.start();
    // Files wait for this, pods that start only for what follows.
    if (isFirst || (!isOld && !isSame)) this.#owner.changed(this);
    for (const resolve of this.#waiting) resolve();
  }

  async #firstState(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const late = (): void => reject(new SyncError(this.reference, this.#cause()));
    using _timer = this.#owner.parts.clock.schedule(SYNC_MS, late);
    using _aborted = rejectWhenAborted(signal, reject);
    using _ended = rejectWhenAborted(this.#life.signal, reject);
    this.#waiting.add(resolve);
    try {
      await promise;
    } finally {
      this.#waiting.delete(resolve);
    }
  }

  async #freshFor(podUid: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const turn = this.#unread.get(podUid) ?? 0;
      if (turn <= this.#provenTurn) break;
      if (this.#fetch === undefined || this.#fetch.turn < turn) this.#startFetch();
      await orAborted(this.#fetch?.done, signal);
    }
    this.#unread.delete(podUid);
  }

  /** Shared by all pods that came before it started. */
  #startFetch(): void {
    const turn = this.#turn;
    const fetch = { turn, done: this.#recheck() };
    this.#fetch = fetch;
    const over = (): void => {
      if (this.#fetch === fetch) this.#fetch = undefined;
    };
    fetch.done.then(over, over);
  }

  #cause(): ErrorOptions {
    return this.#failure === undefined ? {} : { cause: this.#failure };
  }

  #setStale(isStale: boolean): void {
    if (isStale === (this.#staleSinceMs !== undefined)) return;
    this.#staleSinceMs = isStale ? this.#owner.parts.clock.monotonicMs() : undefined;
    this.#owner.stalenessChanged(this);
  }

  /** A watch that was stopped may have a last word on its way. */
  #unless(stopped: AbortSignal): FollowerTarget<Question> {
    const isOver = (): boolean => stopped.aborted;
    return {
      asks: () => this.asks(),
      state: (seen, answering) => isOver() || this.state(seen, answering),
      event: (seen) => isOver() || this.event(seen),
      failed: (err) => isOver() || this.failed(err),
      following: (isFollowing) => isOver() || this.following(isFollowing),
    };
  }
}

function rejectWhenAborted(signal: AbortSignal, reject: (reason: unknown) => void): Disposable {
  return addAbortListener(signal, () => reject(signal.reason));
}

async function orAborted(done: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  using _listener = rejectWhenAborted(signal, reject);
  await Promise.race([done, promise]);
}
