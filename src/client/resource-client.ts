// Reads and writes the objects of one kind. Each method is one request; what the server refuses is a StatusError.

import type { JsonValue } from "../api/json.ts";
import { apiVersionOf } from "../api/kind.ts";
import type { ApiObject } from "../api/object.ts";
import type { TokenRequest } from "../api/types.ts";
import type { ApiClient } from "./api-client.ts";
import {
  type Query,
  type ResourceKind,
  type ResourcePlace,
  resourcePath,
} from "./resource-path.ts";
import type { Method } from "./transport.ts";

type PatchType = "json" | "merge" | "strategic" | "apply";

const CONTENT_TYPES: Readonly<Record<PatchType, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  // YAML, of which JSON is a part.
  apply: "application/apply-patch+yaml",
};

export interface ObjectName {
  /** Missing for kinds that are not in namespaces. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface WriteOptions extends CallOptions {
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
}

export interface PatchOptions extends WriteOptions {
  readonly type: PatchType;
  readonly subresource?: string;
  /** Of apply: takes fields over from other managers. */
  readonly force?: boolean;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  readonly force?: boolean;
  readonly subresource?: string;
}

export interface DeleteOptions extends CallOptions {
  /** Refused with 409 if the object is another one, or has changed. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: boolean;
}

export interface ListOptions extends CallOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  /** At most so many in one answer. */
  readonly limit?: number;
  readonly continue?: string;
}

export interface ListPage<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** Asks for the next page; missing on the last. */
  readonly continue?: string;
}

export class ResourceClient<T extends ApiObject> {
  readonly kind: ResourceKind;
  readonly #client: ApiClient;

  constructor(client: ApiClient, kind: ResourceKind) {
    this.#client = client;
    this.kind = kind;
  }

  async get(
    of: ObjectName,
    options: CallOptions & { readonly resourceVersion?: string } = {},
  ): Promise<T> {
    const { resourceVersion, ...call } = options;
    return this.#ask("GET", { place: of, query: { resourceVersion }, ...call });
  }

  async list({ namespace, signal, ...query }: ListOptions = {}): Promise<ListPage<T>> {
    const asked = { place: { namespace }, query, ...(signal && { signal }) };
    const answer = await this.#ask<{
      readonly items?: readonly T[] | null;
      readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
    }>("GET", asked);
    const { resourceVersion = "", continue: next } = answer.metadata ?? {};
    return { items: answer.items ?? [], resourceVersion, ...(next && { continue: next }) };
  }

  /** Every object, page by page. Throws Expired if it takes longer than the server remembers. */
  async *all(options: ListOptions = {}): AsyncGenerator<T> {
    let page = await this.list({ limit: 500, ...options });
    yield* page.items;
    while (page.continue !== undefined) {
      const { resourceVersion: _, ...rest } = options;
      page = await this.list({ limit: 500, ...rest, continue: page.continue });
      yield* page.items;
    }
  }

  async create(object: T, options: WriteOptions = {}): Promise<T> {
    const { namespace } = object.metadata;
    return this.#write("POST", { place: { namespace }, body: object, options });
  }

  /** With a resourceVersion in it: refused with 409 if somebody else wrote in between. */
  async update(object: T, options: WriteOptions = {}): Promise<T> {
    return this.#write("PUT", { place: placeOf(object), body: object, options });
  }

  /** Changes nothing but the status. */
  async updateStatus(object: T, options: WriteOptions = {}): Promise<T> {
    const place = { ...placeOf(object), subresource: "status" };
    return this.#write("PUT", { place, body: object, options });
  }

  async patch(of: ObjectName, body: object, options: PatchOptions): Promise<T> {
    const { type, subresource, force, ...rest } = options;
    const place = { ...of, ...(subresource !== undefined && { subresource }) };
    const contentType = CONTENT_TYPES[type];
    return this.#write("PATCH", {
      place,
      body,
      options: rest,
      query: { force },
      contentType,
    });
  }

  /** Server-side apply: the fields in `object`, and no others, are ours. */
  async apply(object: T, options: ApplyOptions): Promise<T> {
    const { kind } = this;
    const body = { apiVersion: apiVersionOf(kind), kind: kind.kind, ...object };
    const { namespace, name = "" } = object.metadata;
    return this.patch({ namespace, name }, body, { ...options, type: "apply" });
  }

  /** What the server says: the object as it goes, or a Status. */
  async delete(of: ObjectName, options: DeleteOptions = {}): Promise<JsonValue> {
    const { signal, dryRun, ...rest } = options;
    const body = {
      kind: "DeleteOptions",
      apiVersion: "v1",
      ...rest,
      ...(dryRun === true && { dryRun: ["All"] }),
    };
    return this.#ask("DELETE", { place: of, body, ...(signal && { signal }) });
  }

  async #write<R = T>(
    method: Method,
    asked: {
      readonly place: ResourcePlace;
      readonly body: object;
      readonly options: WriteOptions;
      readonly query?: Query;
      readonly contentType?: string;
    },
  ): Promise<R> {
    const { options, query, ...rest } = asked;
    const { signal, dryRun, fieldManager, fieldValidation } = options;
    const all = {
      ...query,
      fieldManager,
      fieldValidation,
      ...(dryRun === true && { dryRun: "All" }),
    };
    return this.#ask(method, { ...rest, query: all, ...(signal && { signal }) });
  }

  async #ask<R = T>(
    method: Method,
    asked: {
      readonly place: ResourcePlace;
      readonly query?: Query;
      readonly body?: object;
      readonly contentType?: string;
      readonly signal?: AbortSignal;
    },
  ): Promise<R> {
    const { place, query, ...rest } = asked;
    const path = resourcePath(this.kind, place, query);
    return (await this.#client.request({ method, path, ...rest })) as R;
  }
}

const SERVICE_ACCOUNTS: ResourceKind = {
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  resource: "serviceaccounts",
  namespaced: true,
};

/** A new token for a service account. Its status has the token and when it expires. */
export async function requestToken(
  client: ApiClient,
  of: { readonly namespace: string; readonly name: string },
  request: { readonly spec: Partial<TokenRequest["spec"]>; readonly signal?: AbortSignal },
): Promise<TokenRequest> {
  const { spec, signal } = request;
  const answer = await client.request({
    method: "POST",
    path: resourcePath(SERVICE_ACCOUNTS, { ...of, subresource: "token" }),
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata: {}, spec },
    ...(signal && { signal }),
  });
  return answer as TokenRequest;
}

function placeOf({ metadata: { namespace, name = "" } }: ApiObject): ResourcePlace {
  return { namespace, name };
}
