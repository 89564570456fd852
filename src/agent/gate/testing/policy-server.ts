// A server with DeliveryPolicies and nothing else, behind the client's transport. Its watch can be late, as real ones are.

import type { ApiObject } from "../../../api/object.ts";
import { notFound, type StatusError } from "../../../api/status-error.ts";
import { AsyncQueue } from "../../../base/async-queue.ts";
import type { Transport, TransportRequest, TransportResponse } from "../../../client/transport.ts";

const KIND = { group: "driftless.dev", resource: "deliverypolicies", kind: "DeliveryPolicy" };

export class PolicyServer implements Transport {
  readonly connections = 1;
  readonly isConnected = true;
  /** Given by a test, to say no. */
  refusal: StatusError | undefined;
  /** How often all were asked for. */
  lists = 0;
  /** Given by a test: answers are on their way for so long. */
  onTheWay: Promise<void> | undefined;
  readonly #policies = new Map<string, ApiObject>();
  readonly #streams = new Set<AsyncQueue<Uint8Array, "fail">>();
  #unsent: Uint8Array[] | undefined;
  #revision = 100;

  put(name: string, spec: object, annotations: Readonly<Record<string, string>> = {}): void {
    const before = this.#policies.get(name);
    const resourceVersion = String(++this.#revision);
    const uid = before?.metadata.uid ?? `uid-${resourceVersion}`;
    const generation = this.#revision;
    const metadata = { namespace: "default", name, uid, resourceVersion, generation, annotations };
    const object = { metadata, spec } as unknown as ApiObject;
    this.#policies.set(name, object);
    this.#send(before === undefined ? "ADDED" : "MODIFIED", object);
  }

  remove(name: string): void {
    const object = this.#policies.get(name);
    this.#policies.delete(name);
    if (object === undefined) return;
    const resourceVersion = String(++this.#revision);
    this.#send("DELETED", { ...object, metadata: { ...object.metadata, resourceVersion } });
  }

  /** The server knows no such kind. */
  forgetKind(): void {
    this.refusal = notFound(KIND, "");
  }

  /** Watches hear of nothing until they are let go on. */
  holdWatches(): void {
    this.#unsent ??= [];
  }

  letWatchesGoOn(): void {
    const unsent = this.#unsent ?? [];
    this.#unsent = undefined;
    for (const stream of this.#streams) for (const line of unsent) stream.push(line);
  }

  /** Watches end, and nobody learns what they were late with. */
  cutWatches(): void {
    this.#unsent = undefined;
    const gone = { kind: "Status", code: 410, reason: "Expired", message: "too old" };
    for (const stream of this.#streams) stream.push(line("ERROR", gone));
  }

  answers(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async send({ path, signal }: TransportRequest): Promise<TransportResponse> {
    await Promise.resolve();
    signal.throwIfAborted();
    const { refusal } = this;
    if (refusal !== undefined) return answer(refusal.code, refusal.toStatus());
    if (new URL(path, "http://x").searchParams.has("watch")) return this.#watch(signal);
    this.lists++;
    const metadata = { resourceVersion: String(this.#revision) };
    const items = [...this.#policies.values()];
    await this.onTheWay;
    return answer(200, { metadata, items });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  [Symbol.dispose](): void {
    this.#streams.clear();
  }

  #watch(signal: AbortSignal): TransportResponse {
    const queue = new AsyncQueue<Uint8Array, "fail">({ capacity: 1000, whenFull: "fail" });
    for (const object of this.#policies.values()) queue.push(line("ADDED", object));
    const annotations = { "k8s.io/initial-events-end": "true" };
    const metadata = { resourceVersion: String(this.#revision), annotations };
    queue.push(line("BOOKMARK", { metadata }));
    this.#streams.add(queue);
    signal.addEventListener("abort", () => {
      this.#streams.delete(queue);
      queue.abort(signal.reason);
    });
    return { code: 200, retryAfter: undefined, body: queue };
  }

  #send(type: string, object: object): void {
    const bytes = line(type, object);
    if (this.#unsent !== undefined) this.#unsent.push(bytes);
    else for (const stream of this.#streams) stream.push(bytes);
  }
}

function line(type: string, object: object): Uint8Array {
  return Buffer.from(`${JSON.stringify({ type, object })}\n`);
}

function answer(code: number, value: object): TransportResponse {
  return { code, retryAfter: undefined, body: once(Buffer.from(JSON.stringify(value))) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
