// One of several processes does the work: the one whose name is in a Lease, as with client-go, so that both can compete for the same.
//
// Nobody's clock is compared with anybody else's. A candidate takes a lease over when it has not seen the record change for as long
// as the record says that it lasts. A leader counts from the moment at which it began the write that renewed it last, which is
// before any candidate can have seen it; when it has not renewed for `renewDeadlineMs` it ends its work, and has until `leaseMs` for it.
//
//   candidate ── record is free, or unchanged for its duration ──> leader ── work over ──> released, the next one takes it at once
//       ^                                                            │
//       └──── work over ──── no renewal in time, or taken away <─────┘

import { isNotFound, StatusError } from "../api/status-error.ts";
import { deadline, isAbort } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { ApiClient } from "../client/api-client.ts";
import { ObjectWatch } from "../client/object-watch.ts";
import { ResourceClient } from "../client/resource-client.ts";
import type { ResourceKind } from "../client/resource-path.ts";
import { LEASE_NAMESPACE, type LeaseObject, LeaseRecord } from "./lease-record.ts";
import { Waker } from "./waker.ts";

export interface LeaseTimes {
  /** How long others wait for a leader that is silent. */
  readonly leaseMs: number;
  /** How long a leader tries to renew before it gives up. */
  readonly renewDeadlineMs: number;
  /** Between two renewals, and between two tries. */
  readonly retryMs: number;
}

/** As in the original. */
export const LEASE_TIMES: LeaseTimes = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2000 };

export interface LeaderElectionOptions {
  readonly client: ApiClient;
  /** Of the Lease. */
  readonly name: string;
  /** Where it is; kube-system if missing. */
  readonly namespace?: string | undefined;
  /** No other process, living or dead, may have the same. */
  readonly identity: string;
  readonly times?: Partial<LeaseTimes>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** The work did not end before somebody else may have begun it: only the end of the process makes that safe. */
export class OverdueError extends Error {
  override readonly name = "OverdueError";
}

const LEASES: ResourceKind = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  resource: "leases",
  namespaced: true,
};
const RELEASE_TRIES = 3;

