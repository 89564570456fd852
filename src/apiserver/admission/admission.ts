// Admission: what is asked of a write after rights and before the store. Plug-ins may change an object (before it is
// validated) and may refuse it (after). They know the kinds that they care about; the handlers know no plug-in.
//
// Plug-ins are synchronous: what they need to know is in the caches. A refusal that came from a cache which was not
// as new as the store is made again on the newer one, so that nobody is refused for what is no longer true.

import type { Kind } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import type { UserInfo } from "../user.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

export interface AdmissionRequest {
  readonly operation: Operation;
  /** Of the resource in the path, also for subresources. */
  readonly kind: Kind;
  /** "" for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  /** "" while it is still to be generated, and for a deletion of many. */
  readonly name: string;
  /**
   * What is to be stored: a plug-in's own to change. For subresources with a body of their own (binding, eviction,
   * token) that body. Undefined for DELETE and CONNECT.
   */
  readonly object: ApiObject | undefined;
  /** As stored now, shared: never change it. Undefined for CREATE, except of a subresource. */
  readonly old: ApiObject | undefined;
  readonly user: UserInfo;
  readonly isDryRun: boolean;
  readonly nowMs: number;
  /** Texts for Warning headers; add to it. */
  readonly warnings: string[];
  /** For the audit log: "pod-security.kubernetes.io/audit-violations" → text. Add to it. */
  readonly annotations: Map<string, string>;
}

export interface AdmissionPlugin {
  /** As in Kubernetes, where it has one: "PodSecurity". */
  readonly name: string;
  /** Changes the object, or throws a StatusError. May be called several times for one request. */
  mutate?(request: AdmissionRequest): void;
  /** Throws a StatusError if it must not be. May be called several times for one request. */
  judge?(request: AdmissionRequest): void;
}
