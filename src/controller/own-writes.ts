// What a controller has written and its informer may not have shown yet. A controller that decides by a copy which lacks its own last
// writes makes the same pods twice; so a key waits until the copy has caught up. Versions of one resource can be compared, so there is
// nothing to count: one number per key, and it settles itself.
//
// Invariant: `#written` and `#deleted` hold only what is at most PATIENCE_MS old.

import type { ApiObject } from "../api/object.ts";
import type { Clock } from "../base/clock.ts";
import { isOlderVersion } from "../client/resource-version.ts";

export interface OwnWritesOptions {
  /** The copy that is to catch up. */
  readonly informer: { readonly lastResourceVersion: string | undefined };
  readonly clock: Clock;
}

interface Written {
  readonly version: string;
  readonly atMs: number;
}

/** A server that was set back to an earlier state never gets there: then what it has counts again. */
const PATIENCE_MS = 300_000;

export class OwnWrites {
  readonly #options: OwnWritesOptions;
  readonly #written = new Map<string, Written>();
  /** Uids, and when their deletion was asked for. */
  readonly #deleted = new Map<string, number>();

  constructor(options: OwnWritesOptions) {
    this.#options = options;
  }

  /** For the owner `key`: the server answered with this object. */
  wrote(key: string, { metadata: { resourceVersion } }: ApiObject): void {
    if (resourceVersion === undefined) return;
    const held = this.#written.get(key);
    if (held !== undefined && isOlderVersion(resourceVersion, held.version)) return;
    const atMs = this.#options.clock.monotonicMs();
    this.#written.set(key, { version: resourceVersion, atMs });
  }

  /** The server has agreed to delete it: whatever the copy shows of it, it counts as going. */
  deleted({ metadata: { uid } }: ApiObject): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const [other, atMs] of this.#deleted) {
      if (nowMs - atMs <= PATIENCE_MS) break; // They are in the order of their times.
      this.#deleted.delete(other);
    }
    if (uid !== undefined) {
      this.#deleted.delete(uid);
      this.#deleted.set(uid, nowMs);
    }
  }

  /** Whether the copy shows all that was written for this owner. The event that completes it comes from the informer. */
  areSeen(key: string): boolean {
    const held = this.#written.get(key);
    if (held === undefined) return true;
    const { informer, clock } = this.#options;
    const { lastResourceVersion: seen } = informer;
    const isSeen = seen !== undefined && !isOlderVersion(seen, held.version);
    if (!isSeen && clock.monotonicMs() - held.atMs <= PATIENCE_MS) return false;
    this.#written.delete(key);
    return true;
  }

  /** It is marked for deletion, or we have asked for that. */
  isGoing({ metadata: { uid, deletionTimestamp } }: ApiObject): boolean {
    return deletionTimestamp != null || (uid !== undefined && this.#deleted.has(uid));
  }

  /** To be called when the informer says that it is gone. */
  gone({ metadata: { uid } }: ApiObject): void {
    if (uid !== undefined) this.#deleted.delete(uid);
  }

  /** The owner is gone. */
  forget(key: string): void {
    this.#written.delete(key);
  }
}
