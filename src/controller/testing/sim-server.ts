// The simulated cluster's API server, behind the client's transport: reads a request, finds the verb, and answers. What goes wrong on
// the way (refusals, connections that break before or after the server has done its work) is chosen by whoever sets `refuse`.

import { isJsonObject, type JsonObject, type JsonValue } from "../../api/json.ts";
import { apiVersionOf, type Kind } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import {
  internalError,
  isNotFound,
  methodNotAllowed,
  notFound,
  StatusError,
  unknownResource,
} from "../../api/status-error.ts";
import { describe } from "../../base/errors.ts";
import type {
  Method,
  Transport,
  TransportRequest,
  TransportResponse,
} from "../../client/transport.ts";
import type { SimDeleteOptions } from "./sim-deletion.ts";
import { discoveryDocument } from "./sim-discovery.ts";
import { servedResource } from "./sim-kinds.ts";
import { patcher } from "./sim-patch.ts";
import { rulesOf } from "./sim-rules.ts";
import { selectionOf } from "./sim-selection.ts";
import type { SimStore } from "./sim-store.ts";
import { bound, scaleOf, withFinalizers, withReplicas } from "./sim-subresources.ts";
import { type SimWatches, textOf } from "./sim-watches.ts";
import { decoded, type SimPlace, type SimWriter, settlePlace } from "./sim-writer.ts";

export type SimVerb =
  | "create"
  | "delete"
  | "deletecollection"
  | "get"
  | "list"
  | "patch"
  | "update"
  | "watch";

export interface SimRequest extends SimPlace {
  readonly verb: SimVerb;
  readonly kind: Kind;
  readonly query: URLSearchParams;
  readonly body: JsonValue | undefined;
  readonly contentType: string;
  /** Who asks. */
  readonly by: string;
}

/**
 * What becomes of a request besides being served: a refusal; "cut": the connection breaks before the server has read it; "lost": the
 * server does what was asked, and the connection breaks before its answer arrives.
 */
export type SimFault = StatusError | "cut" | "lost";

export interface SimServerParts {
  readonly store: SimStore;
  readonly writer: SimWriter;
  readonly watches: SimWatches;
  /** Before anything else: delays the request. */
  readonly arrive: (request: SimRequest, signal: AbortSignal) => Promise<void>;
  readonly faultFor: (request: SimRequest) => SimFault | undefined;
}

export class SimServer {
  readonly #parts: SimServerParts;
  /** How many requests were answered. */
  answered = 0;

  constructor(parts: SimServerParts) {
    this.#parts = parts;
  }

  /** As one client uses it. */
  transportFor(by: string): Transport {
    return {
      isConnected: true,
      connections: 1,
      answers: () => Promise.resolve(true),
      send: (request) => this.#send(request, by),
      close: () => Promise.resolve(),
      [Symbol.dispose]() {},
    };
  }

