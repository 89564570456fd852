// May they? One question, one answer with a reason.

import type { NonResourceRule, ResourceRule } from "../api/types.ts";
import type { UserInfo } from "./user.ts";

/** What somebody wants to do: to a resource, or to another path. */
export interface Action {
  readonly user: UserInfo;
  readonly verb: string;
  readonly isResource: boolean;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Only if it is not a resource. */
  readonly path: string;
  /** What the field selector of a list or watch demands to be equal: "spec.nodeName" → "a". */
  readonly fields?: ReadonlyMap<string, string>;
}

/** The place of an action that is about no resource. */
export const nowhere = {
  group: "",
  version: "",
  namespace: "",
  resource: "",
  subresource: "",
  name: "",
} as const;

export interface Decision {
  /** "deny" is final; with "none" the next authorizer is asked, and if all say so it is refused. */
  readonly verdict: "allow" | "deny" | "none";
  /** Shown to the one who was refused, and in reviews. May be "". */
  readonly reason: string;
}

export interface Rules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** Why there may be more than these; absent if these are all. */
  readonly incomplete?: string;
  /** What went wrong while they were put together, such as a binding of a role that is not there. */
  readonly errors?: string;
}

export interface Authorizer {
  authorize(action: Action): Promise<Decision>;
  /** What this user may do in a namespace, for people to read. */
  rulesFor(user: UserInfo, namespace: string): Promise<Rules>;
}
