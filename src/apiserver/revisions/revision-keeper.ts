// Keeps the history of ConfigMaps and Secrets: every content that one of them gets becomes a ConfigRevision, and the oldest ones go.
//
//   write through this server ── its event, then its author ──► made at once
//   write through another one ── its event ──► left to that one for a few seconds; made if it did not
//   start, or events missed   ── every object is compared with its newest revision (survey)
//
// Contents of one object get their revisions one after the other, in their order. Nobody waits for this: a write is answered
// before its revision is made. What a crash loses is the author and contents in between, never the newest content.

import { StatusError } from "../../api/status-error.ts";
import { aborted, isAbort } from "../../base/abort.ts";
import { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import type { WatchCache } from "../cache/watch-cache.ts";
import type { ObjectStore, Written } from "../registry/object-store.ts";
import type { Resource } from "../registry/resource.ts";
import { Histories } from "./histories.ts";
import type { ObjectHistory } from "./object-history.ts";
import { RevisionIndex } from "./revision-index.ts";
import { type HistoricKind, lastWrittenMs } from "./revision-object.ts";
import { RevisionWriter } from "./revision-writer.ts";

/** How long a revision is left to the server that took the write; a little more, by chance. */
const LEFT_TO_OTHERS_MS = 5000;
/** A server that has its store to itself waits only for the authors of writes that are under way. */
const LEFT_TO_NOBODY_MS = 100;
/** Few: clients' writes come first, and share their commits with these. */
const MAX_PASSES = 4;
/** Beyond, objects keep only their newest content waiting. */
const MAX_PENDING_BYTES = 64 * 1024 * 1024;
/** Between two of these others have their turn. */
const SURVEYED_AT_ONCE = 50;
const STOP_TIMEOUT_MS = 2000;

export interface RevisionKeeperOptions {
  readonly configMaps: Resource;
  readonly secrets: Resource;
  readonly revisions: Resource;
  readonly objects: ObjectStore;
  readonly cache: Pick<WatchCache, "fresh">;
  /** How many are kept of each object; 0: none at all. */
  readonly limit: number;
  /** Other servers may write to the same store. */
  readonly isShared: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export class RevisionKeeper {
  readonly #options: RevisionKeeperOptions;
  readonly #kinds: readonly (readonly [HistoricKind, Resource])[];
  readonly #histories: Histories;
  readonly #writer: RevisionWriter;
  /** Those whose turn it is. */
  readonly #ready = new Set<ObjectHistory>();
  readonly #backoff: Backoff;
  readonly #pendingGauge;
  #passes = 0;
  /** Monotonic: the store refused a write, nothing is tried before. */
  #pausedUntilMs = 0;
  /** "off": events are of the past, or nobody is there to act on them. */
  #phase: "off" | "following" | "stopping" = "off";
  #isSurveyDue = true;
  #wake = Promise.withResolvers<void>();

  /** Follows the caches from now on; writes nothing before `run`. */
  constructor(options: RevisionKeeperOptions) {
    this.#options = options;
    const { configMaps, secrets, revisions, objects, clock, random, metrics } = options;
    this.#backoff = new Backoff({
      baseMs: 100,
      factor: 2,
      maxMs: 10_000,
      jitter: 0.5,
      resetAfterMs: 60_000,
      clock,
      random,
    });
    this.#pendingGauge = metrics.gauge({
      name: "driftless_config_revisions_pending_bytes",
      help: "Contents of ConfigMaps and Secrets that wait for their revision.",
    });
    this.#histories = new Histories(options);
    const index = new RevisionIndex(revisions.cache, (group) => this.#revisionCame(group));
    this.#writer = new RevisionWriter({ ...options, index });
    this.#kinds = [
      ["ConfigMap", configMaps],
      ["Secret", secrets],
    ];
    for (const [kind, { cache }] of this.#kinds) {
      cache.follow({
        reset: () => this.#callSurvey(),
        changed: (now, before) => this.#changed(kind, now, before),
      });
    }
    objects.onWritten((written) => this.#written(written));
  }

  /** Settles when the signal aborts and what can be finished in a moment is finished. */
  async run(signal: AbortSignal): Promise<void> {
    const { logger } = this.#options;
    const wake = (): void => this.#wake.resolve();
    signal.addEventListener("abort", wake, { once: true });
    while (!signal.aborted) {
      try {
        if (this.#isSurveyDue) await this.#survey(signal);
        else await this.#wake.promise;
      } catch (err) {
        if (isAbort(err, signal)) break;
        logger.warn("cannot compare objects with their history", { err });
        this.#isSurveyDue = true;
        await this.#backoff.wait(signal).catch(() => undefined); // The loop's condition sees the abort.
      }
    }
    signal.removeEventListener("abort", wake);
    await this.#stop();
  }

  #callSurvey(): void {
    this.#isSurveyDue = true;
    this.#wake.resolve();
  }

  /** The cache begins in the past: what it shows before it is fresh has its revisions, or is overtaken. */
  async #survey(signal: AbortSignal): Promise<void> {
    const { cache, clock } = this.#options;
    await Promise.race([cache.fresh(), aborted(signal)]);
    if (signal.aborted) return;
    this.#isSurveyDue = false;
    this.#wake = Promise.withResolvers();
    this.#phase = "following";
    for (const [kind, resource] of this.#kinds) {
      let count = 0;
      for (const { key } of [...resource.cache.list("")]) {
        this.#compare(kind, resource.cache.get(key));
        if (++count % SURVEYED_AT_ONCE === 0) await clock.sleep(0, signal);
      }
    }
  }

  /** Another server may be about to make the revision that is missing: it is left to it as any other. */
  #compare(kind: HistoricKind, cached: CachedObject | undefined): void {
    if (cached === undefined) return;
    const { limit, clock } = this.#options;
    const found = this.#histories.get(kind, cached.key);
    const history = found ?? this.#histories.create(kind, cached.key);
    if (limit > 0 && !history.pending.has(cached.revision)) {
      this.#push(history, cached, lastWrittenMs(cached) ?? clock.now());
    }
    if (history.isBusy) return;
    this.#writer.dropKnown(history);
    const hasSurplus = this.#writer.hasSurplus(history);
    if (history.pending.size === 0 && !hasSurplus) return;
    if (found === undefined) this.#histories.keep(history);
    if (hasSurplus) this.#enqueue(history);
    else this.#arm(history);
  }

  #changed(
    kind: HistoricKind,
    now: CachedObject | undefined,
    before: CachedObject | undefined,
  ): void {
    if (this.#phase === "off" || this.#options.limit === 0) return;
    const key = (now ?? before)?.key ?? "";
    const found = this.#histories.get(kind, key);
    if (now === undefined) {
      if (found !== undefined) this.#histories.forget(found);
      return;
    }
    const history = found ?? this.#histories.keep(this.#histories.create(kind, key));
    this.#push(history, now, this.#options.clock.now());
    this.#arm(history);
  }

  #push(history: ObjectHistory, cached: CachedObject, changedAtMs: number): void {
    const { clock, random, isShared } = this.#options;
    const leftMs = isShared ? LEFT_TO_OTHERS_MS * (1 + 0.2 * random.next()) : LEFT_TO_NOBODY_MS;
    history.pending.push({
      cached,
      changedAtMs,
      leftUntilMs: clock.monotonicMs() + leftMs,
      author: undefined,
      hash: undefined,
    });
    if (this.#histories.pendingBytes > MAX_PENDING_BYTES) history.pending.keepNewest(1);
  }

  /** Comes after the event of the same write. The writer waits for its answer: nothing is done in this turn. */
  #written({ resource, key, revision, by }: Written): void {
    const [kind] = this.#kinds.find(([, { storage }]) => storage === resource.storage) ?? [];
    const history = kind && this.#histories.get(kind, key);
    if (history === undefined) return;
    history.pending.wrote(revision, by);
    // At once, also if it stands behind one that is left to others: that may have been no new content.
    this.#lookAt(history, history.pausedUntilMs);
  }

  /** What others have made need not be made here, and what comes after it can be. */
  #revisionCame(group: string): void {
    const history = this.#histories.ofGroup(group);
    if (history !== undefined && history.pending.size > 0) this.#look(history);
  }

  #look(history: ObjectHistory): void {
    if (history.isBusy) return;
    this.#writer.dropKnown(history);
    const dueMs = this.#dueMs(history);
    if (dueMs === undefined) return;
    if (dueMs <= this.#options.clock.monotonicMs()) this.#enqueue(history);
    else this.#arm(history);
  }

  #dueMs(history: ObjectHistory): number | undefined {
    const dueMs = history.dueMs();
    return dueMs === undefined ? undefined : Math.max(dueMs, this.#pausedUntilMs);
  }

  /** Sees to it that the history has its turn when it is due, and not in this one. */
  #arm(history: ObjectHistory): void {
    const dueMs = this.#dueMs(history);
    if (dueMs !== undefined) this.#lookAt(history, dueMs);
  }

  #lookAt(history: ObjectHistory, dueMs: number): void {
    if (history.isBusy || this.#phase !== "following") return;
    if (history.timer !== undefined && history.timer.dueMs <= dueMs) return;
    history.timer?.[Symbol.dispose]();
    const { clock } = this.#options;
    const timer = clock.schedule(Math.max(0, dueMs - clock.monotonicMs()), () => {
      history.timer = undefined;
      this.#look(history);
    });
    history.timer = { dueMs, [Symbol.dispose]: () => timer[Symbol.dispose]() };
  }

  #enqueue(history: ObjectHistory): void {
    history.isBusy = true;
    this.#ready.add(history);
    this.#startPasses();
  }

  #startPasses(): void {
    for (const history of this.#ready) {
      if (this.#passes >= MAX_PASSES) return;
      this.#ready.delete(history);
      this.#passes++;
      void this.#pass(history);
    }
  }

  /** Never rejects. */
  async #pass(history: ObjectHistory): Promise<void> {
    try {
      await this.#makeAllDue(history);
      await this.#writer.removeSurplus(history);
      this.#backoff.reset();
    } catch (err) {
      this.#failed(history, err);
    }
    history.isBusy = false;
    this.#passes--;
    this.#pendingGauge.set(this.#histories.pendingBytes);
    this.#arm(history);
    this.#startPasses();
    if (this.#phase === "stopping") this.#wake.resolve();
  }

  /** A revision that the server itself refuses will not be better next time; everything else may. */
  #failed(history: ObjectHistory, err: unknown): void {
    const { logger, clock } = this.#options;
    const { kind, key } = history.options;
    this.#writer.failed();
    logger.warn("cannot write the history of an object", { kind, key, err });
    const { head } = history.pending;
    if (err instanceof StatusError && head !== undefined) {
      history.pending.doneWith(head.cached.revision);
    } else this.#pausedUntilMs = clock.monotonicMs() + this.#backoff.nextMs();
  }

  async #makeAllDue(history: ObjectHistory): Promise<void> {
    for (;;) {
      this.#writer.dropKnown(history);
      const { head } = history.pending;
      const dueMs = this.#dueMs(history);
      if (head === undefined || dueMs === undefined) return;
      if (dueMs > this.#options.clock.monotonicMs()) return;
      await this.#writer.make(history, head);
    }
  }

  /** Those whose author only this server knows are made before the end, if the store lets them. */
  async #stop(): Promise<void> {
    if (this.#phase === "off") return;
    this.#phase = "stopping";
    let isLate = false;
    using _ = this.#options.clock.schedule(STOP_TIMEOUT_MS, () => {
      isLate = true;
      this.#wake.resolve();
    });
    for (const history of this.#histories) {
      history.hurry();
      if (history.pending.head?.author !== undefined) this.#look(history);
    }
    while (this.#passes > 0 && !isLate) {
      this.#wake = Promise.withResolvers();
      await this.#wake.promise;
    }
    this.#phase = "off";
    this.#histories.clear();
  }
}
