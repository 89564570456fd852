// When each node last gave a sign: a renewed Lease, or a status with a newer heartbeat. Counted by our own clock from the moment at
// which we saw it, so that no node's clock matters.

import type { Clock } from "../../base/clock.ts";
import { type LeaseObject, type NodeObject, nodeCondition } from "./node-objects.ts";

/** As the lease of a node lasts. */
export const GRACE_MS = 40_000;
/** For a node that has registered and not said anything yet. */
const STARTUP_GRACE_MS = 60_000;

interface Sign {
  readonly uid: string | undefined;
  readonly heartbeat: string | undefined;
  readonly renewTime: string | undefined;
  /** When we saw it. */
  readonly atMs: number;
}

export class NodeHealth {
  readonly #clock: Clock;
  readonly #signs = new Map<string, Sign>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** To be told of every version of both. */
  saw(node: NodeObject, lease: LeaseObject | undefined): void {
    const { name = "", uid } = node.metadata;
    const heartbeat = nodeCondition(node, "Ready")?.lastHeartbeatTime ?? undefined;
    const renewTime = lease?.spec.renewTime;
    const before = this.#signs.get(name);
    const isSame =
      before?.uid === uid && before?.heartbeat === heartbeat && before?.renewTime === renewTime;
    if (before !== undefined && isSame) return;
    const atMs = this.#clock.monotonicMs();
    this.#signs.set(name, { uid, heartbeat, renewTime, atMs });
  }

  /** How long it may be silent from now; negative if it has been silent for too long. */
  leftMs(node: NodeObject): number {
    const sign = this.#signs.get(node.metadata.name ?? "");
    const isSilent = sign?.heartbeat === undefined && sign?.renewTime === undefined;
    const graceMs = isSilent ? STARTUP_GRACE_MS : GRACE_MS;
    return (sign?.atMs ?? this.#clock.monotonicMs()) + graceMs - this.#clock.monotonicMs();
  }

  /** It could not have been heard: its time begins anew. */
  excuse(name: string): void {
    const sign = this.#signs.get(name);
    if (sign !== undefined) {
      this.#signs.set(name, { ...sign, atMs: this.#clock.monotonicMs() });
    }
  }

  /** As `excuse`, for all. */
  excuseAll(): void {
    for (const name of this.#signs.keys()) this.excuse(name);
  }

  forget(name: string): void {
    this.#signs.delete(name);
  }
}
