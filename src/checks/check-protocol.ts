// What a program and the thread that checks contents say to each other. The node agent's gate asks for policies, the sidecar's for its schemas.

import type { Format } from "./parse-content.ts";

/** One check of a policy, as the policy has it. */
export interface ContentCheck {
  /** Of the object and of the policy; "" outside of a cluster. */
  readonly namespace: string;
  /** Whose check it is: a policy's name. */
  readonly policy: string;
  readonly name: string;
  /** Patterns; all keys if there is none. */
  readonly keys: readonly string[];
  readonly format: Format | undefined;
  readonly schema: unknown;
}

export interface CheckRequest {
  readonly id: number;
  readonly checks: readonly ContentCheck[];
  readonly content: ReadonlyMap<string, Uint8Array>;
}

/** Where the thread is: told before it begins, so that it can be named should it never come back. */
export interface CheckPlace {
  readonly policy: string;
  readonly check: string;
  readonly key: string;
}

/**
 * Format and Schema are the content's fault, Unusable is the policy's: its schema cannot be used. TimedOut and Crashed may be either's,
 * or this machine's.
 */
export type RefusalKind = "Format" | "Schema" | "Unusable" | "TimedOut" | "Crashed";

/** Why a content is not let through. Holds no value. */
export interface Refusal extends CheckPlace {
  readonly kind: RefusalKind;
  /** A path and a rule. */
  readonly detail: string;
}

export type CheckMessage =
  | { readonly kind: "at"; readonly id: number; readonly place: CheckPlace }
  | { readonly kind: "answer"; readonly id: number; readonly refusal: Refusal | undefined };
