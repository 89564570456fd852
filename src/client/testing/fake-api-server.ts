// An API server in memory with one kind of objects, behind the client's transport. It has what makes real ones hard: several
// replicas of which some lag behind, history that is forgotten, streams that break, and answers that are refusals. Nothing
// happens by itself: a replica sees writes when it is told to catch up.

import type { ApiObject } from "../../api/object.ts";
import { StatusError } from "../../api/status-error.ts";
import { AsyncQueue } from "../../base/async-queue.ts";
import {
  ConnectError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "../transport.ts";

interface Entry {
  readonly revision: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: ApiObject;
}

interface Stream {
  readonly replica: number;
  readonly fieldSelector: string | null;
  readonly queue: AsyncQueue<Uint8Array, "fail">;
  /** What it was sent, or began after. */
  sent: number;
}

export interface FakeApiServerOptions {
  readonly replicas?: number;
  /** Of the first write, less one. */
  readonly revision?: number;
}

/** How the server takes sendInitialEvents. */
export type WatchListSupport = "serves" | "refuses" | "ignores";

export class FakeApiServer implements Transport {
  readonly connections = 1;
  readonly isConnected = true;
  /** "path?query" of each list and watch, and "METHOD path?query" of everything else. */
  readonly requests: string[] = [];
  readonly bodies: unknown[] = [];
  watchList: WatchListSupport = "serves";
  /** How a watch hears that its version is forgotten. */
  goneAs: "status" | "event" = "status";
  /** Which replica answers the next request. */
  chooseReplica: () => number = () => 0;
  /** Answers for the next requests, before anything else; undefined lets one pass. */
  readonly refusals: (StatusError | undefined)[] = [];
  readonly #log: Entry[] = [];
  readonly #streams = new Set<Stream>();
  readonly #visible: number[];
  #compacted = 0;
  #revision: number;
  #uids = 0;
  #isReachable = true;

  constructor({ replicas = 1, revision = 100 }: FakeApiServerOptions = {}) {
    this.#revision = revision;
    this.#visible = Array.from({ length: replicas }, () => revision);
  }

  get revision(): number {
    return this.#revision;
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  /** The objects as they are. */
  get state(): readonly ApiObject[] {
    return [...this.#stateAt(this.#revision).values()];
  }

  /** Creates or changes an object, and lets everybody see it unless there are replicas that lag. */
  put(name: string, data = `${this.#revision}`): void {
    const held = this.#stateAt(this.#revision).get(name);
    const uid = held?.metadata.uid ?? `uid-${++this.#uids}`;
    this.#write(held === undefined ? "ADDED" : "MODIFIED", { name, uid, data });
  }

  remove(name: string): void {
    const held = this.#stateAt(this.#revision).get(name);
    if (held === undefined) return;
    this.#write("DELETED", { name, uid: held.metadata.uid ?? "", data: "" });
  }

  /** Replica `index` sees everything that was written, or as much as `revision`. */
  catchUp(index: number, revision: number = this.#revision): void {
    this.#visible[index] = Math.max(this.#visible[index] ?? 0, revision);
    for (const stream of this.#streams) {
      if (stream.replica === index) this.#feed(stream);
    }
  }

  /** Forgets all history. */
  compact(): void {
    this.#compacted = this.#revision;
  }

  bookmark(): void {
    for (const stream of this.#streams) {
      // A server tells how far it is, never further than what it has sent.
      const revision = Math.max(stream.sent, this.#visible[stream.replica] ?? 0);
      send(stream, "BOOKMARK", bookmarkAt(revision, false));
    }
  }

  /** Sends any event to all streams. */
  inject(type: string, object: object): void {
    for (const stream of this.#streams) send(stream, type, object);
  }

  /** Sends the first version of an object that is there once more, as a proxy may that mixes two answers up. */
  repeat(name: string): void {
    for (const stream of this.#streams) {
      const held = this.#stateAt(stream.sent).get(name);
      const first = this.#log.find(({ object }) => object.metadata.uid === held?.metadata.uid);
      if (first !== undefined && isSelected(first.object, stream.fieldSelector)) {
        send(stream, "MODIFIED", first.object);
      }
    }
  }

  /** Every stream breaks. */
  cut(): void {
    for (const { queue } of this.#streams) queue.abort(new Error("the connection was lost"));
    this.#streams.clear();
  }

  /** Cannot be reached any more. */
  goAway(): void {
    this.#isReachable = false;
    this.cut();
  }

  comeBack(): void {
    this.#isReachable = true;
  }

  /** Every stream ends as it does when its time is over. */
  end(): void {
    for (const { queue } of this.#streams) queue.close();
    this.#streams.clear();
  }

  answers(): Promise<boolean> {
    return Promise.resolve(true);
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    return Promise.resolve().then(() => this.#answer(request));
  }

  close(): Promise<void> {
    this.cut();
    return Promise.resolve();
  }

  [Symbol.dispose](): void {
    this.cut();
  }

  #answer({ method, path, signal, body }: TransportRequest): TransportResponse {
    signal.throwIfAborted();
    if (!this.#isReachable) throw new ConnectError("no connection");
    this.requests.push(method === "GET" ? path : `${method} ${path}`);
    if (body !== undefined) this.bodies.push(JSON.parse(Buffer.from(body).toString()));
    const refusal = this.refusals.shift();
    if (refusal !== undefined) return refused(refusal);
    const query = new URL(path, "http://x").searchParams;
    const replica = this.chooseReplica();
    if (method !== "GET") return answer(200, {});
    return query.has("watch") ? this.#watch(query, replica, signal) : this.#list(query, replica);
  }

  #list(query: URLSearchParams, replica: number): TransportResponse {
    const asked = query.get("resourceVersion") ?? "";
    if (asked === "") this.catchUp(replica);
    const visible = this.#visible[replica] ?? 0;
    if (Number(asked) > visible) return refused(tooLarge(asked, visible));
    const items = [...this.#stateAt(visible).values()].filter((one) =>
      isSelected(one, query.get("fieldSelector")),
    );
    return answer(200, { kind: "List", metadata: { resourceVersion: String(visible) }, items });
  }

  #watch(query: URLSearchParams, replica: number, signal: AbortSignal): TransportResponse {
    const asked = query.get("resourceVersion") ?? "";
    const isStreamedList = query.get("sendInitialEvents") === "true";
    if (isStreamedList && this.watchList === "refuses") {
      return refused(new StatusError({ code: 422, reason: "Invalid", message: "not here" }));
    }
    if (asked === "") this.catchUp(replica);
    const visible = this.#visible[replica] ?? 0;
    if (isStreamedList && Number(asked) > visible) return refused(tooLarge(asked, visible));
    const stream = this.#open(query, replica, signal);
    if (isStreamedList || asked === "") this.#sendState(stream, visible);
    else if (stream.sent < this.#compacted) return this.#gone(stream);
    this.#feed(stream);
    return { code: 200, retryAfter: undefined, body: stream.queue };
  }

  #open(query: URLSearchParams, replica: number, signal: AbortSignal): Stream {
    const queue = new AsyncQueue<Uint8Array, "fail">({ capacity: 100_000, whenFull: "fail" });
    const fieldSelector = query.get("fieldSelector");
    const sent = Number(query.get("resourceVersion") ?? "");
    const stream: Stream = { replica, fieldSelector, queue, sent };
    this.#streams.add(stream);
    signal.addEventListener("abort", () => {
      this.#streams.delete(stream);
      queue.abort(signal.reason);
    });
    return stream;
  }

  #gone(stream: Stream): TransportResponse {
    const gone = new StatusError({ code: 410, reason: "Expired", message: "too old" });
    this.#streams.delete(stream);
    if (this.goneAs === "status") return refused(gone);
    send(stream, "ERROR", gone.toStatus());
    stream.queue.close();
    return { code: 200, retryAfter: undefined, body: stream.queue };
  }

  #sendState(stream: Stream, visible: number): void {
    for (const object of this.#stateAt(visible).values()) {
      if (isSelected(object, stream.fieldSelector)) send(stream, "ADDED", object);
    }
    if (this.watchList === "serves") send(stream, "BOOKMARK", bookmarkAt(visible, true));
    stream.sent = visible;
  }

  #feed(stream: Stream): void {
    const visible = this.#visible[stream.replica] ?? 0;
    for (const { revision, type, object } of this.#log) {
      if (revision <= stream.sent || revision > visible) continue;
      if (isSelected(object, stream.fieldSelector)) send(stream, type, object);
      stream.sent = revision;
    }
  }

  #write(
    type: Entry["type"],
    { name, uid, data }: { readonly name: string; readonly uid: string; readonly data: string },
  ): void {
    const revision = ++this.#revision;
    const metadata = { name, namespace: "default", uid, resourceVersion: String(revision) };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { v: data } };
    this.#log.push({ revision, type, object: object as unknown as ApiObject });
    if (this.#visible.length === 1) this.catchUp(0);
  }

  #stateAt(revision: number): Map<string, ApiObject> {
    const state = new Map<string, ApiObject>();
    for (const entry of this.#log) {
      if (entry.revision > revision) break;
      const { name = "" } = entry.object.metadata;
      if (entry.type === "DELETED") state.delete(name);
      else state.set(name, entry.object);
    }
    return state;
  }
}

function isSelected({ metadata }: ApiObject, fieldSelector: string | null): boolean {
  return fieldSelector === null || fieldSelector === `metadata.name=${metadata.name}`;
}

function send({ queue }: Stream, type: string, object: object): void {
  queue.push(Buffer.from(`${JSON.stringify({ type, object })}\n`));
}

function bookmarkAt(revision: number, isEndOfState: boolean): object {
  const annotations = isEndOfState ? { "k8s.io/initial-events-end": "true" } : {};
  return { kind: "ConfigMap", metadata: { resourceVersion: String(revision), annotations } };
}

/** As kube-apiserver says it. */
function tooLarge(asked: string, visible: number): StatusError {
  const message = `Too large resource version: ${asked}, current: ${visible}`;
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  const details = { causes, retryAfterSeconds: 1 };
  return new StatusError({ code: 504, reason: "Timeout", message, details });
}

function refused(err: StatusError): TransportResponse {
  return answer(err.code, err.toStatus());
}

function answer(code: number, value: object): TransportResponse {
  return { code, retryAfter: undefined, body: once(Buffer.from(JSON.stringify(value))) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
