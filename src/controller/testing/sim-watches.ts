// The watches of the simulated cluster. Each hears of writes in order, at once or as late as its kind lags behind; a stream that
// was told of an object hears when it no longer selects it.

import { apiVersionOf, type Kind } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import { expired } from "../../api/status-error.ts";
import { AsyncQueue } from "../../base/async-queue.ts";
import type { Clock } from "../../base/clock.ts";
import type { SimSelection } from "./sim-selection.ts";
import type { SimEntry, SimStore } from "./sim-store.ts";

interface Stream {
  readonly kind: Kind;
  readonly selection: SimSelection;
  readonly queue: AsyncQueue<Uint8Array, "fail">;
  readonly timers: DisposableStack;
  /** What was written and is not told yet. */
  readonly pending: Uint8Array[];
  /** Nothing is told before what was written before it. */
  dueMs: number;
}

export interface SimWatchOptions {
  readonly kind: Kind;
  readonly selection: SimSelection;
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
}

const BOOKMARK_MS = 60_000;

export class SimWatches {
  readonly #store: SimStore;
  readonly #clock: Clock;
  readonly #lagMs: (kind: Kind) => number;
  readonly #streams = new Set<Stream>();
  /** How many events were told. */
  told = 0;

  constructor(parts: {
    readonly store: SimStore;
    readonly clock: Clock;
    readonly lagMs: (kind: Kind) => number;
  }) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#lagMs = parts.lagMs;
    parts.store.listen((entry) => this.#tell(entry));
  }

  get open(): number {
    return this.#streams.size;
  }

  /** When the last of what is written now will have been told; undefined if all is. */
  get dueMs(): number | undefined {
    const late = [...this.#streams].filter(({ pending }) => pending.length > 0);
    return late.length === 0 ? undefined : Math.max(...late.map(({ dueMs }) => dueMs));
  }

  /** The body of the answer. Throws Expired. */
  watch({ kind, selection, query, signal }: SimWatchOptions): AsyncIterable<Uint8Array> {
    const asked = query.get("resourceVersion") ?? "";
    const sendsState = query.get("sendInitialEvents") === "true" || asked === "" || asked === "0";
    const past = sendsState ? [] : this.#store.since(kind, Number(asked));
    if (past === undefined) {
      throw expired(`too old resource version: ${asked} (${this.#store.revision})`);
    }
    const stream = this.#open({ kind, selection, query, signal });
    if (sendsState) this.#sendState(stream, query);
    for (const entry of past) this.#send(stream, entry);
    this.#streams.add(stream);
    return stream.queue;
  }

  /** Every stream of this kind, or of all kinds, breaks. */
  cut(kind?: Kind): void {
    for (const stream of this.#streams) {
      if (kind === undefined || kind === stream.kind) {
        this.#end(stream, new Error("the connection was lost"));
      }
    }
  }

  #open({ kind, selection, query, signal }: SimWatchOptions): Stream {
    const queue = new AsyncQueue<Uint8Array, "fail">({ capacity: 1_000_000, whenFull: "fail" });
    const timers = new DisposableStack();
    const stream: Stream = { kind, selection, queue, timers, pending: [], dueMs: 0 };
    const seconds = Number(query.get("timeoutSeconds") ?? "1800");
    timers.use(this.#clock.schedule(seconds * 1000, () => this.#end(stream)));
    if (query.has("allowWatchBookmarks")) this.#bookmarkLater(stream);
    const onAbort = (): void => this.#end(stream, signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    timers.defer(() => signal.removeEventListener("abort", onAbort));
    return stream;
  }

  #end(stream: Stream, reason?: unknown): void {
    this.#streams.delete(stream);
    stream.timers.dispose();
    if (reason === undefined) stream.queue.close();
    else stream.queue.abort(reason);
  }

  #bookmarkLater(stream: Stream): void {
    stream.timers.use(
      this.#clock.schedule(BOOKMARK_MS, () => {
        this.#push(stream, bookmark(stream.kind, this.#store.revision, false));
        this.#bookmarkLater(stream);
      }),
    );
  }

  #sendState(stream: Stream, query: URLSearchParams): void {
    const { kind, selection, queue } = stream;
    for (const object of this.#store.list(kind, selection.namespace)) {
      if (selection.matches(object)) queue.push(line("ADDED", object));
    }
    if (query.get("sendInitialEvents") === "true") {
      queue.push(bookmark(kind, this.#store.revision, true));
    }
  }

  #tell(entry: SimEntry): void {
    for (const stream of this.#streams) {
      if (isSame(stream.kind, entry.write.kind)) this.#send(stream, entry);
    }
  }

  #send(stream: Stream, { write }: SimEntry): void {
    const { matches } = stream.selection;
    const { object, old } = write;
    const was = old !== undefined && matches(old);
    const is = write.type !== "DELETED" && matches(object);
    if (is) this.#push(stream, line(was ? "MODIFIED" : "ADDED", object));
    else if (was) this.#push(stream, line("DELETED", object));
  }

  #push(stream: Stream, bytes: Uint8Array): void {
    const nowMs = this.#clock.monotonicMs();
    const lagMs = this.#lagMs(stream.kind);
    if (lagMs <= 0 && stream.pending.length === 0) {
      this.told++;
      stream.queue.push(bytes);
      return;
    }
    stream.dueMs = Math.max(stream.dueMs, nowMs + lagMs);
    stream.pending.push(bytes);
    // The first that comes due tells the first that waits: the order stays.
    const timer = this.#clock.schedule(stream.dueMs - nowMs, () => {
      const next = stream.pending.shift();
      if (next === undefined || !this.#streams.has(stream)) return;
      this.told++;
      stream.queue.push(next);
    });
    stream.timers.use(timer);
  }
}

function isSame(a: Kind, b: { readonly group: string; readonly resource: string }): boolean {
  return a.group === b.group && a.resource === b.resource;
}

/** Each object is written as text once, however many watch it. */
const texts = new WeakMap<ApiObject, string>();

export function textOf(object: ApiObject): string {
  let text = texts.get(object);
  if (text === undefined) {
    text = JSON.stringify(object);
    texts.set(object, text);
  }
  return text;
}

function line(type: string, object: ApiObject): Uint8Array {
  return Buffer.from(`{"type":"${type}","object":${textOf(object)}}\n`);
}

function bookmark(kind: Kind, revision: number, isEndOfState: boolean): Uint8Array {
  const annotations = isEndOfState ? { "k8s.io/initial-events-end": "true" } : {};
  const metadata = { resourceVersion: String(revision), annotations };
  const object = { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata };
  return Buffer.from(`${JSON.stringify({ type: "BOOKMARK", object })}\n`);
}
