// Keeps a sink equal to what a server has of one resource: the state first, then every change, over broken connections,
// restarted servers and forgotten history.
//
//   begin ──► STREAM(version) ───────────── the server refuses ──► LIST(version)
//                │ state, then bookmark                               │ state
//                ▼                                                    ▼
//             WATCH(version) ◄────────────────────────────────────────┘
//                ├─ clean end ─────────────────────────────────► WATCH(last), at once
//                ├─ end at once with nothing, lost, 429, 5xx … ─► WATCH(last), after a pause
//                ├─ 410: the version is forgotten ──────────────► begin(last), after a pause
//                ├─ the version is too large for this server ───► begin(""), after a pause
//                └─ 400, 404, 422: it is not what it was ───────► begin(""), after a pause
//
// begin(version) is STREAM where the server can (WatchList: one request, no second copy of the state in it), else LIST.
// The version of the first is "0": whatever the server has at hand, or "" if it must be the newest. Later ones name the
// last version that was seen, so that a server which lags behind another never takes us back; if that version is forgotten
// or too large, "", the newest. A LIST or STREAM that fails otherwise is tried again after a pause.
//
// Pauses grow from 0.8 s to 30 s and are all chance, from nothing to the whole: those who lost a server together come back
// spread out. A connection that cannot be made is not waited for here but in the client, once for all.

import type { ApiObject } from "../api/object.ts";
import { StatusError } from "../api/status-error.ts";
import { linkSignals, untilAborted } from "../base/abort.ts";
import { Backoff } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import { describe } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { ListWatch, WatchEvent } from "./list-watch.ts";
import { isOlderVersion } from "./resource-version.ts";
import {
  isExpired,
  isTooLargeResourceVersion,
  retryAfterMs,
  statusErrorOfEvent,
} from "./status-answer.ts";

export type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

/** Where a reflector delivers to. Nothing here may throw. */
export interface ReflectorSink<T> {
  /** All that there is; whatever the sink has besides is gone. After the first one the sink is synced. */
  replace(items: readonly T[], resourceVersion: string): void;
  event(type: ChangeType, object: T): void;
  /** The server does not do what it should, and is asked again after a pause. Not called while it cannot be reached. */
  failed(err: unknown): void;
  /** What the sink holds under this key, so that nothing older is delivered on top of it. */
  held(key: string): T | undefined;
}

export interface ReflectorOptions<T> {
  readonly listWatch: ListWatch<T>;
  readonly sink: ReflectorSink<T>;
  /** The first state is the newest, not just any that the server has at hand. */
  readonly startsWithNewest: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

interface State {
  readonly name: "list" | "stream" | "watch";
  readonly version: string;
}

interface Step {
  readonly state: State;
  /** Why there is a pause before it; none if missing. */
  readonly failure?: unknown;
}

/** As client-go. */
const PAUSES = { baseMs: 800, factor: 2, maxMs: 30_000, jitter: 1, resetAfterMs: 120_000 };
/** Chance spreads the ends of watches that began together. */
const MIN_WATCH_SECONDS = 300;
/** A server that does not end a watch when it should is taken for dead. */
const OVERTIME_MS = 30_000;
/** A watch that ends sooner, without an event, would be opened again and again. */
const SHORT_WATCH_MS = 1000;
/** Servers before 1.19 ignore sendInitialEvents: their bookmark never comes. */
const SILENCE_MS = 10_000;
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/** "namespace/name", or "name" for what is in no namespace. */
export function keyOf({ metadata: { namespace, name = "" } }: ApiObject): string {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

/** Run it once. */
export class Reflector<T extends ApiObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #backoff: Backoff;
  /** The newest that the sink was told of; undefined before the first state. */
  #last: string | undefined;
  /** The last failure that an operator was told of, until the server does what it should. */
  #told: string | undefined;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    const { clock, random } = options;
    this.#backoff = new Backoff({ ...PAUSES, clock, random });
  }

  /** The version that the sink has. */
  get lastResourceVersion(): string | undefined {
    return this.#last;
  }

