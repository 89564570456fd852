// An API server in memory that has one Lease, and a way to it for each client, which can be bad in all the ways that ways are: nothing
// arrives, answers are lost, requests arrive long after their sender has given up.

import type { ApiObject } from "../../api/object.ts";
import { StatusError } from "../../api/status-error.ts";
import type { Lease } from "../../api/types.ts";
import { AsyncQueue } from "../../base/async-queue.ts";
import type { Clock } from "../../base/clock.ts";
import {
  ConnectError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "../../client/transport.ts";

export type LeaseObject = ApiObject & Lease;

/** How the way of one client is. "deaf": watches hear nothing. A number: writes arrive so late, and nobody hears the answer. */
export type Way = "good" | "deaf" | "cut" | "answers lost" | "hangs" | number;

type Stream = AsyncQueue<Uint8Array, "fail">;

export class LeaseServer {
  readonly #clock: Clock;
  readonly #streams = new Map<Stream, LeasePath>();
  /** Each record that was written, in order. */
  readonly written: LeaseObject[] = [];
  lease: LeaseObject | undefined;
  #revision = 100;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  path(): LeasePath {
    return new LeasePath(this, this.#clock);
  }

  /** As somebody with all rights. */
  put(lease: LeaseObject): LeaseObject {
    const type = this.lease === undefined ? "ADDED" : "MODIFIED";
    const uid = this.lease?.metadata.uid ?? `uid-${this.#revision}`;
    const metadata = { ...lease.metadata, uid, resourceVersion: String(++this.#revision) };
    this.lease = { ...lease, metadata };
    this.written.push(this.lease);
    this.#tell(type, this.lease);
    return this.lease;
  }

  remove(): void {
    const gone = this.lease;
    this.lease = undefined;
    this.#revision++;
    if (gone === undefined) return;
    const metadata = { ...gone.metadata, resourceVersion: String(this.#revision) };
    this.#tell("DELETED", { ...gone, metadata });
  }

  answer({ method, path, body, signal }: TransportRequest, by: LeasePath): TransportResponse {
    const { searchParams } = new URL(path, "http://x");
    if (searchParams.has("watch")) return this.#watch(by, signal);
    const sent = body && (JSON.parse(Buffer.from(body).toString()) as LeaseObject);
    if (method === "POST" && sent !== undefined) {
      return this.lease === undefined ? reply(201, this.put(sent)) : refuse(409, "AlreadyExists");
    }
    if (this.lease === undefined) return refuse(404, "NotFound");
    if (method !== "PUT" || sent === undefined) return reply(200, this.lease);
    const isCurrent = sent.metadata.resourceVersion === this.lease.metadata.resourceVersion;
    return isCurrent ? reply(200, this.put(sent)) : refuse(409, "Conflict");
  }

  #watch(by: LeasePath, signal: AbortSignal): TransportResponse {
    const queue: Stream = new AsyncQueue({ capacity: 10_000, whenFull: "fail" });
    this.#streams.set(queue, by);
    signal.addEventListener("abort", () => {
      this.#streams.delete(queue);
      queue.abort(signal.reason);
    });
    if (this.lease !== undefined) push(queue, "ADDED", this.lease);
    const annotations = { "k8s.io/initial-events-end": "true" };
    push(queue, "BOOKMARK", { metadata: { resourceVersion: String(this.#revision), annotations } });
    return { code: 200, retryAfter: undefined, body: queue };
  }

  #tell(type: string, lease: LeaseObject): void {
    for (const [queue, { way }] of this.#streams) if (way === "good") push(queue, type, lease);
  }
}

export class LeasePath implements Transport {
  readonly isConnected = true;
  readonly connections = 1;
  way: Way = "good";
  readonly #server: LeaseServer;
  readonly #clock: Clock;

  constructor(server: LeaseServer, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    await Promise.resolve();
    request.signal.throwIfAborted();
    const { way } = this;
    if (way === "good" || way === "deaf") return this.#server.answer(request, this);
    if (way === "cut") throw new ConnectError("no connection");
    const arrives = (): unknown => this.#server.answer(request, this);
    if (way === "answers lost") arrives();
    if (typeof way === "number") this.#clock.schedule(way, arrives);
    return new Promise((_, reject) => {
      const { signal } = request;
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
  }

  answers(): Promise<boolean> {
    return Promise.resolve(true);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  [Symbol.dispose](): void {
    // Nothing is held.
  }
}

function push(queue: Stream, type: string, object: object): void {
  queue.push(Buffer.from(`${JSON.stringify({ type, object })}\n`));
}

function reply(code: number, value: object): TransportResponse {
  return { code, retryAfter: undefined, body: once(Buffer.from(JSON.stringify(value))) };
}

function refuse(
  code: number,
  reason: "AlreadyExists" | "NotFound" | "Conflict",
): TransportResponse {
  return reply(code, new StatusError({ code, reason, message: reason }).toStatus());
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
