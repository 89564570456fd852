// A lease as one candidate knows it: what was last seen, since when, and what that means. Times are counted by the candidate's own
// clock from when it saw something; those in the record are for people.

import type { ApiObject } from "../api/object.ts";
import type { Lease } from "../api/types.ts";
import { semanticEqual } from "../api/validation/semantic-equal.ts";
import type { Clock } from "../base/clock.ts";
import { isOlderVersion } from "../client/resource-version.ts";

export type LeaseObject = ApiObject & Lease;

/** Of leases of which nothing else is said. */
export const LEASE_NAMESPACE = "kube-system";

export interface LeaseRecordOptions {
  readonly name: string;
  readonly namespace: string;
  /** Ours. */
  readonly identity: string;
  readonly leaseMs: number;
  readonly clock: Clock;
  /** Called when somebody else has become the holder. */
  readonly onLeader: (identity: string) => void;
}

export class LeaseRecord {
  readonly #options: LeaseRecordOptions;
  #lease: LeaseObject | undefined;
  /** Since when the record is what it is, or since when it is gone. */
  #sinceMs = 0;
  #isGone = false;

  constructor(options: LeaseRecordOptions) {
    this.#options = options;
  }

  /** As it was last seen. */
  get lease(): LeaseObject | undefined {
    return this.#lease;
  }

  /** "" for nobody. */
  get leader(): string {
    return this.#lease?.spec.holderIdentity ?? "";
  }

  get isOurs(): boolean {
    return this.leader === this.#options.identity;
  }

  see(lease: LeaseObject): void {
    const { identity, clock, onLeader } = this.#options;
    const { leader: before } = this;
    const isSame = !this.#isGone && semanticEqual(this.#lease?.spec, lease.spec);
    if (!isSame) this.#sinceMs = clock.monotonicMs();
    this.#lease = lease;
    this.#isGone = false;
    if (this.leader !== before && this.leader !== "" && this.leader !== identity) {
      onLeader(this.leader);
    }
  }

  /** There is none. */
  miss(): void {
    if (this.#lease === undefined || this.#isGone) return;
    this.#isGone = true;
    this.#sinceMs = this.#options.clock.monotonicMs();
  }

  /** Nothing new is in it: watches may be behind. */
  isOld({ metadata: { uid, resourceVersion = "" } }: LeaseObject): boolean {
    const { metadata } = this.#lease ?? {};
    return (
      metadata?.uid === uid && !isOlderVersion(metadata?.resourceVersion ?? "", resourceVersion)
    );
  }

  /** Until when somebody else may have it; in the past if nobody. `renewedMs`: when we began the write that last made it ours. */
  othersUntilMs(renewedMs: number): number {
    if (this.#lease === undefined) return 0;
    const { leaseMs, clock } = this.#options;
    if (this.#isGone) {
      // Whoever had it may not have noticed, and who that was is not known: only that it is we, if we have renewed it just now.
      const isHeld = clock.monotonicMs() - renewedMs < leaseMs;
      return isHeld && this.isOurs ? 0 : this.#sinceMs + leaseMs;
    }
    if (this.leader === "" || this.isOurs) return 0;
    return this.#sinceMs + (1000 * (this.#lease.spec.leaseDurationSeconds ?? 0) || leaseMs);
  }

  /** To be written in place of `lease`: it is ours, from now on or still. */
  ours(lease: LeaseObject | undefined): LeaseObject {
    const { name, namespace, identity, leaseMs } = this.#options;
    const at = this.#timestamp();
    const before = lease?.spec;
    const isOurs = before?.holderIdentity === identity;
    const transitions =
      before === undefined ? 0 : (before.leaseTransitions ?? 0) + (isOurs ? 0 : 1);
    return {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      ...lease,
      metadata: lease?.metadata ?? { name, namespace },
      spec: {
        ...before,
        holderIdentity: identity,
        leaseDurationSeconds: Math.ceil(leaseMs / 1000),
        acquireTime: (isOurs ? before.acquireTime : undefined) ?? at,
        renewTime: at,
        leaseTransitions: transitions,
      },
    };
  }

  /** To be written in place of what was last seen: anybody's. */
  free(): LeaseObject {
    const lease = this.ours(this.#lease);
    const at = this.#timestamp();
    const nobodys = { holderIdentity: "", leaseDurationSeconds: 1 };
    return { ...lease, spec: { ...lease.spec, ...nobodys, acquireTime: at, renewTime: at } };
  }

  /** Microseconds, as the type wants them. */
  #timestamp(): string {
    return new Date(this.#options.clock.now()).toISOString().replace("Z", "000Z");
  }
}
