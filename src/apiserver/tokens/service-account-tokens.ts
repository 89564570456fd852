// Tokens of service accounts: signed here, checked here, and good only as long as the account is the one that they were
// made for.

import { randomUUID } from "node:crypto";
import { importPKCS8, importSPKI, type JWTPayload, jwtVerify, SignJWT } from "jose";
import type { ObjectMeta } from "../../api/types.ts";
import type { Clock } from "../../base/clock.ts";
import type { Authenticated, TokenAuthenticator } from "../authentication.ts";

const ISSUER = "https://kubernetes.default.svc";
/** For whom tokens are good that do not say it, and by which this server knows itself. */
export const API_AUDIENCES: readonly string[] = [ISSUER];
const ALGORITHM = "ES256";
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

export interface ServiceAccountTokensOptions {
  /** PEM, PKCS #8 and SPKI */
  readonly privateKey: string;
  readonly publicKey: string;
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
  readonly uid: string;
}

interface Claims extends Partial<Record<BoundKind, Reference>> {
  readonly namespace: string;
  readonly serviceaccount: Reference;
}

const boundKinds: readonly BoundKind[] = ["pod", "secret", "node"];

/** What is on its way out for longer counts as gone. */
const LEEWAY_MS = 60_000;

export class ServiceAccountTokens implements TokenAuthenticator {
  readonly #options: ServiceAccountTokensOptions;

  constructor(options: ServiceAccountTokensOptions) {
    this.#options = options;
  }

  async sign(account: Account, { audiences, seconds, bound }: TokenDemands): Promise<SignedToken> {
    const now = Math.floor(this.#options.clock.now() / 1000);
    const key = await importPKCS8(this.#options.privateKey, ALGORITHM);
    const { namespace, name, uid } = account;
    const claims: Claims = {
      namespace,
      serviceaccount: { name, uid },
      ...(bound && { [bound.kind]: { name: bound.name, uid: bound.uid } }),
    };
    const token = await new SignJWT({ [CLAIMS]: claims })
      .setProtectedHeader({ alg: ALGORITHM })
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
    const payload = await this.#verified(token, audiences);
    const claims = payload?.[CLAIMS] as Claims | undefined;
    if (payload === undefined || claims === undefined) return undefined;
    const { namespace, serviceaccount, pod } = claims;
    const stands = await this.#stands("serviceaccount", namespace, serviceaccount);
    if (!stands || !(await this.#boundObjectsStand(claims))) return undefined;
    const own = [payload.aud ?? []].flat();
    return {
      user: {
        name: userName({ namespace, name: serviceaccount.name }),
        uid: serviceaccount.uid,
        groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
        ...(pod !== undefined && {
          extra: {
            "authentication.kubernetes.io/pod-name": [pod.name],
            "authentication.kubernetes.io/pod-uid": [pod.uid],
          },
        }),
      },
      audiences: audiences.filter((audience) => own.includes(audience)),
    };
  }

  async #boundObjectsStand(claims: Claims): Promise<boolean> {
    for (const kind of boundKinds) {
      const reference = claims[kind];
      if (reference === undefined) continue;
      if (!(await this.#stands(kind, claims.namespace, reference))) return false;
    }
    return true;
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

  async #verified(token: string, audiences: readonly string[]): Promise<JWTPayload | undefined> {
    const { publicKey, clock } = this.#options;
    try {
      const { payload } = await jwtVerify(token, await importSPKI(publicKey, ALGORITHM), {
        issuer: ISSUER,
        audience: [...audiences],
        currentDate: new Date(clock.now()),
      });
      return payload;
    } catch {
      return undefined; // Not ours, damaged, or over: the client is told that it is unauthorized.
    }
  }
}

function userName({ namespace, name }: Pick<Account, "namespace" | "name">): string {
  return `system:serviceaccount:${namespace}:${name}`;
}
