// The keys behind tokens of service accounts: one signs, several verify, each known by the hash of its public half. They
// are imported once, which costs more than checking a signature does.

import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";

/** As JSON Web Keys name them. Those that Kubernetes takes. */
export type Algorithm = "ES256" | "ES384" | "ES512" | "RS256";

export interface TokenKey {
  readonly id: string;
  readonly algorithm: Algorithm;
  readonly key: KeyObject;
}

export interface TokenKeysOptions {
  /** PEM, PKCS #8: signs. */
  readonly privateKey: string;
  /** PEM, SPKI: what they signed before still counts. */
  readonly olderKeys: readonly string[];
}

export class TokenKeys {
  readonly signer: TokenKey;
  readonly #verifiers: ReadonlyMap<string, TokenKey>;

  constructor({ privateKey, olderKeys }: TokenKeysOptions) {
    const key = createPrivateKey(privateKey);
    const own = verifier(createPublicKey(key));
    this.signer = { ...own, key };
    const all = [own, ...olderKeys.map((pem) => verifier(createPublicKey(pem)))];
    this.#verifiers = new Map(all.map((one) => [one.id, one]));
  }

  /** Those that a token may have been signed with: the one that it names, or all if it names none. */
  candidates(id: string | undefined): readonly TokenKey[] {
    if (id === undefined) return [...this.#verifiers.values()];
    const found = this.#verifiers.get(id);
    return found === undefined ? [] : [found];
  }

  /** For others who check tokens: a JSON Web Key Set, in the order of Go's fields. */
  jwks(): { readonly keys: readonly object[] } {
    return { keys: this.candidates(undefined).map(jwk) };
  }

  algorithms(): readonly Algorithm[] {
    return [...new Set(this.candidates(undefined).map(({ algorithm }) => algorithm))].sort();
  }
}

function verifier(key: KeyObject): TokenKey {
  const der = key.export({ type: "spki", format: "der" });
  const id = createHash("sha256").update(der).digest("base64url");
  return { id, algorithm: algorithmOf(key), key };
}

const curves: Readonly<Record<string, Algorithm>> = {
  prime256v1: "ES256",
  secp384r1: "ES384",
  secp521r1: "ES512",
};

function algorithmOf({
  asymmetricKeyType: type,
  asymmetricKeyDetails: details,
}: KeyObject): Algorithm {
  const found = type === "rsa" ? "RS256" : curves[details?.namedCurve ?? ""];
  if (found !== undefined) return found;
  throw new Error(
    `Cannot use a key of type ${type} for tokens: it must be RSA, or ECDSA on P-256, P-384 or P-521`,
  );
}

/** What a kind of key does not have is undefined, and left out when it is written. */
function jwk({ id, algorithm, key }: TokenKey): object {
  const { kty, crv, x, y, n, e } = key.export({ format: "jwk" });
  return { use: "sig", kty, kid: id, crv, alg: algorithm, x, y, n, e };
}