export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #times: LeaseTimes;
  readonly #leases: ResourceClient<LeaseObject>;
  readonly #waker: Waker;
  readonly #logger: Logger;
  readonly #record: LeaseRecord;
  readonly #namespace: string;
  /** When the write was begun that made the lease ours, or renewed it. */
  #renewedMs = Number.NEGATIVE_INFINITY;

  constructor(options: LeaderElectionOptions) {
    const { client, clock, logger, name, identity, times } = options;
    this.#options = options;
    this.#times = { ...LEASE_TIMES, ...times };
    const { leaseMs, renewDeadlineMs, retryMs } = this.#times;
    if (!(leaseMs > renewDeadlineMs && renewDeadlineMs > 1.2 * retryMs && retryMs > 0)) {
      throw new Error(
        `Cannot elect a leader with a lease of ${leaseMs} ms, ${renewDeadlineMs} ms to renew it and ${retryMs} ms between tries: each must be longer than the next`,
      );
    }
    this.#leases = new ResourceClient(client, LEASES);
    this.#waker = new Waker(clock);
    this.#logger = logger.child({ lease: name, identity });
    const onLeader = (leader: string): void => this.#logger.info("new leader", { leader });
    this.#namespace = options.namespace ?? LEASE_NAMESPACE;
    const key = { name, namespace: this.#namespace };
    this.#record = new LeaseRecord({ ...key, identity, leaseMs, clock, onLeader });
  }

  /** Who leads, as far as we know; "" for nobody. */
  get leader(): string {
    return this.#record.leader;
  }

  /**
   * Calls `lead` whenever this process becomes the leader, aborts its signal and waits for it before it stops being that. Settles
   * when `signal` has aborted, or when `lead` has ended by itself; the lease is released then. Rejects if `lead` does, and with
   * OverdueError if it goes on when the lease may be another's.
   */
  async run(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const stop = new AbortController();
    const watching = this.#watch(stop.signal);
    try {
      while (await this.#acquire(signal)) {
        if ((await this.#lead(signal, lead)) === "over") break;
      }
    } finally {
      stop.abort();
      await watching;
    }
  }

  /** What it tells only ever makes us look earlier than we would anyway. */
  #watch(signal: AbortSignal): Promise<void> {
    const { client, name, clock, random, logger } = this.#options;
    const onChange = (lease: LeaseObject | undefined, before: LeaseObject | undefined): void => {
      if (lease === undefined && before === undefined) return; // There is none yet.
      const wasOurs = this.#record.isOurs;
      if (lease !== undefined && !this.#record.isOld(lease)) this.#record.see(lease);
      const { holderIdentity = "" } = lease?.spec ?? {};
      const isNews = wasOurs ? holderIdentity !== this.#options.identity : !holderIdentity;
      if (isNews) this.#waker.wake();
    };
    const what = { client, kind: LEASES, namespace: this.#namespace, name, onChange };
    return new ObjectWatch<LeaseObject>({ ...what, clock, random, logger }).run(signal);
  }

  /** False: the signal has aborted first. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      if ((await this.#attempt(signal)) === "ours") {
        this.#logger.info("became the leader");
        if (!signal.aborted) return true;
        await this.#release();
      }
      await this.#waker.pause(this.#candidatesPauseMs(), signal);
    }
    return false;
  }

  /** Candidates spread; but who waits for a silent leader looks when its time is over. */
  #candidatesPauseMs(): number {
    const pauseMs = this.#times.retryMs * (1 + this.#options.random.next());
    const leftMs = this.#record.othersUntilMs(this.#renewedMs) - this.#options.clock.monotonicMs();
    return leftMs > 0 ? Math.min(pauseMs, leftMs) : pauseMs;
  }

  async #lead(
    signal: AbortSignal,
    lead: (signal: AbortSignal) => Promise<void>,
  ): Promise<"over" | "lost"> {
    const leading = new AbortController();
    const over = new AbortController();
    const onAbort = (): void => leading.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const working = async (): Promise<void> => {
      try {
        await lead(leading.signal);
      } catch (err) {
        if (!leading.signal.aborted || !isAbort(err, leading.signal)) throw err;
      } finally {
        over.abort();
      }
    };
    const work = working();
    work.catch(() => undefined); // Whoever awaits it below hears of it.
    try {
      // Also while the work ends: it may take longer than the lease lasts.
      const end = await this.#keep(over.signal);
      if (end === "lost") {
        this.#logger.warn("lost the lead", { leader: this.leader });
        leading.abort(new DOMException("No longer the leader", "AbortError"));
        await this.#overInTime(over.signal);
      }
      await work;
      return end;
    } finally {
      signal.removeEventListener("abort", onAbort);
      if (over.signal.aborted && this.#record.isOurs) await this.#release();
    }
  }

  /** Renews until the work is over or the lease cannot be kept. */
  async #keep(over: AbortSignal): Promise<"over" | "lost"> {
    const { retryMs, renewDeadlineMs } = this.#times;
    const { clock } = this.#options;
    const leftMs = (): number => this.#renewedMs + renewDeadlineMs - clock.monotonicMs();
    while (!over.aborted) {
      await this.#waker.pause(Math.min(retryMs, leftMs()), over);
      if (over.aborted) break;
      if (leftMs() <= 0 || (await this.#attempt(over, leftMs())) === "another's") return "lost";
    }
    return "over";
  }

  async #overInTime(over: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const leftMs = this.#renewedMs + this.#times.leaseMs - clock.monotonicMs();
    await new Waker(clock).pause(Math.max(0, leftMs), over);
    if (over.aborted) return;
    throw new OverdueError(
      `Cannot stop leading by the lease ${this.#options.name}: the work goes on, and another may have begun it`,
    );
  }

  /** Never longer than half of what a leader has, so that a request that hangs is not the only one. */
  async #attempt(
    signal: AbortSignal,
    limitMs = Number.POSITIVE_INFINITY,
  ): Promise<"ours" | "another's" | "unknown"> {
    const { clock } = this.#options;
    const timeoutMs = Math.min(limitMs, this.#times.renewDeadlineMs / 2);
    const beganMs = clock.monotonicMs();
    using limit = deadline({ clock, timeoutMs, signal });
    try {
      if (!(await this.#take(limit.signal))) return "another's";
      this.#renewedMs = beganMs;
      return "ours";
    } catch (err) {
      if (signal.aborted) return "unknown";
      if (isConflict(err)) this.#logger.debug("somebody else was first", { err });
      else this.#logger.warn("cannot write the lease", { err });
      return "unknown";
    }
  }

  /** False: somebody else has it. */
  async #take(signal: AbortSignal): Promise<boolean> {
    if (this.#record.isOurs && (await this.#renew(signal))) return true;
    const found = await this.#find(signal);
    if (found !== undefined) this.#record.see(found);
    else this.#record.miss();
    if (this.#record.othersUntilMs(this.#renewedMs) > this.#options.clock.monotonicMs())
      return false;
    const taken = this.#record.ours(found);
    this.#record.see(
      found === undefined
        ? await this.#leases.create(taken, { signal })
        : await this.#leases.update(taken, { signal }),
    );
    return true;
  }

  /** Without looking first. False: it is not as we know it, because somebody wrote it, or we did and did not hear of it. */
  async #renew(signal: AbortSignal): Promise<boolean> {
    try {
      this.#record.see(
        await this.#leases.update(this.#record.ours(this.#record.lease), { signal }),
      );
      return true;
    } catch (err) {
      if (isConflict(err) || isNotFound(err)) return false;
      throw err;
    }
  }

  /** Others need not wait then. What fails is made up for by their waiting. */
  async #release(): Promise<void> {
    const { clock } = this.#options;
    using limit = deadline({ clock, timeoutMs: this.#times.renewDeadlineMs / 2 });
    const { signal } = limit;
    for (let tries = 1; tries <= RELEASE_TRIES && this.#record.isOurs; tries++) {
      try {
        this.#record.see(await this.#leases.update(this.#record.free(), { signal }));
        this.#logger.info("released the lead");
      } catch (err) {
        const found = await this.#find(signal).catch(() => undefined);
        if (found !== undefined) this.#record.see(found);
        if (tries === RELEASE_TRIES || !isConflict(err)) {
          this.#logger.warn("cannot release the lead", { err });
          return;
        }
      }
    }
  }

  async #find(signal: AbortSignal): Promise<LeaseObject | undefined> {
    try {
      const { name } = this.#options;
      return await this.#leases.get({ namespace: this.#namespace, name }, { signal });
    } catch (err) {
      if (isNotFound(err)) return undefined;
      throw err;
    }
  }
}

/** Somebody else wrote it, or made it, in between. */
function isConflict(err: unknown): boolean {
  return err instanceof StatusError && err.code === 409;
}
