// A simulated cluster whose server also tells what it serves, as newer or older ones do, and may serve less from one moment to the next.

import {
  apiGroupListDocument,
  apiResourceListDocument,
  apiVersionsDocument,
  groupDiscoveryDocument,
} from "../../../api/discovery.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../api/json.ts";
import { apiVersionOf, type Kind } from "../../../api/kind.ts";
import { kindOf, kinds } from "../../../api/kinds.ts";
import type { ApiObject } from "../../../api/object.ts";
import { StatusError, unknownResource } from "../../../api/status-error.ts";
import { ApiClient } from "../../../client/api-client.ts";
import type { Transport, TransportRequest, TransportResponse } from "../../../client/transport.ts";
import type { ControllerContext } from "../../../controller/controller-context.ts";
import { SimCluster } from "../../../controller/testing/sim-cluster.ts";

export class ServedCluster extends SimCluster {
  /** One document, or one per group and version. */
  discovery: "aggregated" | "legacy" = "aggregated";
  /** What it serves. */
  kinds: readonly Kind[] = kinds;
  /** "group/version" of what cannot be told at the moment. */
  readonly unclear: Set<string> = new Set();
  /** What lists leave out, as those of a server that was set back to an earlier time. */
  isHidden: (object: ApiObject) => boolean = () => false;

  override get context(): ControllerContext {
    const { clock, random } = this;
    const inner = super.context;
    const connection = { server: "https://sim", isInsecure: false, namespace: "default" };
    const transport = this.#transportTo(inner.client);
    return {
      ...inner,
      client: new ApiClient({ connection, clock, timeoutMs: 60_000, random, transport }),
    };
  }

  #transportTo(client: ApiClient): Transport {
    return {
      isConnected: true,
      connections: 1,
      answers: () => Promise.resolve(true),
      send: (request) => this.#send(client, request),
      close: () => Promise.resolve(),
      [Symbol.dispose]() {},
    };
  }

  async #send(client: ApiClient, request: TransportRequest): Promise<TransportResponse> {
    const { method, path, headers, body, signal } = request;
    const asked = {
      ...{ method, path, signal },
      ...(body && { body: JSON.parse(Buffer.from(body).toString()) as object }),
      ...(headers["content-type"] && { contentType: headers["content-type"] }),
    };
    try {
      const document = this.#document(path, headers["accept"] ?? "");
      if (document !== undefined) return answer(200, document);
      if (!this.#isServed(path)) throw unknownResource();
      if (!path.includes("watch=1")) return answer(200, this.#shown(await client.request(asked)));
      return { code: 200, retryAfter: undefined, body: await client.stream(asked) };
    } catch (err) {
      if (err instanceof StatusError) return answer(err.code, err.toStatus());
      throw err;
    }
  }

  #shown(value: JsonValue): JsonValue {
    if (!isJsonObject(value) || !Array.isArray(value["items"])) return value;
    const items = value["items"].filter((object) => !this.isHidden(object as ApiObject));
    return { ...value, items };
  }

  #document(path: string, accept: string): JsonObject | undefined {
    if (path === "/api" || path === "/apis") {
      if (this.discovery === "aggregated" && accept.includes("APIGroupDiscoveryList")) {
        return this.#aggregated(path);
      }
      return path === "/api"
        ? apiVersionsDocument(this.kinds, "")
        : apiGroupListDocument(this.kinds);
    }
    const [, group = "", version = ""] = /^\/apis?\/(?:([^/]+)\/)?([^/?]+)$/.exec(path) ?? [];
    if (version === "") return undefined;
    if (this.unclear.has(apiVersionOf({ group, version }))) {
      const message = "the server is currently unable to handle the request";
      throw new StatusError({ code: 500, reason: "ServiceUnavailable", message });
    }
    return apiResourceListDocument(this.kinds, group, version);
  }

  #aggregated(path: "/api" | "/apis"): JsonObject {
    const document = groupDiscoveryDocument(this.kinds, { path, format: "v2" });
    for (const { metadata, versions } of document["items"] as unknown as AggregatedItem[]) {
      for (const one of versions) {
        const apiVersion = apiVersionOf({ group: metadata.name ?? "", version: one.version });
        if (this.unclear.has(apiVersion)) Object.assign(one, { freshness: "Stale", resources: [] });
      }
    }
    return document;
  }

  #isServed(path: string): boolean {
    const parts = (path.split("?")[0] ?? "").split("/").slice(1);
    const rest = parts.slice(parts[0] === "api" ? 2 : 3);
    const isInside = rest[0] === "namespaces" && rest[2] !== undefined && rest[2] !== "finalize";
    const resource = isInside && rest[2] !== "status" ? rest[2] : rest[0];
    return this.kinds.some((kind) => kind.resource === resource);
  }
}

interface AggregatedItem {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly { readonly version: string }[];
}

/** A kind that is surely there. */
export function kindNamed(apiVersion: string, kind: string): Kind {
  const found = kindOf(apiVersion, kind);
  if (found === undefined) throw new Error(`there is no kind ${kind} in ${apiVersion}`);
  return found;
}

function answer(code: number, value: unknown): TransportResponse {
  return { code, retryAfter: undefined, body: once(Buffer.from(JSON.stringify(value))) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
