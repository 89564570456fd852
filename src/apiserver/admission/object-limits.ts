// A server holds all its objects in memory: a client that creates without end must not take the others down with it.
// These bounds are far above what is meant to be used; for less there are ResourceQuotas.

import { qualifiedResource } from "../../api/kind.ts";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.ts";
import type { ObjectCounts } from "./object-counts.ts";
import { refusal } from "./refusal.ts";

export interface ObjectLimit {
  /** Objects of one kind in the whole server. */
  readonly maxPerKind: number;
  /** Objects of one kind in one namespace. */
  readonly maxPerNamespace: number;
}

/** 100,000 small objects take some hundred megabytes. One namespace gets no more than half of that. */
const defaultObjectLimit: ObjectLimit = { maxPerKind: 100_000, maxPerNamespace: 50_000 };

export interface ObjectLimitsOptions {
  readonly counts: ObjectCounts;
  readonly limit?: ObjectLimit;
  /** Other bounds for some kinds: "configmaps", "deployments.apps". */
  readonly limitsByResource?: { readonly [resource: string]: Partial<ObjectLimit> };
}

export class ObjectLimits implements AdmissionPlugin {
  readonly name = "ObjectLimits";
  readonly #options: ObjectLimitsOptions;

  constructor(options: ObjectLimitsOptions) {
    this.#options = options;
  }

  /** Requests that are under way at the same time do not see each other: they may go beyond by as many as they are. */
  judge(request: AdmissionRequest): void {
    const { operation, subresource, kind, namespace } = request;
    if (operation !== "CREATE" || subresource !== "") return;
    const { counts } = this.#options;
    const resource = qualifiedResource(kind);
    const { maxPerKind, maxPerNamespace } = this.#limitOf(resource);
    const total = counts.inAll(kind);
    if (total >= maxPerKind) {
      throw refusal(
        request,
        `the server has ${total} ${resource} already, and holds no more than ${maxPerKind}`,
      );
    }
    const here = kind.namespaced ? counts.inNamespace(kind, namespace) : 0;
    if (here < maxPerNamespace) return;
    throw refusal(
      request,
      `namespace ${namespace} has ${here} ${resource} already, and holds no more than ${maxPerNamespace}`,
    );
  }

  #limitOf(resource: string): ObjectLimit {
    const { limit = defaultObjectLimit, limitsByResource = {} } = this.#options;
    return Object.hasOwn(limitsByResource, resource)
      ? { ...limit, ...limitsByResource[resource] }
      : limit;
  }
}