  async #send(sent: TransportRequest, by: string): Promise<TransportResponse> {
    sent.signal.throwIfAborted();
    const document = discoveryDocument(sent.path, sent.headers["accept"] ?? "");
    if (document !== undefined) return answerText(200, JSON.stringify(document));
    try {
      const request = parsed(sent, by);
      await this.#parts.arrive(request, sent.signal);
      sent.signal.throwIfAborted();
      const fault = this.#parts.faultFor(request);
      if (fault === "cut") throw new Error("the connection was lost");
      if (fault instanceof StatusError) throw fault;
      const answer = this.#answer(request, sent.signal);
      if (fault === "lost") throw new Error("the connection was lost");
      return answer;
    } catch (err) {
      if (err instanceof StatusError) return refused(err);
      throw err;
    } finally {
      this.answered++;
    }
  }

  #answer(request: SimRequest, signal: AbortSignal): TransportResponse {
    try {
      if (request.verb === "watch") return this.#watch(request, signal);
      return this.#verb(request);
    } catch (err) {
      if (err instanceof StatusError) throw err;
      throw internalError(describe(err), err);
    }
  }

  #watch({ kind, namespace, name, query }: SimRequest, signal: AbortSignal): TransportResponse {
    const selection = selectionOf(kind, { namespace, name, query });
    const body = this.#parts.watches.watch({ kind, selection, query, signal });
    return { code: 200, retryAfter: undefined, body };
  }

  #verb(request: SimRequest): TransportResponse {
    const { kind, subresource, verb, by, namespace } = request;
    if (subresource !== "" && !["status", "scale", "finalize"].includes(subresource)) {
      return this.#act(request);
    }
    switch (verb) {
      case "get":
        return this.#get(request);
      case "list":
        return this.#list(request);
      case "create":
        return answer(201, this.#parts.writer.create(kind, bodyOf(request), { by, namespace }));
      case "update":
      case "patch":
        return this.#update(request);
      case "delete":
        return this.#delete(request);
      case "deletecollection":
        return this.#deleteAll(request);
      case "watch":
        throw methodNotAllowed();
    }
  }

  #get({ kind, namespace, name, subresource }: SimRequest): TransportResponse {
    const object = this.#parts.store.get(kind, kind.namespaced ? `${namespace}/${name}` : name);
    if (object === undefined) throw notFound(kind, name);
    return answer(200, subresource === "scale" ? scaleOf(object) : object);
  }

  #list(request: SimRequest): TransportResponse {
    const items = this.#selected(request).map((object) => JSON.stringify(listed(object)));
    const head = { kind: `${request.kind.kind}List`, apiVersion: apiVersionOf(request.kind) };
    const metadata = { resourceVersion: String(this.#parts.store.revision) };
    const text = JSON.stringify({ ...head, metadata });
    return answerText(200, `${text.slice(0, -1)},"items":[${items.join(",")}]}`);
  }

  #selected({ kind, namespace, name, query }: SimRequest): ApiObject[] {
    const selection = selectionOf(kind, { namespace, name, query });
    return this.#parts.store.list(kind, selection.namespace).filter(selection.matches);
  }

  #update(request: SimRequest): TransportResponse {
    const { kind, namespace, subresource, verb, by } = request;
    const { writer } = this.#parts;
    const isWhole = verb === "update";
    if (isWhole && this.#mayCreate(request)) {
      const { resourceVersion: _, uid: __, ...metadata } = wholeOf(kind, request).metadata;
      const sent = { ...bodyOf(request), metadata };
      return answer(201, writer.create(kind, sent, { by, namespace }));
    }
    const isScale = subresource === "scale";
    const place = { ...request, subresource: isScale ? "" : subresource };
    const stored = writer.update(kind, place, { produce: producer(request), isWhole, by });
    return answer(200, isScale ? scaleOf(stored) : stored);
  }

  #mayCreate({ kind, namespace, name, subresource }: SimRequest): boolean {
    if (subresource !== "" || rulesOf(kind).createsOnUpdate !== true) return false;
    return (
      this.#parts.store.get(kind, kind.namespaced ? `${namespace}/${name}` : name) === undefined
    );
  }

  #delete(request: SimRequest): TransportResponse {
    const { kind, name, by } = request;
    const { object, isGone } = this.#parts.writer.delete(kind, request, {
      ...deleteOptions(request),
      by,
    });
    if (!isGone || rulesOf(kind).returnsDeleted === true) return answer(200, object);
    const { uid = "" } = object.metadata;
    const group = kind.group === "" ? {} : { group: kind.group };
    return success(200, { name, ...group, kind: kind.resource, uid });
  }

  #deleteAll(request: SimRequest): TransportResponse {
    const { kind, by } = request;
    const items = this.#selected(request);
    for (const { metadata } of items) {
      const { namespace = "", name = "" } = metadata;
      try {
        const place = { namespace, name, subresource: "" };
        this.#parts.writer.delete(kind, place, { ...deleteOptions(request), by });
      } catch (err) {
        if (!isNotFound(err)) throw err;
      }
    }
    return answer(200, {
      kind: `${kind.kind}List`,
      apiVersion: apiVersionOf(kind),
      metadata: {},
      items: items.map(listed),
    });
  }

  /** Subresources that are deeds: binding and eviction. */
  #act(request: SimRequest): TransportResponse {
    const { kind, subresource, verb, by, namespace, name } = request;
    const { writer } = this.#parts;
    const place = { namespace, name, subresource: "" };
    if (kind.kind !== "Pod" || verb !== "create") throw unknownResource();
    if (subresource === "binding") {
      const binding = bodyOf(request);
      const produce = (pod: ApiObject): ApiObject => bound(kind, pod, { binding, now: writer.now });
      writer.write(kind, place, { produce, by });
    } else if (subresource === "eviction") {
      const { deleteOptions: options } = bodyOf(request);
      writer.delete(kind, place, {
        ...(isJsonObject(options) && (options as SimDeleteOptions)),
        by,
      });
    } else {
      throw unknownResource();
    }
    return success(201);
  }
}

