// How handlers ask admission.

import type { ApiObject } from "../../api/object.ts";
import type { AdmissionRequest, Operation } from "../admission/admission.ts";
import type { RequestContext } from "./context.ts";

export interface Admitted {
  readonly operation: Operation;
  readonly object?: ApiObject | undefined;
  readonly old?: ApiObject | undefined;
  readonly isDryRun: boolean;
  /** If they are not those of the path. */
  readonly name?: string;
  readonly namespace?: string;
}

export function admissionRequest(
  { resource, info, user, nowMs, warnings, annotations }: RequestContext,
  { operation, object, old, isDryRun, name, namespace }: Admitted,
): AdmissionRequest {
  return {
    operation,
    kind: resource.kind,
    subresource: info.subresource,
    namespace: namespace ?? info.namespace,
    name: name ?? (info.name || (object?.metadata.name ?? "")),
    object,
    old,
    user,
    isDryRun,
    nowMs,
    warnings,
    annotations,
  };
}

/**
 * Does what asks admission. If it is refused, and the caches turn out to be older than the store, it is done once more:
 * nobody is refused for what is no longer true.
 */
export async function admitted<T>(
  { parts }: RequestContext,
  work: () => T | Promise<T>,
): Promise<T> {
  const { admission, cache } = parts;
  const seen = cache.revision;
  try {
    return await work();
  } catch (err) {
    if (!admission.isRefusal(err)) throw err;
    await cache.fresh();
    if (cache.revision === seen) throw err;
    return work();
  }
}
