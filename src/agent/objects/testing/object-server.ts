// An API server in memory with ConfigMaps and Secrets, behind the client's transport: single reads, lists of one name, watches with
// and without their state. It has what makes object managers hard: watches that are late, answers that are overtaken, outages
// in which patient requests wait, history that is forgotten, backups that are played back.

import type { ApiObject } from "../../../api/object.ts";
import { StatusError } from "../../../api/status-error.ts";
import { AsyncQueue } from "../../../base/async-queue.ts";
import {
  ConnectError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "../../../client/transport.ts";
import { type ObjectKind, type ObjectReference, referenceKey } from "../config-object.ts";

export interface Asked extends ObjectReference {
  readonly verb: "get" | "list" | "watch";
  readonly resourceVersion: string | null;
  /** Of a watch: with the state first. */
  readonly sendsState: boolean;
}

interface Entry {
  readonly key: string;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly revision: number;
  readonly object: ApiObject;
}

interface Stream {
  readonly key: string;
  readonly queue: AsyncQueue<Uint8Array, "fail">;
  sent: number;
}

export interface PutOptions {
  readonly kind?: ObjectKind;
  readonly namespace?: string;
  readonly immutable?: boolean;
  readonly data?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

export class ObjectServer implements Transport {
  readonly connections = 1;
  /** "get ConfigMap/default/a" */
  readonly asked: string[] = [];
  /** Given by a test, to say no. */
  refuse: (asked: Asked) => StatusError | undefined = () => undefined;
  /** Given by a test, to hold an answer back that is made up already. */
  delay: (asked: Asked) => Promise<void> | undefined = () => undefined;
  streamsLists = true;
  #log: Entry[] = [];
  #revision = 100;
  #uids = 0;
  #compacted = 0;
  readonly #streams = new Set<Stream>();
  #isLate = false;
  /** Present while it cannot be reached. */
  #away: PromiseWithResolvers<void> | undefined;

  get isConnected(): boolean {
    return this.#away === undefined;
  }

  answers(): Promise<boolean> {
    return Promise.resolve(this.isConnected);
  }

  get revision(): number {
    return this.#revision;
  }

  /** What is watched, sorted. */
  get watched(): readonly string[] {
    return [...this.#streams].map(({ key }) => key).toSorted();
  }

  /** As it is now. */
  object(key: string): ApiObject | undefined {
    const entry = this.#log.findLast((one) => one.key === key);
    return entry?.type === "DELETED" ? undefined : entry?.object;
  }

  put(name: string, options: PutOptions = {}): void {
    const { kind = "ConfigMap", namespace = "default", immutable, data = {}, labels } = options;
    const key = referenceKey({ kind, namespace, name });
    const held = this.object(key);
    const revision = this.#revision + 1;
    const uid = held?.metadata.uid ?? `uid-${++this.#uids}`;
    const version = { uid, resourceVersion: String(revision) };
    const metadata = { name, namespace, ...version, ...(labels && { labels }) };
    const object = { metadata, data, ...(immutable !== undefined && { immutable }) };
    this.#write({ key, type: held ? "MODIFIED" : "ADDED", object });
  }

  remove(name: string, { kind = "ConfigMap", namespace = "default" }: PutOptions = {}): void {
    const key = referenceKey({ kind, namespace, name });
    const held = this.object(key);
    if (held === undefined) return;
    const resourceVersion = String(this.#revision + 1);
    this.#write({
      key,
      type: "DELETED",
      object: { ...held, metadata: { ...held.metadata, resourceVersion } },
    });
  }

  /** Watches hear of nothing until they are let go on. */
  holdWatches(): void {
    this.#isLate = true;
  }

  letWatchesGoOn(): void {
    this.#isLate = false;
    for (const stream of this.#streams) this.#feed(stream);
  }

  /** All streams break. */
  cut(): void {
    for (const { queue } of this.#streams) queue.abort(new Error("the connection was lost"));
    this.#streams.clear();
  }

  /** All streams end as when their time is over. */
  end(): void {
    for (const { queue } of this.#streams) queue.close();
    this.#streams.clear();
  }

  compact(): void {
    this.#compacted = this.#revision;
  }

  goAway(): void {
    this.#away ??= Promise.withResolvers();
    this.cut();
  }

  comeBack(): void {
    this.#away?.resolve();
    this.#away = undefined;
  }

  /** As if it had been set back to a backup. */
  playBack(revision: number): void {
    this.cut();
    this.#log = this.#log.filter((entry) => entry.revision <= revision);
    this.#revision = revision;
  }

  async send({ path, signal, isPatient }: TransportRequest): Promise<TransportResponse> {
    await Promise.resolve();
    while (this.#away !== undefined) {
      if (isPatient !== true) throw new ConnectError("no connection");
      await Promise.race([this.#away.promise, whenAborted(signal)]);
    }
    signal.throwIfAborted();
    const asked = parsed(path);
    this.asked.push(`${asked.verb} ${referenceKey(asked)}`);
    const refusal = this.refuse(asked);
    const response = refusal === undefined ? this.#answer(asked, signal) : refused(refusal);
    await Promise.race([this.delay(asked), whenAborted(signal)]);
    return response;
  }

  close(): Promise<void> {
    this.cut();
    return Promise.resolve();
  }

  [Symbol.dispose](): void {
    this.cut();
  }

  #write(entry: { key: string; type: Entry["type"]; object: object }): void {
    const revision = ++this.#revision;
    this.#log.push({ ...entry, revision, object: entry.object as ApiObject });
    if (this.#isLate) return;
    for (const stream of this.#streams) {
      if (stream.key === entry.key) this.#feed(stream);
    }
  }

  #answer(asked: Asked, signal: AbortSignal): TransportResponse {
    const key = referenceKey(asked);
    const object = this.object(key);
    switch (asked.verb) {
      case "get":
        return object === undefined ? refused(notThere(asked)) : answer(200, object);
      case "list": {
        const metadata = { resourceVersion: String(this.#revision) };
        return answer(200, { metadata, items: object === undefined ? [] : [object] });
      }
      case "watch":
        return this.#watch(asked, signal);
    }
  }

  #watch(asked: Asked, signal: AbortSignal): TransportResponse {
    const { resourceVersion, sendsState } = asked;
    if (sendsState && !this.streamsLists) return refused(status(422, "Invalid"));
    const since = Number(resourceVersion ?? "");
    if (since > this.#revision) return refused(tooLarge());
    if (!sendsState && since < this.#compacted) return refused(status(410, "Expired"));
    const queue = new AsyncQueue<Uint8Array, "fail">({ capacity: 10_000, whenFull: "fail" });
    const stream: Stream = { key: referenceKey(asked), queue, sent: since };
    this.#streams.add(stream);
    signal.addEventListener("abort", () => {
      this.#streams.delete(stream);
      queue.abort(signal.reason);
    });
    if (sendsState) this.#sendState(stream);
    if (!this.#isLate) this.#feed(stream);
    return { code: 200, retryAfter: undefined, body: queue };
  }

  #sendState(stream: Stream): void {
    const object = this.object(stream.key);
    if (object !== undefined) push(stream, "ADDED", object);
    const annotations = { "k8s.io/initial-events-end": "true" };
    const metadata = { resourceVersion: String(this.#revision), annotations };
    push(stream, "BOOKMARK", { metadata });
    stream.sent = this.#revision;
  }

  #feed(stream: Stream): void {
    for (const { key, type, revision, object } of this.#log) {
      if (key === stream.key && revision > stream.sent) push(stream, type, object);
    }
    stream.sent = this.#revision;
  }
}

function parsed(path: string): Asked {
  const { pathname, searchParams } = new URL(path, "http://x");
  const [, , , , namespace = "", resource = "", name] = pathname.split("/");
  const selected = searchParams.get("fieldSelector")?.replace("metadata.name=", "") ?? "";
  const isWatch = searchParams.has("watch");
  const listVerb = isWatch ? "watch" : "list";
  return {
    verb: name === undefined ? listVerb : "get",
    kind: resource === "secrets" ? "Secret" : "ConfigMap",
    namespace: decodeURIComponent(namespace),
    name: decodeURIComponent(name ?? selected),
    resourceVersion: searchParams.get("resourceVersion"),
    sendsState: searchParams.get("sendInitialEvents") === "true",
  };
}

function push({ queue }: Stream, type: string, object: object): void {
  queue.push(Buffer.from(`${JSON.stringify({ type, object })}\n`));
}

function notThere({ kind, name }: Asked): StatusError {
  const message = `${kind.toLowerCase()}s ${JSON.stringify(name)} not found`;
  return new StatusError({ code: 404, reason: "NotFound", message });
}

function status(code: number, reason: StatusError["reason"]): StatusError {
  return new StatusError({ code, reason, message: reason });
}

function tooLarge(): StatusError {
  const message = "Too large resource version";
  const details = { causes: [{ reason: "ResourceVersionTooLarge", message }] };
  return new StatusError({ code: 504, reason: "Timeout", message, details });
}

function refused(err: StatusError): TransportResponse {
  return answer(err.code, err.toStatus());
}

function answer(code: number, value: object): TransportResponse {
  const bytes = Buffer.from(JSON.stringify(value));
  return { code, retryAfter: undefined, body: once(bytes) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    if (signal.aborted) reject(signal.reason as Error);
  });
}
