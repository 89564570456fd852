// All events of the store from one revision on, in order, each once, whatever happens to members and
// connections: when a stream ends, the next one starts after the last revision that was delivered.
//
// What an etcd watch does not promise is made up for here:
// - A member that lags or was restored repeats events: those that were delivered are dropped.
// - An answer's own revision may be ahead of its events while more are to come: only events count.
// - The previous value is read when an event is sent; a compaction may have been faster. Such an event
//   shows, and ends the feed.
// - A watch that starts at exactly the compacted revision is accepted, but if that revision was a delete it
//   is gone (etcd-io/etcd#19179). So it is proven, when the past was read, that the past was still there.

import { addAbortListener } from "node:events";
import { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import { CompactedError, type Revision, type StoreEvent, StoreUnavailableError } from "../store.ts";
import type { WatchCall } from "./endpoint.ts";
import type { EtcdClient } from "./etcd-client.ts";
import { explain, isTokenRefused } from "./etcd-errors.ts";
import type { Keyspace } from "./keyspace.ts";
import type { Member } from "./member-pool.ts";
import {
  encodePut,
  encodeWatchCreate,
  encodeWatchProgress,
  putRpc,
  type WatchAnswer,
  type WatchEvent,
  watchRpc,
} from "./messages.ts";
import { ProgressDemand } from "./progress-demand.ts";
import type { TouchPace } from "./touch-pace.ts";
import { sendsProgressInOrder } from "./version.ts";

export interface WatchFeedOptions {
  readonly client: EtcdClient;
  readonly keyspace: Keyspace;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly pace: TouchPace;
  /** Events with a greater revision are delivered. */
  readonly after: Revision;
  /** Throws CompactedError if the past after this revision is not complete any more. */
  provePast(after: Revision): Promise<void>;
  /** Called in order. There is no event up to `revision` that was not delivered. */
  onEvents(events: readonly StoreEvent[], revision: Revision): void;
}

/** By then a new watch has surely read the past, if it had to. */
const proveAfterMs = 1000;

export class WatchFeed {
  readonly #options: WatchFeedOptions;
  readonly #backoff: Backoff;
  #reached: Revision;
  #quietSince: Revision;
  #wanted: Revision;
  /** Of the stream that is open. */
  #demand: ProgressDemand | undefined;
  /** Parts of an answer that was too large for one message. */
  #fragments: WatchEvent[] = [];

  constructor(options: WatchFeedOptions) {
    const { after, clock, random } = options;
    this.#options = options;
    this.#reached = after;
    this.#quietSince = after;
    this.#wanted = after;
    this.#backoff = new Backoff({
      baseMs: 20,
      factor: 2,
      maxMs: 2000,
      jitter: 0.5,
      resetAfterMs: 10_000,
      clock,
      random,
    });
  }

  /** Every event up to here was delivered. */
  get reached(): Revision {
    return this.#reached;
  }

  /** From here to `reached` nothing happened to the store's keys. */
  get quietSince(): Revision {
    return this.#quietSince;
  }

  /** Somebody waits for the feed to reach this revision, which has happened. */
  want(revision: Revision): void {
    if (revision > this.#wanted) this.#wanted = revision;
    this.#demand?.want(this.#wanted);
  }

  /** Runs until the signal aborts. Rejects with CompactedError, or when the watch is not permitted. */
  async run(signal: AbortSignal): Promise<void> {
    const { logger } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (err) {
        if (signal.aborted) return;
        if (err instanceof CompactedError || err instanceof PermissionError) throw err;
        logger.info("etcd watch interrupted", { revision: this.#reached, reason: explain(err) });
        await this.#backoff.wait(signal).catch(() => undefined);
      }
    }
  }

  /** One stream, until it ends: then it throws why. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { client, keyspace } = this.#options;
    const { member, call } = await client.open(watchRpc, "watch");
    // The loop below reports it, unless it has ended before.
    call.on("error", () => undefined);
    using _abort = addAbortListener(signal, () => call.cancel());
    using demand = this.#demandOf(member, call);
    this.#demand = demand;
    try {
      const { key, end } = keyspace.all;
      this.#fragments = [];
      call.write(encodeWatchCreate(key, end, this.#reached + 1n));
      await this.#read(call, demand);
      throw new Error("The member ended the watch");
    } catch (err) {
      if (!signal.aborted && !(err instanceof CompactedError)) client.avoid(member, explain(err));
      throw err;
    } finally {
      this.#demand = undefined;
      call.cancel();
    }
  }

  async #read(call: WatchCall<WatchAnswer>, demand: ProgressDemand): Promise<void> {
    using proof = new PastProof(this.#options, this.#reached);
    for await (const answer of call as AsyncIterable<WatchAnswer>) {
      if (answer.canceled) this.#fail(answer);
      if (answer.created) {
        proof.prepare(answer.revision, (err) => call.destroy(err));
        demand.want(this.#wanted);
      } else {
        await proof.now();
        this.#take(answer, demand);
      }
    }
  }

  #take(answer: WatchAnswer, demand: ProgressDemand): void {
    if (answer.fragment) {
      this.#fragments.push(...answer.events);
      return;
    }
    const events = this.#fragments.concat(answer.events);
    this.#fragments = [];
    const isProgress = events.length === 0;
    // Only a demand that trusts the member asks for progress.
    const revision = isProgress ? answer.revision : (events.at(-1)?.item.modRevision ?? 0n);
    if (revision > this.#reached) {
      this.#deliver(events, revision);
    }
    demand.heard(this.#reached);
  }

  #deliver(events: readonly WatchEvent[], revision: Revision): void {
    const fresh = events
      .filter(({ item }) => item.modRevision > this.#reached)
      .flatMap((event) => this.#toStoreEvent(event));
    this.#reached = revision;
    this.#quietSince = fresh.at(-1)?.revision ?? this.#quietSince;
    this.#options.onEvents(fresh, revision);
  }

  #toStoreEvent({ type, item, previous }: WatchEvent): StoreEvent[] {
    const { keyspace } = this.#options;
    const key = keyspace.fromEtcd(item.key);
    if (key === undefined) return [];
    const isCreation = type === "put" && item.createRevision === item.modRevision;
    if (!isCreation && previous === undefined) throw new CompactedError(item.modRevision - 1n);
    return [
      {
        type,
        key,
        revision: item.modRevision,
        value: type === "put" ? keyspace.stored(item) : undefined,
        previous: previous && keyspace.stored(previous),
      },
    ];
  }

  #fail({ compactRevision, cancelReason }: WatchAnswer): never {
    if (compactRevision > this.#reached) throw new CompactedError(compactRevision);
    if (isTokenRefused(cancelReason)) this.#options.client.forgetToken();
    if (cancelReason.includes("permission denied")) {
      throw new PermissionError(
        "Cannot watch: etcd says that the user may not read all of the keys",
      );
    }
    throw new Error(`The member cancelled the watch: ${cancelReason || "it lost its place"}`);
  }

  #demandOf(member: Member, call: WatchCall<WatchAnswer>): ProgressDemand {
    const { client, keyspace, clock, pace } = this.#options;
    const version = member.version ?? "";
    return new ProgressDemand(this.#reached, {
      clock,
      version,
      pace,
      isTrusted: sendsProgressInOrder(version),
      ask: () => void call.write(encodeWatchProgress()),
      touch: () =>
        client.call(putRpc, encodePut(keyspace.progressKey), {
          what: "write the progress key",
          isRepeatable: true,
        }),
      onStall: () => void call.destroy(new Error("The member says nothing")),
    });
  }
}

/** Not a matter of time: the watch ends. */
class PermissionError extends StoreUnavailableError {}

/** Proves once that the past was complete: with the first answer, or after a while if there is none. */
class PastProof implements Disposable {
  readonly #options: Pick<WatchFeedOptions, "provePast" | "clock">;
  readonly #start: Revision;
  #timer: Disposable | undefined;
  /** Nothing is to be proven until prepare(). */
  #proven: Promise<void> | undefined = Promise.resolve();

  constructor(options: Pick<WatchFeedOptions, "provePast" | "clock">, start: Revision) {
    this.#options = options;
    this.#start = start;
  }

  /** The watch was created when the store was at `current`. */
  prepare(current: Revision, onFailure: (err: Error) => void): void {
    // Otherwise there was no past to read.
    if (current > this.#start) {
      this.#proven = undefined;
      this.#timer = this.#options.clock.schedule(proveAfterMs, () => {
        this.now().catch(onFailure);
      });
    }
  }

  now(): Promise<void> {
    this.#timer?.[Symbol.dispose]();
    this.#proven ??= this.#options.provePast(this.#start);
    return this.#proven;
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }
}
