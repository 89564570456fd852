// Tokens of service accounts: signed here, checked here, and good only as long as the account is the one that they were
// made for.

import { randomUUID } from "node:crypto";
import { importPKCS8, importSPKI, jwtVerify, SignJWT } from "jose";
import type { Clock } from "../../base/clock.ts";
import type { TokenAuthenticator } from "../authentication.ts";
import type { UserInfo } from "../user.ts";

export const ISSUER = "https://kubernetes.default.svc";
const ALGORITHM = "ES256";

export interface Account {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
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
  /** The account as it is now; undefined if there is none. */
  account(namespace: string, name: string): Promise<Account | undefined>;
}

export class ServiceAccountTokens implements TokenAuthenticator {
  readonly #options: ServiceAccountTokensOptions;

  constructor(options: ServiceAccountTokensOptions) {
    this.#options = options;
  }

  async sign(
    account: Account,
    { audiences, seconds }: { readonly audiences: readonly string[]; readonly seconds: number },
  ): Promise<SignedToken> {
    const now = Math.floor(this.#options.clock.now() / 1000);
    const key = await importPKCS8(this.#options.privateKey, ALGORITHM);
    const token = await new SignJWT({
      "kubernetes.io": {
        namespace: account.namespace,
        serviceaccount: { name: account.name, uid: account.uid },
      },
    })
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

  async authenticate(token: string): Promise<UserInfo | undefined> {
    const claims = await this.#claims(token);
    const parts = claims?.sub?.split(":");
    const [system, kind, namespace, name] = parts ?? [];
    if (system !== "system" || kind !== "serviceaccount") return undefined;
    if (namespace === undefined || name === undefined) return undefined;
    const account = await this.#options.account(namespace, name);
    if (account === undefined || account.uid !== claims?.uid) return undefined;
    return {
      name: userName(account),
      uid: account.uid,
      groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
    };
  }

  async #claims(
    token: string,
  ): Promise<{ readonly sub?: string; readonly uid?: string } | undefined> {
    const { publicKey, clock } = this.#options;
    try {
      const { payload } = await jwtVerify(token, await importSPKI(publicKey, ALGORITHM), {
        issuer: ISSUER,
        audience: ISSUER,
        currentDate: new Date(clock.now()),
      });
      const private_ = payload["kubernetes.io"] as
        | { readonly serviceaccount?: { readonly uid?: string } }
        | undefined;
      const uid = private_?.serviceaccount?.uid;
      return {
        ...(payload.sub !== undefined && { sub: payload.sub }),
        ...(uid !== undefined && { uid }),
      };
    } catch {
      return undefined; // Not ours, damaged, or over: the client is told that it is unauthorized.
    }
  }
}

function userName({ namespace, name }: Account): string {
  return `system:serviceaccount:${namespace}:${name}`;
}
