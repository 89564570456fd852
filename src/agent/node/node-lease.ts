// The heartbeat: a Lease of forty seconds that is renewed every ten. Controllers that see no renewal give the node's pods
// away, so it is worth a few tries. There is never more than one request under way: a slow server is not asked more.

import { isNotFound, StatusError } from "../../api/status-error.ts";
import { aborted, deadline, isAbort, untilAborted } from "../../base/abort.ts";
import { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { FailureLog } from "./failure-log.ts";
import type { LeaseObject } from "./node-kinds.ts";
import type { OwnNode } from "./own-node.ts";

export interface NodeLeaseOptions {
  readonly nodeName: string;
  readonly own: Pick<OwnNode, "uid" | "registered">;
  readonly leases: Pick<ResourceClient<LeaseObject>, "get" | "create" | "update">;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const NAMESPACE = "kube-node-lease";
const DURATION_S = 40;
const RENEW_EVERY_MS = 10_000;
/** Of the time between two renewals: nodes drift apart. */
const SPREAD = 0.04;
const TRIES = 5;
/** What takes longer than until the next renewal is better asked anew. */
const REQUEST_MS = 10_000;

export class NodeLease {
  readonly #options: NodeLeaseOptions;
  readonly #failures: FailureLog;
  readonly #backoff: Backoff;
  /** As the server last had it. Nobody else writes it, so that it need not be read before it is written. */
  #held: LeaseObject | undefined;
  #renewedAtMs: number | undefined;

  constructor(options: NodeLeaseOptions) {
    this.#options = options;
    const { clock, random, logger } = options;
    this.#failures = new FailureLog(logger, "cannot renew the lease of this node");
    const pauses = { baseMs: 200, factor: 2, maxMs: 7000, jitter: 0.5, resetAfterMs: 60_000 };
    this.#backoff = new Backoff({ ...pauses, clock, random });
  }

  /** Monotonic; undefined if it never was. */
  get renewedAtMs(): number | undefined {
    return this.#renewedAtMs;
  }

  run(signal: AbortSignal): Promise<void> {
    return untilAborted(signal, () => this.#live(signal));
  }

  async #live(signal: AbortSignal): Promise<void> {
    const { own, clock, random } = this.#options;
    await Promise.race([own.registered, aborted(signal)]);
    for (;;) {
      signal.throwIfAborted();
      const startMs = clock.monotonicMs();
      const hasRenewed = await this.#tryAFewTimes(signal);
      const dueMs = startMs + RENEW_EVERY_MS * (1 + SPREAD * random.next());
      const waitMs = hasRenewed ? dueMs - clock.monotonicMs() : this.#backoff.nextMs();
      if (waitMs > 0) await clock.sleep(waitMs, signal);
    }
  }

  async #tryAFewTimes(signal: AbortSignal): Promise<boolean> {
    const { clock, own, nodeName } = this.#options;
    for (let tries = 1; own.uid !== undefined; tries++) {
      using limit = deadline({ clock, timeoutMs: REQUEST_MS, signal });
      try {
        this.#held = await this.#renew(own.uid, limit.signal);
        this.#renewedAtMs = clock.monotonicMs();
        this.#failures.worked();
        this.#backoff.reset();
        return true;
      } catch (err) {
        if (isAbort(err, signal)) throw err;
        this.#held = undefined; // It may be another one than we think.
        this.#failures.failed(err, { node: nodeName });
        if (tries === TRIES || isRefusal(err)) return false;
      }
    }
    return true; // Without a Node there is nothing to keep alive.
  }

  async #renew(nodeUid: string, signal: AbortSignal): Promise<LeaseObject> {
    const { leases, nodeName: name } = this.#options;
    const held = this.#held ?? (await this.#find(signal));
    if (held !== undefined) return leases.update(this.#renewed(held, nodeUid), { signal });
    const empty = { metadata: { name, namespace: NAMESPACE }, spec: {} };
    const made = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", ...empty } as LeaseObject;
    return leases.create(this.#renewed(made, nodeUid), { signal });
  }

  async #find(signal: AbortSignal): Promise<LeaseObject | undefined> {
    const { leases, nodeName: name } = this.#options;
    try {
      return await leases.get({ namespace: NAMESPACE, name }, { signal });
    } catch (err) {
      if (isNotFound(err)) return undefined;
      throw err;
    }
  }

  #renewed(lease: LeaseObject, nodeUid: string): LeaseObject {
    const { clock, nodeName: name } = this.#options;
    const others = (lease.metadata.ownerReferences ?? []).filter(({ kind }) => kind !== "Node");
    const owner = { apiVersion: "v1", kind: "Node", name, uid: nodeUid };
    return {
      ...lease,
      metadata: { ...lease.metadata, ownerReferences: [...others, owner] },
      spec: {
        ...lease.spec,
        holderIdentity: name,
        leaseDurationSeconds: DURATION_S,
        // Microseconds, as its type wants them.
        renewTime: new Date(clock.now()).toISOString().replace("Z", "000Z"),
      },
    };
  }
}

/** Asking again at once gives the same answer; unless somebody made, changed or deleted it meanwhile. */
function isRefusal(err: unknown): boolean {
  return err instanceof StatusError && err.code < 500 && ![404, 409].includes(err.code);
}
