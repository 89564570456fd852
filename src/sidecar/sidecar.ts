// The loop of the program. Level-triggered: each turn looks at what the sources know now and brings the output and the app there, whatever happened in between.
//
//   sources ──news──> wait until it is quiet ──> compose ──> gate ──> publish ──> tell the app
//                     (minWaitMs, maxWaitMs)
//
// A turn that cannot go all the way leaves what is live as it is, says why, and is followed by another: when there is news, when the delay of a failure is over, or by the
// slow net that is behind everything.

import { linkSignals, untilAborted } from "../base/abort.ts";
import { Backoff } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { Composed } from "./compose.ts";
import type { ReloadSpec } from "./compose-model.ts";
import type { Candidate, PublishResult } from "./publisher.ts";
import type { Reloading } from "./reloading.ts";
import type { SidecarObserver } from "./report/observer.ts";
import type { Reporter } from "./report/reporter.ts";
import type { Source, SourceContent } from "./source.ts";

/** Of every source; undefined: nothing was ever known of it. */
type Contents = ReadonlyMap<string, SourceContent | undefined>;

/** Whoever publishes and can go back to what was: GatedPublisher. */
export interface SidecarPublisher {
  readonly isFresh: boolean;
  live(): Candidate | undefined;
  restore(): PublishResult | undefined;
  publish(candidate: Candidate, signal: AbortSignal): Promise<PublishResult>;
  upkeep(): number | undefined;
}

export interface SidecarOptions {
  readonly sources: readonly Source[];
  readonly waits: Pick<ReloadSpec, "minWaitMs" | "maxWaitMs" | "isFirstAtOnce">;
  readonly compose: (contents: Contents) => Composed;
  readonly publisher: SidecarPublisher;
  readonly reloading: Pick<Reloading, "doubt" | "run" | "want">;
  readonly reporter: Reporter;
  readonly observer?: SidecarObserver | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Behind the events: what was tampered with is mended, what was rejected is judged again. */
const NET_MS = 30_000;
/** So long sources may take to begin before that is a problem. */
const PATIENCE_MS = 5000;
/** After a failure that is not the content's fault: a full disk, a gate that hangs. */
const DELAYS = { baseMs: 1000, factor: 2, maxMs: 30_000, jitter: 0.2, resetAfterMs: 120_000 };

export class Sidecar {
  readonly name = "sidecar";
  readonly #options: SidecarOptions;
  readonly #backoff: Backoff;
  #hasNews = false;
  /** When there was news, and whether there was none for long before. */
  #newsAtMs = -Infinity;
  #isFirstNews = false;
  /** Ends the present wait. */
  #wake = new AbortController();
  #startedMs = 0;
  /** What the sources said in the last turn that composed, and what became of it. */
  #composed: { readonly contents: Contents; readonly composed: Composed } | undefined;
  /** The version of the sources, once it is live. */
  #current: string | undefined;
  readonly #applied = Promise.withResolvers<void>();

  constructor(options: SidecarOptions) {
    const { clock, random } = options;
    this.#options = options;
    this.#backoff = new Backoff({ ...DELAYS, clock, random });
  }

  /** Settles when what the sources say has been published and the app was told, for the first time. */
  get applied(): Promise<void> {
    return this.#applied.promise;
  }

  /** To be called after each report of the reloading. */
  noteProgress(): void {
    const { applied } = this.#options.reporter;
    if (this.#current !== undefined && applied === this.#current) this.#applied.resolve();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { sources, reloading, clock } = this.#options;
    using subscriptions = new DisposableStack();
    for (const source of sources) {
      const observe = observing(source, this.#options.observer);
      subscriptions.use(
        source.onChange(() => {
          observe();
          this.#news();
        }),
      );
    }
    const end = new AbortController();
    using either = linkSignals(signal, end.signal);
    const telling = reloading.run(either.signal);
    this.#startedMs = clock.monotonicMs();
    try {
      await untilAborted(signal, async () => {
        for (;;) {
          this.#hasNews = false;
          const waitMs = await this.#turn(signal);
          await this.#wait(waitMs, signal);
        }
      });
    } finally {
      end.abort();
      await telling;
    }
  }

  #news(): void {
    const { waits, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#isFirstNews = nowMs - this.#newsAtMs >= waits.minWaitMs;
    this.#newsAtMs = nowMs;
    this.#hasNews = true;
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  /** Milliseconds until the next one, if there is no news before. */
  async #turn(signal: AbortSignal): Promise<number> {
    const restored = this.#restore();
    // Whatever becomes of this turn: what has had its time may be what fills the disk.
    this.#options.publisher.upkeep();
    const { contents, waiting } = this.#look();
    if (waiting.length > 0) return this.#waitFor(waiting);
    const { reporter, observer } = this.#options;
    reporter.looked(versionsOf(contents));
    const { composed, isNew } = this.#compose(contents);
    if ("problems" in composed) {
      reporter.composed(composed.problems.join("; "));
      if (isNew) observer?.applied({ isGood: false, unsetVariables: 0 });
      this.#tellLive();
      return restored ? NET_MS : this.#backoff.nextMs();
    }
    reporter.composed("");
    const result = await this.#publish(composed.candidate, signal);
    const isGood = result === "published" || result === "unchanged";
    const { unsetVariables } = composed;
    if (isNew || !isGood) observer?.applied({ isGood, unsetVariables });
    if (result === "failed") return this.#backoff.nextMs();
    this.#backoff.reset();
    return Math.min(NET_MS, this.#options.publisher.upkeep() ?? NET_MS);
  }

  /** False: there is a last good set, and it could not be made live. */
  #restore(): boolean {
    const { publisher, reporter } = this.#options;
    if (publisher.live() !== undefined) return true;
    const restored = publisher.restore();
    const live = publisher.live();
    if (restored === undefined) return true;
    if ("reason" in restored) {
      reporter.unrestored(restored.reason);
      return false;
    }
    if (live !== undefined) reporter.published(live, restored);
    return true;
  }

  #look(): {
    readonly contents: Contents;
    readonly waiting: readonly string[];
  } {
    const contents = new Map<string, SourceContent | undefined>();
    const waiting: string[] = [];
    const problems: string[] = [];
    for (const source of this.#options.sources) {
      const now = source.current();
      contents.set(source.name, now.state === "known" ? now.content : undefined);
      if (now.state === "waiting") waiting.push(source.name);
      if (now.problem !== undefined) problems.push(`${source.name}: ${now.problem}`);
    }
    this.#options.reporter.sources(problems.join("; "));
    return { contents, waiting };
  }

  #waitFor(waiting: readonly string[]): number {
    const { clock, reporter } = this.#options;
    const leftMs = this.#startedMs + PATIENCE_MS - clock.monotonicMs();
    if (leftMs > 0) return leftMs;
    reporter.waits(`nothing was ever heard of ${waiting.join(", ")}`);
    this.#tellLive();
    return NET_MS;
  }

