// The documents that describe the server: discovery, OpenAPI, version. Made when first asked for, then kept, since
// they do not change while the server runs.

import { createHash } from "node:crypto";
import {
  apiGroupDocument,
  apiGroupListDocument,
  apiResourceListDocument,
  apiVersionsDocument,
  groupDiscoveryDocument,
} from "../api/discovery.ts";
import type { Kind } from "../api/kind.ts";
import { encodeOpenApiV2 } from "../api/openapi/encode-openapi-v2.ts";
import { openApiV2 } from "../api/openapi/openapi-v2.ts";
import { openApiV3At, openApiV3Index } from "../api/openapi/openapi-v3.ts";
import { type Answer, type HttpRequest, JSON_TYPE, jsonAnswer, textAnswer } from "./http/answer.ts";
import { mediaType } from "./http/media-type.ts";

export interface DocumentsOptions {
  readonly kinds: readonly Kind[];
  readonly version: object;
  /** "host:port", known once the server listens. */
  readonly serverAddress: () => string;
  /** Paths besides those of kinds, for the index. */
  readonly paths: readonly string[];
}

const V2_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

interface Entry {
  readonly body: Uint8Array;
  readonly etag: string;
}

export class Documents {
  readonly #options: DocumentsOptions;
  readonly #made = new Map<string, Entry>();

  constructor(options: DocumentsOptions) {
    this.#options = { ...options, kinds: options.kinds.map(withHash) };
  }

  hasGroup(group: string): boolean {
    return this.#options.kinds.some((kind) => kind.group === group);
  }

  /** Undefined if the path names no document. */
  answer(path: string, request: HttpRequest): Answer | undefined {
    if (path === "/version") return jsonAnswer(200, this.#options.version);
    if (path.startsWith("/openapi/")) return this.#openApi(path, request);
    return this.#discovery(path, request);
  }

  #discovery(path: string, request: HttpRequest): Answer | undefined {
    const { kinds, serverAddress, paths } = this.#options;
    if ((path === "/api" || path === "/apis") && wantsAggregated(request)) {
      const make = (): object => groupDiscoveryDocument(kinds, { path, format: "v2" });
      return this.#kept({ id: `aggregated ${path}`, make, contentType: AGGREGATED, request });
    }
    if (path === "/") return jsonAnswer(200, { paths: indexOf(kinds, paths) });
    const [root, group = "", version = "", ...rest] = path.split("/").slice(1);
    if (rest.length > 0) return undefined;
    if (root === "api" && version === "") {
      return group === ""
        ? jsonAnswer(200, apiVersionsDocument(kinds, serverAddress()))
        : jsonOrNothing(apiResourceListDocument(kinds, "", group));
    }
    return root === "apis" ? groupDocument(kinds, group, version) : undefined;
  }

  #openApi(path: string, request: HttpRequest): Answer | undefined {
    const { kinds } = this.#options;
    if (path === "/openapi/v2") return this.#openApiV2(request);
    if (path === "/openapi/v3") {
      const make = (): object => openApiV3Index(kinds);
      return this.#kept({ id: path, make, contentType: JSON_TYPE, request });
    }
    const make = (): object | undefined => openApiV3At(kinds, path.slice("/openapi/v3/".length));
    const answer = this.#kept({ id: path, make, contentType: JSON_TYPE, request });
    if (answer === undefined) return undefined;
    const isNamed = request.url?.includes("hash=") === true;
    // With the hash in its address the document never changes.
    return isNamed
      ? { ...answer, headers: { ...answer.headers, "cache-control": "public, immutable" } }
      : answer;
  }

  #openApiV2(request: HttpRequest): Answer | undefined {
    const { kinds } = this.#options;
    const id = "/openapi/v2";
    const types = (request.headers.accept ?? "*/*").split(",").map((text) => mediaType(text).type);
    // Clients ask with "@" and understand only "." in the answer.
    if (types.some((type) => type.includes("proto-openapi.spec.v2"))) {
      const make = (): Uint8Array => encodeOpenApiV2(openApiV2(kinds));
      return this.#kept({ id: `${id} protobuf`, make, contentType: V2_PROTOBUF, request });
    }
    if (types.some((type) => ["application/json", "application/*", "*/*"].includes(type))) {
      const make = (): object => openApiV2(kinds);
      return this.#kept({ id, make, contentType: JSON_TYPE, request });
    }
    return { code: 406, contentType: "", body: [] };
  }

  #kept(options: {
    readonly id: string;
    readonly make: () => object | undefined;
    readonly contentType: string;
    readonly request: HttpRequest;
  }): Answer | undefined {
    const { id, make, contentType, request } = options;
    let entry = this.#made.get(id);
    if (entry === undefined) {
      const value = make();
      if (value === undefined) return undefined;
      const body = value instanceof Uint8Array ? value : Buffer.from(JSON.stringify(value));
      const etag = `"${createHash("sha512").update(body).digest("hex").toUpperCase()}"`;
      entry = { body, etag };
      this.#made.set(id, entry);
    }
    const headers = { etag: entry.etag, vary: "Accept", "cache-control": "public" };
    if (request.headers["if-none-match"] === entry.etag) {
      return { code: 304, contentType: "", body: [], headers };
    }
    return { code: 200, contentType, body: [entry.body], headers };
  }
}

/** Of what is stored. Events are in the core form, whichever way they are served. */
function withHash(kind: Kind): Kind {
  if (!kind.verbs.includes("watch")) return kind;
  const group = kind.resource === "events" ? "" : kind.group;
  const name = `${group}/${kind.version}/${kind.kind}`;
  const digest = createHash("sha256").update(name).digest().subarray(0, 8);
  return { ...kind, storageVersionHash: digest.toString("base64") };
}

function wantsAggregated({ headers }: HttpRequest): boolean {
  return (headers.accept ?? "").split(",").some((text) => {
    const { parameters } = mediaType(text);
    return parameters.get("as") === "APIGroupDiscoveryList" && parameters.get("v") === "v2";
  });
}

function groupDocument(kinds: readonly Kind[], group: string, version: string): Answer | undefined {
  if (group === "") return jsonAnswer(200, apiGroupListDocument(kinds));
  if (version === "") return jsonOrNothing(apiGroupDocument(kinds, group));
  return jsonOrNothing(apiResourceListDocument(kinds, group, version));
}

function jsonOrNothing(document: object | undefined): Answer | undefined {
  return document && jsonAnswer(200, document);
}

function indexOf(kinds: readonly Kind[], others: readonly string[]): readonly string[] {
  const paths = kinds.flatMap(({ group, version }) =>
    group === ""
      ? ["/api", `/api/${version}`]
      : ["/apis", `/apis/${group}`, `/apis/${group}/${version}`],
  );
  return [...new Set([...paths, ...others])].sort();
}

export function pageNotFound(): Answer {
  return textAnswer(404, "404 page not found\n");
}
