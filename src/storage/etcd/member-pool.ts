// The members of the cluster, and which of them serves. One does until it fails; then the first one does
// that can say who it is. Those that failed lately are tried last.

import { aborted } from "../../base/abort.ts";
import { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { StoreUnavailableError } from "../store.ts";
import { Endpoint, type EtcdTls } from "./endpoint.ts";
import { explain, isTokenRefused, unavailable } from "./etcd-errors.ts";
import type { Login } from "./login.ts";
import { type StatusAnswer, statusRpc } from "./messages.ts";
import { isTooOld, OLDEST_VERSION } from "./version.ts";

export interface MemberPoolOptions {
  readonly endpoints: readonly string[];
  readonly tls?: EtcdTls;
  readonly login: Login;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export interface Member {
  readonly endpoint: Endpoint;
  /** Delays between tries after failures. */
  readonly backoff: Backoff;
  /** What it said that it is; "" when it would not say. Undefined: not asked since it was connected. */
  version: string | undefined;
  /** Why it was not used when last tried. Undefined: it has not failed yet. */
  failure: string | undefined;
  /** Others are tried first until then. */
  retryAtMs: number;
}

const connectTimeoutMs = 1000;
/** A member that takes longer to say hello is not waited for before the next is tried. */
const staggerMs = 200;
/** Between two tries when no member is left that has not failed. */
export const PAUSE_MS = 100;

export class MemberPool {
  readonly all: readonly Member[];
  readonly #options: MemberPoolOptions;
  /** Index of the member that serves. */
  #current: number;
  /** Set while somebody looks for a member: the others wait for the same. */
  #finding: Promise<Member | undefined> | undefined;
  /** Of the first member that was reached. */
  #clusterId: bigint | undefined;
  #isClosed = false;

  constructor(options: MemberPoolOptions) {
    const { endpoints, tls, clock, random } = options;
    this.#options = options;
    this.all = endpoints.map((url) => ({
      endpoint: new Endpoint(url, tls, clock),
      backoff: new Backoff({
        baseMs: 200,
        factor: 2,
        maxMs: 5000,
        jitter: 0.5,
        resetAfterMs: 30_000,
        clock,
        random,
      }),
      version: undefined,
      failure: undefined,
      retryAtMs: 0,
    }));
    // Several servers on one cluster should not all use its first member.
    this.#current = Math.floor(random.next() * endpoints.length);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The member that serves, if it can at once. */
  connected(): Member | undefined {
    const member = this.all[this.#current];
    return member?.version !== undefined && member.endpoint.isConnected ? member : undefined;
  }

  /** Looks for a member until the time is up. Rejects with StoreUnavailableError. */
  async find(what: string, untilMs: number): Promise<Member> {
    const { clock } = this.#options;
    for (;;) {
      if (this.#isClosed) throw unavailable(what, "the store was stopped", undefined);
      this.#finding ??= this.#search().finally(() => {
        this.#finding = undefined;
      });
      const found = await this.#patiently(this.#finding, untilMs);
      if (found !== undefined && !this.#isClosed) return found;
      if (clock.monotonicMs() + PAUSE_MS >= untilMs) throw this.#nobody(what);
      await clock.sleep(PAUSE_MS);
    }
  }

  /** A member did not do what it should. Others are preferred for a while. */
  avoid(member: Member, why: string): void {
    const { clock, logger } = this.#options;
    if (this.#isClosed) return;
    member.failure = why;
    member.retryAtMs = clock.monotonicMs() + member.backoff.nextMs();
    if (this.all[this.#current] === member) {
      this.#current = (this.#current + 1) % this.all.length;
      logger.warn("etcd endpoint failed", { endpoint: member.endpoint.url, reason: why });
    }
  }

  /** With another member at hand there is no reason to wait before a second try. */
  get hasFreshMember(): boolean {
    const next = this.all[this.#current];
    return next !== undefined && next.retryAtMs <= this.#options.clock.monotonicMs();
  }

  /** Connects, and returns what is wrong with the member, if anything. */
  async greet(member: Member): Promise<string | undefined> {
    const { endpoint } = member;
    if (!endpoint.isConnected) {
      member.version = undefined;
      await endpoint.connect(connectTimeoutMs);
    }
    return this.#introduce(member);
  }

  /** The token was refused: everybody has to be asked again. */
  forgetToken(): void {
    this.#options.login.forget();
    for (const member of this.all) {
      member.version = undefined;
    }
  }

  /** Ends all calls and streams. */
  close(): void {
    this.#isClosed = true;
    for (const { endpoint } of this.all) {
      endpoint.close();
    }
  }

  /** Waits until the time is up, and the first search to its end: there would be nothing to say before. */
  async #patiently(
    finding: Promise<Member | undefined>,
    untilMs: number,
  ): Promise<Member | undefined> {
    if (this.all.some(({ failure }) => failure === undefined)) return finding;
    const { clock } = this.#options;
    const late = Promise.withResolvers<undefined>();
    using _timer = clock.schedule(untilMs - clock.monotonicMs(), () => late.resolve(undefined));
    return await Promise.race([finding, late.promise]);
  }

  /** The next is tried when one has failed, or takes long: one that says nothing delays this by little. */
  async #search(): Promise<Member | undefined> {
    const { clock } = this.#options;
    const over = new AbortController();
    let found: Member | undefined;
    const tries: Promise<void>[] = [];
    for (const member of this.#inTurn()) {
      const one = this.greet(member).then((problem) => {
        if (problem !== undefined) return this.avoid(member, problem);
        found ??= member;
        over.abort();
      });
      tries.push(one);
      // Cancelled when one is found.
      const patience = clock.sleep(staggerMs, over.signal).catch(() => undefined);
      await Promise.race([one, patience]);
      if (found !== undefined) break;
    }
    await Promise.race([aborted(over.signal), Promise.all(tries)]);
    over.abort();
    if (found !== undefined) this.#current = this.all.indexOf(found);
    return found;
  }

  #inTurn(): Member[] {
    const nowMs = this.#options.clock.monotonicMs();
    const rank = ({ retryAtMs }: Member): number => (retryAtMs > nowMs ? 1 : 0);
    return [...this.all.slice(this.#current), ...this.all.slice(0, this.#current)].sort(
      (a, b) => rank(a) - rank(b),
    );
  }

  /** Logs in if need be, and asks who it is. On a dead connection this finds out why it is dead. */
  async #introduce(member: Member): Promise<string | undefined> {
    const { login } = this.#options;
    if (member.version !== undefined && login.isDone) return undefined;
    try {
      await login.ensure(member.endpoint);
      const options = { metadata: login.metadata, timeoutMs: connectTimeoutMs };
      const status = await member.endpoint.unary(statusRpc, Buffer.alloc(0), options);
      return this.#judge(member, status);
    } catch (err) {
      if (isTokenRefused(err)) this.forgetToken();
      // Newer versions tell their version only to some users. Such a member can serve all the same.
      if (!/permission denied/.test(explain(err))) return explain(err);
      member.version = "";
      return undefined;
    }
  }

  /**
   * Revisions of two clusters have nothing to do with each other: a wrong endpoint in the list, or a cluster
   * that was set up anew under the same address, must not be taken for the one that was used so far.
   */
  #judge(member: Member, { version, clusterId }: StatusAnswer): string | undefined {
    if (isTooOld(version)) return `it is etcd ${version}: ${OLDEST_VERSION} or later is needed`;
    this.#clusterId ??= clusterId;
    if (this.#clusterId !== clusterId) {
      return "it belongs to another cluster than the one that was used before";
    }
    member.version = version;
    return undefined;
  }

  #nobody(what: string): StoreUnavailableError {
    const each = this.all.map(
      ({ endpoint, failure }) => `${endpoint.url}: ${failure ?? "no answer yet"}`,
    );
    return unavailable(what, `no etcd endpoint can serve it (${each.join("; ")})`, undefined);
  }
}
