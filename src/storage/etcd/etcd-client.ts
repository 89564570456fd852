// Calls to a cluster of etcd members. What was not sent, and reads, are tried elsewhere until the deadline;
// a write that was sent never is: whether it happened is not known then, and the error says so.

import type { Metadata } from "@grpc/grpc-js";
import type { Clock } from "../../base/clock.ts";
import type { WatchCall } from "./endpoint.ts";
import {
  explain,
  isCompacted,
  isFutureRevision,
  isRefused,
  isSilent,
  isTokenRefused,
  isTooLarge,
  isTransient,
  isTurnedAway,
  unavailable,
} from "./etcd-errors.ts";
import { type EtcdUser, Login } from "./login.ts";
import { type Member, MemberPool, type MemberPoolOptions, PAUSE_MS } from "./member-pool.ts";
import type { Rpc } from "./messages.ts";

export interface EtcdClientOptions extends Omit<MemberPoolOptions, "login"> {
  readonly user?: EtcdUser;
  /**
   * After this time a call fails. The default, 5 s, is longer than an election takes (1 to 3 s with etcd's
   * defaults), so that most of them go unnoticed.
   */
  readonly callTimeoutMs?: number;
}

export interface CallOptions {
  /** For messages: `read "/a"`. */
  readonly what: string;
  /** Doing it twice does no harm, so it is tried again when nothing came back. */
  readonly isRepeatable: boolean;
  readonly timeoutMs?: number;
}

const defaultCallTimeoutMs = 5000;
/** A read waits so long for a silent member before it asks another one. */
const attemptTimeoutMs = 1500;
/** However long the search for a member took, it gets this time: otherwise it would look like a failure. */
const minAttemptMs = 300;

export class EtcdClient {
  readonly #clock: Clock;
  readonly #callTimeoutMs: number;
  readonly #login: Login;
  readonly #members: MemberPool;

  constructor({ user, callTimeoutMs = defaultCallTimeoutMs, ...options }: EtcdClientOptions) {
    this.#clock = options.clock;
    this.#callTimeoutMs = callTimeoutMs;
    this.#login = new Login(user);
    this.#members = new MemberPool({ ...options, login: this.#login });
  }

  /**
   * Sends a request. Rejects with StoreUnavailableError, or with gRPC's error when it is the caller's to
   * understand: compacted, future revision, too large.
   */
  async call<Answer>(rpc: Rpc<Answer>, request: Buffer, options: CallOptions): Promise<Answer> {
    const untilMs = this.#clock.monotonicMs() + (options.timeoutMs ?? this.#callTimeoutMs);
    for (;;) {
      const member = this.#members.connected() ?? (await this.#members.find(options.what, untilMs));
      const { metadata } = this.#login;
      const timeoutMs = this.#attemptMs(options, untilMs);
      try {
        return await member.endpoint.unary(rpc, request, { metadata, timeoutMs });
      } catch (err) {
        await this.#recover({ err, member, metadata, options, untilMs });
      }
    }
  }

  /** Opens a stream to a connected member. Its failures are reported with avoid(). */
  async open<Answer>(
    rpc: Rpc<Answer>,
    what: string,
  ): Promise<{ readonly member: Member; readonly call: WatchCall<Answer> }> {
    const untilMs = this.#clock.monotonicMs() + this.#callTimeoutMs;
    const member = this.#members.connected() ?? (await this.#members.find(what, untilMs));
    return { member, call: member.endpoint.stream(rpc, this.#login.metadata) };
  }

  /** A member did not do what it should on a stream. Others are preferred for a while. */
  avoid(member: Member, why: string): void {
    this.#members.avoid(member, why);
  }

  /** The token was refused on a stream: the next call or stream gets a new one. */
  forgetToken(): void {
    this.#members.forgetToken();
  }

  /** What each member says to a request, sent to all at once and on its own. Undefined: it answered. */
  async ask(
    rpc: Rpc<unknown>,
    request: Buffer,
    timeoutMs: number,
  ): Promise<ReadonlyMap<string, string | undefined>> {
    const answers = this.#members.all.map(async (member) => {
      const { url } = member.endpoint;
      const problem = await this.#members.greet(member);
      if (problem !== undefined) return [url, problem] as const;
      try {
        await member.endpoint.unary(rpc, request, { metadata: this.#login.metadata, timeoutMs });
        return [url, undefined] as const;
      } catch (err) {
        return [url, explain(err)] as const;
      }
    });
    return new Map(await Promise.all(answers));
  }

  /** Ends all calls and streams. */
  close(): void {
    this.#members.close();
  }

  #attemptMs({ isRepeatable }: CallOptions, untilMs: number): number {
    const leftMs = Math.max(minAttemptMs, untilMs - this.#clock.monotonicMs());
    const hasOthers = this.#members.all.length > 1;
    return isRepeatable && hasOthers ? Math.min(leftMs, attemptTimeoutMs) : leftMs;
  }

  /** Returns when the call may be tried again. Throws when it may not. */
  async #recover({ err, member, metadata, options, untilMs }: Failed): Promise<void> {
    if (this.#members.isClosed) throw callError(err, member, options);
    const isLate = this.#clock.monotonicMs() + PAUSE_MS >= untilMs;
    if (isTokenRefused(err) && !isLate) {
      await this.#renewToken(member, metadata, options.what);
      return;
    }
    const mayRetry = isTurnedAway(err) || (options.isRepeatable && isTransient(err));
    if (mayRetry || isSilent(err)) this.avoid(member, explain(err));
    if (!mayRetry || isLate) throw callError(err, member, options);
    if (!this.#members.hasFreshMember) await this.#clock.sleep(PAUSE_MS);
  }

  async #renewToken(member: Member, refused: Metadata, what: string): Promise<void> {
    try {
      await this.#login.renew(member.endpoint, refused);
    } catch (err) {
      if (isSilent(err)) this.avoid(member, explain(err));
      throw unavailable(what, `${member.endpoint.url}: ${explain(err)}`, err);
    }
    // A user is needed and there is none: do not spin.
    if (this.#login.metadata === refused) await this.#clock.sleep(PAUSE_MS);
  }
}

interface Failed {
  readonly err: unknown;
  readonly member: Member;
  readonly metadata: Metadata;
  readonly options: CallOptions;
  readonly untilMs: number;
}

function callError(err: unknown, { endpoint }: Member, options: CallOptions): unknown {
  if (isCompacted(err) || isFutureRevision(err) || isTooLarge(err)) return err;
  const isSure = options.isRepeatable || isRefused(err);
  const note = isSure ? "" : "; the write may or may not have happened";
  return unavailable(options.what, `${endpoint.url}: ${explain(err)}${note}`, err);
}
