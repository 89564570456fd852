// One rule of the NodeRestriction plug-in, and how it refuses.

import type { ApiObject } from "../../api/object.ts";
import { notFound, type StatusError } from "../../api/status-error.ts";
import type { Pod } from "../../api/types.ts";
import { text } from "../../api/validation/absent.ts";
import { goQuote } from "../../api/validation/go-text.ts";
import type { AdmissionRequest } from "../admission/admission.ts";
import { refusal as refused } from "../admission/refusal.ts";
import type { KindCache } from "../cache/kind-cache.ts";

/** What rules look things up in. */
export interface RestrictionCaches {
  readonly pods: KindCache;
  readonly nodes: KindCache;
}

export interface NodeWrite {
  readonly node: string;
  readonly request: AdmissionRequest;
  readonly caches: RestrictionCaches;
}

/** Throws if the node must not. */
export type Restriction = (write: NodeWrite) => void;

/** The object's name, known or not yet in the path. */
export function nameIn({ name, object }: AdmissionRequest): string {
  return name === "" ? text(object?.metadata.name) : name;
}

export function refusal({ request }: Pick<NodeWrite, "request">, why: string): StatusError {
  return refused(request, why);
}

export function unexpectedOperation(write: NodeWrite): StatusError {
  return refusal(write, `unexpected operation ${goQuote(write.request.operation)}`);
}

/** A pod of the request's namespace. Throws NotFound. */
export function podNamed({ request, caches }: NodeWrite, name: string): ApiObject & Pod {
  const found = caches.pods.get(`${request.namespace}/${name}`);
  if (found === undefined) throw notFound({ group: "", resource: "pods", kind: "Pod" }, name);
  return found.object as ApiObject & Pod;
}

export function isBoundTo(node: string, { spec }: Pod): boolean {
  return spec.nodeName === node;
}