  /** Settles when the signal aborts; failures of the server are never its own. */
  async run(signal: AbortSignal): Promise<void> {
    await untilAborted(signal, async () => {
      let step: Step = { state: this.#begin(this.#options.startsWithNewest ? "" : "0") };
      while (!signal.aborted) {
        if (step.failure !== undefined) await this.#pause(step, signal);
        step = await this.#take(step.state, signal);
      }
    });
  }

  #take(state: State, signal: AbortSignal): Promise<Step> {
    switch (state.name) {
      case "list":
        return this.#list(state, signal);
      case "stream":
      case "watch":
        return this.#watch(state, signal);
    }
  }

  #begin(version: string): State {
    if (!this.#options.listWatch.facts.supportsWatchList) return { name: "list", version };
    // Streamed, "0" could be older than what another server told us; the newest costs the same.
    return { name: "stream", version: version === "0" ? "" : version };
  }

  async #pause({ state, failure }: Step, signal: AbortSignal): Promise<void> {
    const { clock, logger, random, listWatch, sink } = this.#options;
    sink.failed(failure);
    const wantedMs = (retryAfterMs(failure) ?? 0) * (1 + random.next() / 10);
    const pauseMs = Math.max(this.#backoff.nextMs(), wantedMs);
    const fields = { next: state.name, resourceVersion: state.version, pauseMs };
    const why = describe(failure);
    // What an operator can mend is told, once; the rest heals by itself.
    const level = isOperatorsConcern(failure) && why !== this.#told ? "warn" : "debug";
    if (level === "warn") this.#told = why;
    logger[level]("reflector pauses", { ...listWatch.what, ...fields, why });
    await clock.sleep(pauseMs, signal);
  }

