// Whether a token was signed with one of our keys. The answer never changes, so it is remembered for the tokens that
// came last; who they stand for, and until when, is for others to judge each time.

import { createHash } from "node:crypto";
import { compactVerify, decodeProtectedHeader, type JWTPayload } from "jose";
import type { TokenKey, TokenKeys } from "./token-keys.ts";

/** What a token says, and that we said it. */
export type SignedClaims = JWTPayload;

/** A token's claims take about 1 KiB. Beyond, the one that was seen first is forgotten, and checked again. */
const MAX_REMEMBERED = 4096;

export class SignatureCheck {
  readonly #keys: Pick<TokenKeys, "candidates">;
  /** By the hash of the token: whoever reads this memory finds none that could be used. In order of arrival. */
  readonly #known = new Map<string, SignedClaims>();

  constructor(keys: Pick<TokenKeys, "candidates">) {
    this.#keys = keys;
  }

  /** Undefined: damaged, or not ours. */
  async check(token: string): Promise<SignedClaims | undefined> {
    const digest = createHash("sha256").update(token).digest("base64");
    const known = this.#known.get(digest);
    if (known !== undefined) return known;
    const found = await this.#verified(token);
    if (found !== undefined) this.#remember(digest, found);
    return found;
  }

  #remember(digest: string, claims: SignedClaims): void {
    this.#known.set(digest, claims);
    if (this.#known.size <= MAX_REMEMBERED) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }

  async #verified(token: string): Promise<SignedClaims | undefined> {
    for (const candidate of this.#keys.candidates(keyIdOf(token))) {
      const claims = await verifiedWith(token, candidate);
      if (claims !== undefined) return claims;
    }
    return undefined;
  }
}

/** A token that is none has no key that could be found. */
function keyIdOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid;
  } catch {
    return ""; // Damaged; no key is called so.
  }
}

async function verifiedWith(
  token: string,
  { key, algorithm }: TokenKey,
): Promise<SignedClaims | undefined> {
  try {
    const { payload } = await compactVerify(token, key, { algorithms: [algorithm] });
    return JSON.parse(Buffer.from(payload).toString("utf8")) as SignedClaims;
  } catch {
    return undefined; // Another key's, or changed: the client is told that it is unauthorized.
  }
}
