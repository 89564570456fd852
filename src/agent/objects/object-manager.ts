// Where the ConfigMaps and Secrets of this node's pods come from. Exactly those are held that registered pods refer to. Three
// implementations, by the kubelet's names: Watch (watch-objects.ts), Cache (cached-objects.ts), Get (fetched-objects.ts).

import type { Pod } from "../../api/types.ts";
import type { ConfigObject, ObjectReference } from "./config-object.ts";

export interface ObjectManager {
  /** Settles when everything that it started has stopped. */
  run(signal: AbortSignal): Promise<void>;

  /**
   * Holds what this pod refers to, from now on; for a pod that is registered already, what it refers to now. Asks nobody
   * and never waits. The next `get` for a pod that was not registered before gives nothing older than what the server
   * has now.
   */
  register(pod: Pod): void;
  /**
   * This pod was changed: what it reads next is what the server has. Kubelets do so in Cache mode only when the time of what
   * they have is over; here any change of a pod, such as an annotation, brings its objects up to date.
   */
  invalidate(podUid: string): void;
  /** Drops what only this pod refers to. Does nothing for a pod that is not registered. */
  unregister(podUid: string): void;

  /**
   * The object as this strategy knows it. Throws NotRegisteredError; StatusError NotFound when the server has no such object;
   * SyncError when nothing is known of it yet; or whatever the server said.
   */
  get(of: ObjectReference, options: GetOptions): Promise<ConfigObject>;

  /**
   * What is known at this instant, without waiting or asking: the object; undefined if the server has none; "unknown" if
   * nothing is, or if it is older than this strategy allows.
   */
  peek(of: ObjectReference): ConfigObject | "unknown" | undefined;

  /** Called when an object came, changed, or went, with the pods that refer to it. Not all strategies hear of that. */
  onChange(handler: ObjectChangeHandler): Disposable;
}

export interface GetOptions {
  /** For whom: a pod's first reads are fresh. */
  readonly podUid: string;
  readonly signal: AbortSignal;
}

export interface ObjectChange extends ObjectReference {
  /** Undefined: it is gone. */
  readonly object: ConfigObject | undefined;
  /** Another object was there by this name before. */
  readonly isAnother: boolean;
}

export type ObjectChangeHandler = (change: ObjectChange, podUids: readonly string[]) => void;

/** Nobody registered a pod that refers to this object. */
export class NotRegisteredError extends Error {
  override readonly name = "NotRegisteredError";

  constructor({ namespace, name }: ObjectReference) {
    super(`object ${JSON.stringify(namespace)}/${JSON.stringify(name)} not registered`);
  }
}

/** The server has not said in time what it has. `cause` is what it said instead, if anything. */
export class SyncError extends Error {
  override readonly name = "SyncError";

  constructor({ kind }: ObjectReference, options?: ErrorOptions) {
    super(
      `failed to sync ${kind.toLowerCase()} cache: timed out waiting for the condition`,
      options,
    );
  }
}
