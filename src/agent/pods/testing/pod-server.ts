// An API server in memory that has pods and nothing else: it takes them, gives them, patches their status and deletes them, and tells
// those who watch.

import type { JsonObject } from "../../../api/json.ts";
import { kindOf } from "../../../api/kinds.ts";
import { applyStrategicMerge } from "../../../api/patch/strategic-merge.ts";
import { alreadyExists, conflict, notFound, StatusError } from "../../../api/status-error.ts";
import type { Pod } from "../../../api/types.ts";
import { AsyncQueue } from "../../../base/async-queue.ts";
import {
  ConnectError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "../../../client/transport.ts";

const named = { group: "", resource: "pods", kind: "Pod" };

export class PodServer implements Transport {
  readonly connections = 1;
  readonly isConnected = true;
  /** "PATCH web/status", without lists and watches. */
  readonly requests: string[] = [];
  readonly bodies: JsonObject[] = [];
  readonly pods: Map<string, Pod> = new Map();
  /** The next requests that change something get these. */
  readonly refusals: StatusError[] = [];
  isAway = false;
  /** While set, answers to patches wait for it. */
  patching: Promise<void> | undefined;
  readonly #streams = new Set<AsyncQueue<Uint8Array, "fail">>();
  #version = 100;
  #uids = 0;

  answers(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    await Promise.resolve();
    request.signal.throwIfAborted();
    if (this.isAway) throw new ConnectError("no connection");
    try {
      return await this.#answer(request);
    } catch (err) {
      if (err instanceof StatusError) return answer(err.code, err.toStatus());
      throw err;
    }
  }

  /** As somebody else would. */
  put(pod: Pod): void {
    const { name = "", uid } = pod.metadata;
    const type = this.pods.get(name)?.metadata.uid === uid ? "MODIFIED" : "ADDED";
    this.#store(type, { ...pod, metadata: { ...pod.metadata, resourceVersion: this.#next() } });
  }

  remove(name: string): void {
    const pod = this.pods.get(name);
    this.pods.delete(name);
    if (pod !== undefined) this.#tell("DELETED", pod);
  }

  /** As a server does from time to time. */
  endWatches(): void {
    for (const queue of this.#streams) queue.close();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  [Symbol.dispose](): void {
    for (const queue of this.#streams) queue.close();
  }

  async #answer({ method, path, signal, body }: TransportRequest): Promise<TransportResponse> {
    const url = new URL(path, "http://x");
    const [, , , , , , name = "", subresource = ""] = url.pathname.split("/");
    if (method === "GET" && name === "") {
      return url.searchParams.has("watch") ? this.#watch(signal) : this.#list();
    }
    this.requests.push(`${method} ${[name, subresource].filter(Boolean).join("/")}`.trim());
    if (method === "GET") return answer(200, this.#found(name));
    const sent = JSON.parse(Buffer.from(body ?? "{}").toString()) as JsonObject;
    this.bodies.push(sent);
    if (method === "PATCH") await this.patching;
    const refusal = this.refusals.shift();
    if (refusal !== undefined) throw refusal;
    if (method === "POST") return this.#create(sent as unknown as Pod);
    const pod = this.#found(name);
    return method === "PATCH" ? this.#patch(pod, sent) : this.#delete(pod, sent);
  }

  #found(name: string): Pod {
    const pod = this.pods.get(name);
    if (pod === undefined) throw notFound(named, name);
    return pod;
  }

  #create(pod: Pod): TransportResponse {
    const { name = "" } = pod.metadata;
    if (this.pods.has(name)) throw alreadyExists(named, name);
    const metadata = {
      ...pod.metadata,
      uid: `made-${++this.#uids}`,
      resourceVersion: this.#next(),
    };
    return this.#store("ADDED", { ...pod, metadata });
  }

  #patch(pod: Pod, patch: JsonObject): TransportResponse {
    const { name = "", uid } = pod.metadata;
    const { uid: wanted } = (patch["metadata"] ?? {}) as { readonly uid?: string };
    if (wanted !== undefined && wanted !== uid) throw conflict(named, name, "another uid");
    const schema = kindOf("v1", "Pod")?.schema;
    if (schema === undefined) throw new Error("there are no pods in the API");
    const patched = applyStrategicMerge(schema, pod as unknown as JsonObject, patch);
    const metadata = { ...pod.metadata, resourceVersion: this.#next() };
    return this.#store("MODIFIED", { ...(patched as unknown as Pod), metadata });
  }

  #delete(pod: Pod, options: JsonObject): TransportResponse {
    const { name = "", uid } = pod.metadata;
    const { uid: wanted } = (options["preconditions"] ?? {}) as { readonly uid?: string };
    if (wanted !== undefined && wanted !== uid) throw conflict(named, name, "another uid");
    this.remove(name);
    return answer(200, pod);
  }

  #list(): TransportResponse {
    const metadata = { resourceVersion: String(this.#version) };
    return answer(200, { metadata, items: [...this.pods.values()] });
  }

  #watch(signal: AbortSignal): TransportResponse {
    const queue = new AsyncQueue<Uint8Array, "fail">({ capacity: 1000, whenFull: "fail" });
    this.#streams.add(queue);
    signal.addEventListener("abort", () => {
      this.#streams.delete(queue);
      queue.abort(signal.reason);
    });
    for (const pod of this.pods.values()) queue.push(line("ADDED", pod));
    const annotations = { "k8s.io/initial-events-end": "true" };
    const metadata = { resourceVersion: String(this.#version), annotations };
    queue.push(line("BOOKMARK", { kind: "Pod", metadata }));
    return { code: 200, retryAfter: undefined, body: queue };
  }

  #store(type: string, pod: Pod): TransportResponse {
    this.pods.set(pod.metadata.name ?? "", pod);
    this.#tell(type, pod);
    return answer(200, pod);
  }

  #tell(type: string, pod: Pod): void {
    for (const queue of this.#streams) queue.push(line(type, pod));
  }

  #next(): string {
    return String(++this.#version);
  }
}

function line(type: string, object: object): Uint8Array {
  return Buffer.from(`${JSON.stringify({ type, object })}\n`);
}

function answer(code: number, value: object): TransportResponse {
  const bytes = Buffer.from(JSON.stringify(value));
  return { code, retryAfter: undefined, body: once(bytes) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
