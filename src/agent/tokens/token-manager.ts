// Service-account tokens of this node's pods, each kept until it is nearly used up. The rules are the kubelet's: a new one at 80 % of
// a token's life or after a day, a little earlier by chance; if none is to be had, the old one as long as it is valid.

import type { TokenRequest } from "../../api/types.ts";
import { goQuote } from "../../api/validation/go-text.ts";
import { deadline } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { describe } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import { Secret } from "../../base/secret.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { requestToken } from "../../client/resource-client.ts";

/** What a token must be good for. Equal demands are answered with the same token. */
export interface TokenDemand {
  readonly namespace: string;
  /** Of the service account. */
  readonly name: string;
  /** Of the service account, if known: another account by this name has other tokens. */
  readonly uid?: string | undefined;
  /** None: the API server's own. */
  readonly audiences: readonly string[];
  readonly expirationSeconds: number | undefined;
  /** The token is worth nothing once this pod is gone. */
  readonly pod: { readonly name: string; readonly uid: string };
}

export interface HeldToken {
  readonly token: Secret;
  readonly expiresMs: number;
  /** By the wall clock, as `expiresMs`: not to be asked for before. */
  readonly refreshMs: number;
}

interface Kept extends HeldToken {
  readonly podUid: string;
  /** The same by the monotonic clock: a wall clock that is set back makes no token live longer. */
  readonly renewMs: number;
}

export interface TokenManagerParts {
  /** Undefined: this machine has no server. */
  readonly client: ApiClient | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const MAX_AGE_MS = 24 * 60 * 60 * 1000;
/** So that the pods of a node do not all ask at once. */
const JITTER_SECONDS = 10;
/** A volume waits for its token, and with it everything else in that volume: not long while there is an old one. */
const REFRESH_TIMEOUT_MS = 5_000;
/** After a refresh that failed, and the least between two: a server that gives short-lived tokens must not be asked without end. */
const RETRY_MS = 10_000;

export class TokenManager {
  readonly #parts: TokenManagerParts;
  readonly #tokens = new Map<string, Kept>();

  constructor(parts: TokenManagerParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#tokens.size;
  }

  /** The token that is held, unless it is time for another. Asks nobody. */
  peek(demand: TokenDemand): HeldToken | undefined {
    const held = this.#tokens.get(tokenKey(demand));
    const { clock } = this.#parts;
    const isFresh = held && clock.now() <= held.refreshMs && clock.monotonicMs() <= held.renewMs;
    return isFresh ? held : undefined;
  }

  /** A token that is valid now. Throws with the original's text if there is none to be had. */
  async get(demand: TokenDemand, signal: AbortSignal): Promise<HeldToken> {
    const current = this.peek(demand);
    if (current) return current;
    const key = tokenKey(demand);
    const held = this.#tokens.get(key);
    try {
      const token = await this.#ask(demand, { signal, isUrgent: !this.#isValid(held) });
      this.#dropExpired();
      this.#tokens.set(key, this.#kept(token, demand));
      return token;
    } catch (err) {
      signal.throwIfAborted();
      return this.#instead(key, err);
    }
  }

  /** The pod is gone, and its tokens with it. */
  forgetPod(uid: string): void {
    for (const [key, { podUid }] of this.#tokens) if (podUid === uid) this.#tokens.delete(key);
  }

  /** What to do without a new one. Looks again: the old one may have run out while we waited. */
  #instead(key: string, err: unknown): HeldToken {
    const held = this.#tokens.get(key);
    if (!held) throw new Error(`failed to fetch token: ${describe(err)}`, { cause: err });
    if (!this.#isValid(held)) {
      throw new Error(`token ${key} expired and refresh failed: ${describe(err)}`, { cause: err });
    }
    const { clock, logger } = this.#parts;
    logger.warn("token could not be refreshed", { key, expiresMs: held.expiresMs, err });
    const refreshMs = Math.min(held.expiresMs, clock.now() + RETRY_MS);
    const later = { ...held, refreshMs, renewMs: clock.monotonicMs() + RETRY_MS };
    this.#tokens.set(key, later);
    return later;
  }

  async #ask(
    demand: TokenDemand,
    { signal, isUrgent }: { readonly signal: AbortSignal; readonly isUrgent: boolean },
  ): Promise<HeldToken> {
    const { client, clock } = this.#parts;
    if (client === undefined)
      throw new Error("cannot use TokenManager when kubelet is in standalone mode");
    using limit = isUrgent ? undefined : deadline({ clock, timeoutMs: REFRESH_TIMEOUT_MS, signal });
    const { namespace, name, audiences, expirationSeconds, pod } = demand;
    const answer = await requestToken(
      client,
      { namespace, name },
      {
        spec: {
          audiences: [...audiences],
          expirationSeconds,
          boundObjectRef: { apiVersion: "v1", kind: "Pod", name: pod.name, uid: pod.uid },
        },
        signal: limit?.signal ?? signal,
      },
    );
    return this.#held(answer);
  }

  #held({ spec, status }: TokenRequest): HeldToken {
    const { clock, random } = this.#parts;
    const token = new Secret(Buffer.from(status.token));
    const expiresMs = Date.parse(status.expirationTimestamp ?? "");
    if (Number.isNaN(expiresMs)) throw new Error("the server does not say when the token expires");
    const jitterMs = Math.floor(random.next() * JITTER_SECONDS) * 1000;
    const refreshMs = refreshTime({ expiresMs, lifeSeconds: spec.expirationSeconds, jitterMs });
    return { token, expiresMs, refreshMs: Math.max(refreshMs, clock.now() + RETRY_MS) };
  }

  #kept(token: HeldToken, { pod }: TokenDemand): Kept {
    const { clock } = this.#parts;
    const renewMs = clock.monotonicMs() + token.refreshMs - clock.now();
    return { ...token, podUid: pod.uid, renewMs };
  }

  #isValid(held: HeldToken | undefined): held is HeldToken {
    return held !== undefined && this.#parts.clock.now() <= held.expiresMs;
  }

  #dropExpired(): void {
    for (const [key, held] of this.#tokens) if (!this.#isValid(held)) this.#tokens.delete(key);
  }
}

/** At 80 % of its life, or a day after it was made; if nobody says how long it lives, not before its end. */
export function refreshTime(of: {
  readonly expiresMs: number;
  readonly lifeSeconds: number | null | undefined;
  readonly jitterMs: number;
}): number {
  const { expiresMs, lifeSeconds, jitterMs } = of;
  if (typeof lifeSeconds !== "number") return expiresMs;
  const madeMs = expiresMs - lifeSeconds * 1000;
  const nearlyUsedUpMs = expiresMs - Math.floor(lifeSeconds / 5) * 1000;
  return Math.min(madeMs + MAX_AGE_MS, nearlyUsedUpMs) - jitterMs;
}

/** Says nothing confidential: the original prints it in its errors, in this form. */
export function tokenKey(demand: TokenDemand): string {
  const { namespace, name, uid = "", audiences, expirationSeconds = 0, pod } = demand;
  const list = audiences.length === 0 ? "(nil)" : `{${audiences.map(goQuote).join(", ")}}`;
  const bound = `v1.BoundObjectReference{Kind:"Pod", APIVersion:"v1", Name:${goQuote(pod.name)}, UID:${goQuote(pod.uid)}}`;
  return `${goQuote(name)}/${goQuote(namespace)}/[]string${list}/${expirationSeconds}/${bound}/${goQuote(uid)}`;
}
