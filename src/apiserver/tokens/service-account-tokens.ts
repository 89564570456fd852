// Tokens of service accounts: signed here, checked here, and good only as long as the account, and what else they are
// bound to, is the one that they were made for. That is looked up each time; only the signature, which does not
// change, is remembered.

import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import type { ObjectMeta } from "../../api/types.ts";
import type { Clock } from "../../base/clock.ts";
import type { Authenticated, TokenAuthenticator } from "../authentication.ts";
import { SignatureCheck, type SignedClaims } from "./signature-check.ts";
import { TokenKeys, type TokenKeysOptions } from "./token-keys.ts";

export const ISSUER: string = "https://kubernetes.default.svc";
/** For whom tokens are good that do not say it, and by which this server knows itself. */
export const API_AUDIENCES: readonly string[] = [ISSUER];
const CLAIMS = "kubernetes.io";

export interface Account {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The object with which a token is to end. */
export interface BoundObject {
  readonly kind: BoundKind;
  readonly name: string;
  readonly uid: string;
  /** Where a pod runs. Told to whoever asks whose token it is; the token does not end with it. */
  readonly node?: { readonly name: string; readonly uid?: string | undefined } | undefined;
}

/** Named as in the claims. */
export type BoundKind = "pod" | "secret" | "node";

export interface TokenDemands {
  readonly audiences: readonly string[];
  readonly seconds: number;
  readonly bound?: BoundObject | undefined;
}

export interface SignedToken {
  readonly token: string;
  readonly expiresMs: number;
}

export interface ServiceAccountTokensOptions extends TokenKeysOptions {
  readonly clock: Clock;
  /** The metadata of an object as it is now; undefined if there is none. */
  find(
    kind: BoundKind | "serviceaccount",
    namespace: string,
    name: string,
  ): Promise<Pick<ObjectMeta, "uid" | "deletionTimestamp"> | undefined>;
}

interface Reference {
  readonly name: string;
  readonly uid?: string | undefined;
}

interface Claims extends Partial<Record<BoundKind, Reference>> {
  readonly namespace: string;
  readonly serviceaccount: Reference;
}

/** Clocks differ: a token counts a little longer, as does what is on its way out. That of the original. */
const LEEWAY_MS = 60_000;

const EXTRA = "authentication.kubernetes.io";

export class ServiceAccountTokens implements TokenAuthenticator {
  readonly keys: TokenKeys;
  readonly #options: ServiceAccountTokensOptions;
  readonly #signatures: SignatureCheck;

  constructor(options: ServiceAccountTokensOptions) {
    this.#options = options;
    this.keys = new TokenKeys(options);
    this.#signatures = new SignatureCheck(this.keys);
  }

  async sign(account: Account, { audiences, seconds, bound }: TokenDemands): Promise<SignedToken> {
    const now = Math.floor(this.#options.clock.now() / 1000);
    const { id, algorithm, key } = this.keys.signer;
    const token = await new SignJWT({ [CLAIMS]: claimsFor(account, bound) })
      .setProtectedHeader({ alg: algorithm, kid: id })
      .setIssuer(ISSUER)
      .setSubject(userName(account))
      .setAudience([...audiences])
      .setIssuedAt(now)
      .setNotBefore(now)
      .setExpirationTime(now + seconds)
      .setJti(randomUUID())
      .sign(key);
    return { token, expiresMs: (now + seconds) * 1000 };
  }

  async authenticate(
    token: string,
    audiences: readonly string[],
  ): Promise<Authenticated | undefined> {
    const signed = await this.#signatures.check(token);
    if (signed === undefined || !this.#isCurrent(signed)) return undefined;
    const own = [signed.aud ?? []].flat();
    const good = audiences.filter((audience) => own.includes(audience));
    if (good.length === 0) return undefined;
    const claims = signed[CLAIMS] as Claims | undefined;
    if (claims === undefined || !(await this.#allStand(claims))) return undefined;
    const { namespace, serviceaccount } = claims;
    return {
      user: {
        name: userName({ namespace, name: serviceaccount.name }),
        ...(serviceaccount.uid !== undefined && { uid: serviceaccount.uid }),
        groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
        extra: extraOf(claims, signed.jti),
      },
      audiences: good,
    };
  }

  #isCurrent({ iss, exp, nbf }: SignedClaims): boolean {
    const nowMs = this.#options.clock.now();
    const isOver = exp === undefined || nowMs - LEEWAY_MS > exp * 1000;
    return iss === ISSUER && !isOver && nowMs + LEEWAY_MS >= (nbf ?? 0) * 1000;
  }

  /** The account, and what the token is bound to. The node of a pod is only told. */
  async #allStand(claims: Claims): Promise<boolean> {
    const { namespace, serviceaccount, pod, secret, node } = claims;
    return (
      (await this.#stands("serviceaccount", namespace, serviceaccount)) &&
      (secret === undefined || (await this.#stands("secret", namespace, secret))) &&
      (pod === undefined || (await this.#stands("pod", namespace, pod))) &&
      (node === undefined || pod !== undefined || (await this.#stands("node", "", node)))
    );
  }

  /** The object is there, is the one that was meant, and stays. */
  async #stands(
    kind: BoundKind | "serviceaccount",
    namespace: string,
    { name, uid }: Reference,
  ): Promise<boolean> {
    const { clock } = this.#options;
    const found = await this.#options.find(kind, namespace, name);
    if (found === undefined || found.uid !== uid) return false;
    const { deletionTimestamp } = found;
    if (deletionTimestamp === undefined || deletionTimestamp === null) return true;
    return Date.parse(deletionTimestamp) >= clock.now() - LEEWAY_MS;
  }
}

function claimsFor({ namespace, name, uid }: Account, bound: BoundObject | undefined): Claims {
  const { kind, node } = bound ?? {};
  return {
    namespace,
    serviceaccount: { name, uid },
    ...(bound && kind && { [kind]: { name: bound.name, uid: bound.uid } }),
    ...(kind === "pod" && node && { node }),
  };
}

function extraOf(
  { pod, node }: Claims,
  id: string | undefined,
): Readonly<Record<string, readonly string[]>> {
  return {
    ...(id !== undefined && { [`${EXTRA}/credential-id`]: [`JTI=${id}`] }),
    ...(node !== undefined && { [`${EXTRA}/node-name`]: [node.name] }),
    ...(node?.uid !== undefined && { [`${EXTRA}/node-uid`]: [node.uid] }),
    ...(pod?.uid !== undefined && {
      [`${EXTRA}/pod-name`]: [pod.name],
      [`${EXTRA}/pod-uid`]: [pod.uid],
    }),
  };
}

function userName({ namespace, name }: Pick<Account, "namespace" | "name">): string {
  return `system:serviceaccount:${namespace}:${name}`;
}