/** Lists say once what their objects are. */
function listed(item: ApiObject): ApiObject {
  const { kind: _, apiVersion: __, ...object } = item;
  return object;
}

/** Makes the new object of the live one, as the request asks. */
function producer(request: SimRequest): (live: ApiObject) => ApiObject {
  const { kind, subresource, verb } = request;
  const of = subresource === "scale" ? scaleKind(kind) : kind;
  const make = verb === "update" ? () => wholeOf(of, request) : patcher(of, request);
  switch (subresource) {
    case "scale":
      return (live) => withReplicas(live, make(scaleOf(live)));
    case "finalize":
      return (live) => withFinalizers(live, make(structuredClone(live)));
    default:
      return (live) => make(structuredClone(live));
  }
}

function wholeOf(kind: Kind, request: SimRequest): ApiObject {
  const object = decoded(kind, bodyOf(request));
  settlePlace(kind, object, request);
  return object;
}

function scaleKind(kind: Kind): Kind {
  const found = kind.subresources.find(({ name }) => name === "scale");
  if (found === undefined) throw unknownResource();
  return { ...kind, ...found, resource: "scales", subresources: [] };
}

function deleteOptions({ body, query }: SimRequest): SimDeleteOptions {
  if (isJsonObject(body)) return body as SimDeleteOptions;
  const grace = query.get("gracePeriodSeconds");
  const policy = query.get("propagationPolicy");
  return {
    ...(grace !== null && { gracePeriodSeconds: Number(grace) }),
    ...(policy !== null && { propagationPolicy: policy }),
  };
}

function bodyOf({ body }: SimRequest): JsonObject {
  return isJsonObject(body) ? body : {};
}

const verbs: Readonly<Record<Method, readonly [ofOne: SimVerb, ofAll: SimVerb]>> = {
  GET: ["get", "list"],
  POST: ["create", "create"],
  PUT: ["update", "update"],
  PATCH: ["patch", "patch"],
  DELETE: ["delete", "deletecollection"],
};

function parsed({ method, path, body, headers }: TransportRequest, by: string): SimRequest {
  const url = new URL(path, "http://sim");
  const parts = url.pathname
    .split("/")
    .filter((part) => part !== "")
    .map(decodeURIComponent);
  const [group = "", version = "", rest] =
    parts[0] === "api" ? ["", parts[1], parts.slice(2)] : [parts[1], parts[2], parts.slice(3)];
  const place = placeIn(rest ?? []);
  const isWatch = method === "GET" && ["1", "true"].includes(url.searchParams.get("watch") ?? "");
  const [ofOne, ofAll] = verbs[method];
  return {
    ...place,
    verb: isWatch ? "watch" : place.name === "" ? ofAll : ofOne,
    kind: servedResource(group, version, place.resource),
    query: url.searchParams,
    body: body === undefined ? undefined : (JSON.parse(Buffer.from(body).toString()) as JsonValue),
    contentType: headers["content-type"] ?? "",
    by,
  };
}

function placeIn(rest: readonly string[]): SimPlace & { readonly resource: string } {
  const [first = "", second = "", third = "", fourth = "", fifth = ""] = rest;
  if (first !== "namespaces" || third === "" || third === "status" || third === "finalize") {
    return { namespace: "", resource: first, name: second, subresource: third };
  }
  return { namespace: second, resource: third, name: fourth, subresource: fifth };
}

function refused(err: StatusError): TransportResponse {
  const retryAfter = err.details?.retryAfterSeconds;
  const text = JSON.stringify(err.toStatus());
  return {
    ...answerText(err.code, text),
    retryAfter: retryAfter === undefined ? undefined : String(retryAfter),
  };
}

function success(code: number, details?: JsonObject): TransportResponse {
  const head = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" };
  return answerText(
    code,
    JSON.stringify(details === undefined ? { ...head, code } : { ...head, details }),
  );
}

function answer(code: number, object: object): TransportResponse {
  return answerText(code, textOf(object as ApiObject));
}

function answerText(code: number, text: string): TransportResponse {
  return { code, retryAfter: undefined, body: once(Buffer.from(text)) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