  async #list(state: State, signal: AbortSignal): Promise<Step> {
    const { listWatch, sink } = this.#options;
    let listed: Awaited<ReturnType<typeof listWatch.list>>;
    try {
      listed = await listWatch.list(state.version, signal);
    } catch (err) {
      signal.throwIfAborted();
      const isUnknown = isExpired(err) || isTooLargeResourceVersion(err);
      return { state: isUnknown ? { ...state, version: "" } : state, failure: err };
    }
    this.#last = listed.resourceVersion;
    this.#told = undefined;
    sink.replace(listed.items, listed.resourceVersion);
    return { state: { name: "watch", version: listed.resourceVersion } };
  }

  /** Also a stream, which is a watch once its state has come. */
  async #watch(state: State, signal: AbortSignal): Promise<Step> {
    const { clock, random } = this.#options;
    const timeoutSeconds = Math.floor(MIN_WATCH_SECONDS * (1 + random.next()));
    const cut = new AbortController();
    using link = linkSignals(signal, cut.signal);
    using _overtime = clock.schedule(timeoutSeconds * 1000 + OVERTIME_MS, () => cut.abort());
    const run = new WatchRun<T>(state.name === "stream");
    using _silence = run.initial && this.#whenSilent(run, cut);
    const startedMs = clock.monotonicMs();
    try {
      const sendInitialEvents = run.initial !== undefined;
      const asked = { resourceVersion: state.version, timeoutSeconds, sendInitialEvents };
      await this.#follow(run, asked, link.signal);
    } catch (err) {
      signal.throwIfAborted();
      return this.#afterFailure(state, run, err);
    }
    const isShort = run.events === 0 && clock.monotonicMs() - startedMs < SHORT_WATCH_MS;
    const isUnfinished = run.initial !== undefined;
    if (isUnfinished || isShort) {
      const failure = new Error("the watch ended before anything came");
      return { state: isUnfinished ? state : this.#resumed(), failure };
    }
    return { state: this.#resumed() };
  }

  /** Throws if the stream is refused or breaks, and for an ERROR event. */
  async #follow(
    run: WatchRun<T>,
    asked: Parameters<ListWatch<T>["watch"]>[0],
    signal: AbortSignal,
  ): Promise<void> {
    const events = await this.#options.listWatch.watch(asked, signal);
    run.isOpen = true;
    for await (const event of events) {
      signal.throwIfAborted();
      if (event.type === "ERROR") throw statusErrorOfEvent(event.object);
      run.events++;
      if (run.initial === undefined) this.#deliver(event);
      else this.#collect(run, run.initial, event);
    }
  }

  #collect(run: WatchRun<T>, initial: Map<string, T>, { type, object }: WatchEvent): void {
    const item = object as unknown as T;
    if (type === "DELETED") initial.delete(keyOf(item));
    else if (type !== "BOOKMARK") initial.set(keyOf(item), item);
    else if (item.metadata.annotations?.[INITIAL_EVENTS_END] === "true") {
      const { resourceVersion = "" } = item.metadata;
      run.initial = undefined;
      this.#last = resourceVersion;
      this.#told = undefined;
      this.#options.sink.replace([...initial.values()], resourceVersion);
    }
  }

  #deliver({ type, object }: WatchEvent): void {
    const item = object as unknown as T;
    const { resourceVersion } = item.metadata;
    if (resourceVersion !== undefined && !isOlderVersion(resourceVersion, this.#last)) {
      this.#last = resourceVersion;
    }
    if (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED") return;
    if (!isStale(type, item, this.#options.sink.held(keyOf(item)))) {
      this.#options.sink.event(type, item);
    }
  }

  #resumed(): State {
    return { name: "watch", version: this.#last ?? "" };
  }

  #afterFailure(state: State, run: WatchRun<T>, err: unknown): Step {
    const { listWatch, logger } = this.#options;
    const last = this.#last ?? "";
    if (isTooLargeResourceVersion(err)) return { state: this.#begin(""), failure: err };
    if (run.initial !== undefined) {
      if (isExpired(err)) return { state: this.#begin(""), failure: err };
      if (!run.isSilent && !isRefusal(err)) return { state, failure: err };
      listWatch.facts.supportsWatchList = false;
      logger.info("server does not stream lists", { ...listWatch.what, why: describe(err) });
      const version = this.#last ?? (this.#options.startsWithNewest ? "" : "0");
      return { state: { name: "list", version } };
    }
    if (isExpired(err)) return { state: this.#begin(last), failure: err };
    // The kind may be gone, or the server another one: only a new state can tell.
    if (isRefusal(err)) return { state: this.#begin(""), failure: err };
    return { state: this.#resumed(), failure: err };
  }

  /** Sets `run.isSilent` and cuts the stream if nothing comes for a while before the state is complete. */
  #whenSilent(run: WatchRun<T>, cut: AbortController): Disposable {
    const { clock } = this.#options;
    let timer: Disposable | undefined;
    const lookLater = (): void => {
      // A connection that is still being waited for is no silence of the server.
      const before = run.isOpen ? run.events : -1;
      timer = clock.schedule(SILENCE_MS, () => {
        if (run.initial === undefined) return;
        run.isSilent = run.events === before;
        if (run.isSilent) cut.abort();
        else lookLater();
      });
    };
    lookLater();
    return { [Symbol.dispose]: () => timer?.[Symbol.dispose]() };
  }
}

/** One stream of events. */
class WatchRun<T> {
  /** What has come of the state, by key; undefined when it is complete or was not asked for. */
  initial: Map<string, T> | undefined;
  events = 0;
  isOpen = false;
  isSilent = false;

  constructor(hasState: boolean) {
    this.initial = hasState ? new Map() : undefined;
  }
}

/** 400, 404, 405, 422: asking in the same way again is of no use. */
function isRefusal(err: unknown): boolean {
  return err instanceof StatusError && [400, 404, 405, 406, 415, 422].includes(err.code);
}

/** A right that is missing, an identity that is refused, a resource that there is not. */
function isOperatorsConcern(err: unknown): boolean {
  return err instanceof StatusError && err.code < 500 && err.code !== 410 && err.code !== 429;
}

/** Says whether the sink knows better: a later version of the object, or an object that took its place. */
function isStale(type: ChangeType, item: ApiObject, held: ApiObject | undefined): boolean {
  if (held === undefined) return false;
  const { uid, resourceVersion } = item.metadata;
  const isSame = uid === held.metadata.uid;
  if (type === "DELETED" && isSame) return false;
  return (
    isOlderVersion(resourceVersion, held.metadata.resourceVersion) ||
    (isSame && resourceVersion === held.metadata.resourceVersion)
  );
}
