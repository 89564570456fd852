// What the gate needs to know of delivery policies.

import type { ContentCheck } from "../../checks/check-protocol.ts";
import type { ObjectKind } from "../objects/config-object.ts";

/** A policy as far as this node carries it out. */
export interface Policy {
  readonly namespace: string;
  readonly name: string;
  /** Another one whenever what it asks for may be another. */
  readonly fingerprint: string;
  readonly checks: readonly ContentCheck[];
  /** Since when nothing new goes out, in ms; undefined: it does. */
  readonly pausedAtMs: number | undefined;
}

/** What a policy chooses objects by. */
export interface Choosable {
  readonly kind: ObjectKind;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface Policies {
  /** Settles when everything that it started has stopped. */
  run(signal: AbortSignal): Promise<void>;
  /** Those that choose the object, by name; undefined while it is not known which there are. */
  choosing(object: Choosable): readonly Policy[] | undefined;
  /**
   * Settles when every policy of the namespace is known that the server had when this was called. An object and a policy come by different
   * watches: what was paused before an object changed may be heard of after it. Never rejects: what the server does not say in time is left
   * to the watch.
   */
  confirm(namespace: string, signal: AbortSignal): Promise<void>;
  /** Something is another than before, in this namespace or in all. */
  onChange(handler: (namespace: string | undefined) => void): Disposable;
}