  #compose(contents: Contents): {
    readonly composed: Composed;
    readonly isNew: boolean;
  } {
    const before = this.#composed;
    if (before !== undefined && isSame(before.contents, contents)) {
      return { composed: before.composed, isNew: false };
    }
    const composed = this.#options.compose(contents);
    this.#composed = { contents, composed };
    if ("notes" in composed) {
      for (const note of composed.notes)
        this.#options.logger.warn("composed with a note", { note });
    }
    return { composed, isNew: true };
  }

  async #publish(candidate: Candidate, signal: AbortSignal): Promise<PublishResult["result"]> {
    const { publisher, reporter, reloading } = this.#options;
    const isFirst = publisher.live() === undefined && publisher.isFresh;
    reporter.noticed(candidate);
    const result = await publisher.publish(candidate, signal);
    reporter.published(candidate, result);
    if ("reason" in result) {
      this.#current = undefined;
      if (result.isByGate !== true) reloading.doubt();
      this.#tellLive();
    } else {
      this.#current = candidate.version;
      reloading.want(candidate.version, { isFirst });
      this.noteProgress();
    }
    return result.result;
  }

  /** What is live is the last good set, and stays for now: the app should know that one. */
  #tellLive(): void {
    const { publisher, reloading } = this.#options;
    const live = publisher.live();
    if (live !== undefined) reloading.want(live.version, { isFirst: false });
  }

  /** Until it is time, or there was news and then quiet. */
  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#hasNews) await this.#pause(ms, signal);
    if (!this.#hasNews || this.#isBeginning()) return;
    const { waits, clock } = this.#options;
    if (waits.isFirstAtOnce === true && this.#isFirstNews) return;
    const untilMs = clock.monotonicMs() + waits.maxWaitMs;
    for (let isQuiet = false; !isQuiet; ) {
      const leftMs = untilMs - clock.monotonicMs();
      if (leftMs <= 0) return;
      isQuiet = await this.#pause(Math.min(waits.minWaitMs, leftMs), signal);
    }
  }

  /** Sources begin one after the other. When the last one has, an app waits for its first configuration. */
  #isBeginning(): boolean {
    const { sources, publisher } = this.#options;
    if (publisher.live() !== undefined) return false;
    return sources.every((source) => source.current().state === "known");
  }

  /** True if the time has passed; false if there was news before. */
  async #pause(ms: number, signal: AbortSignal): Promise<boolean> {
    const { signal: wake } = this.#wake;
    using either = linkSignals(signal, wake);
    try {
      await this.#options.clock.sleep(ms, either.signal);
      return true;
    } catch (err) {
      if (signal.aborted || !wake.aborted) throw err;
      return false;
    }
  }
}

/** A source that holds what it held holds the same object. */
function isSame(some: Contents, others: Contents): boolean {
  return [...others].every(([name, content]) => some.get(name) === content);
}

function versionsOf(contents: Contents): ReadonlyMap<string, string> {
  const known = [...contents].filter(([, content]) => content !== undefined);
  return new Map(known.map(([name, content]) => [name, content?.version ?? ""]));
}

/** To be called after each change. */
function observing(source: Source, observer: SidecarObserver | undefined): () => void {
  let before = source.current();
  if (before.problem !== undefined) observer?.sourceFailed();
  return () => {
    const now = source.current();
    const [old, next] = [before, now].map((one) =>
      one.state === "known" ? one.content.version : undefined,
    );
    if (old !== undefined && old !== next) observer?.sourceChanged();
    if (now.problem !== undefined && now.problem !== before.problem) observer?.sourceFailed();
    before = now;
  };
}
