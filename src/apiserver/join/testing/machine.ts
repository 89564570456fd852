// A machine that wants to join: a key that never leaves it, and requests for certificates.

import type { webcrypto } from "node:crypto";
import { loadX509 } from "../../pki/issue.ts";
import { type KeyHash, keyHash } from "../../pki/key-hash.ts";

export interface Machine {
  /** PEM, PKCS #8 */
  readonly key: string;
  readonly keyHash: KeyHash;
  /** PEM, PKCS #10 */
  csr(subject?: string): Promise<string>;
}

const p256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

export async function newMachine(
  algorithm: webcrypto.RsaHashedKeyGenParams | webcrypto.EcKeyGenParams = p256,
): Promise<Machine> {
  const x509 = await loadX509();
  const keys = (await crypto.subtle.generateKey(algorithm, true, [
    "sign",
    "verify",
  ])) as webcrypto.CryptoKeyPair;
  const pkcs8 = await crypto.subtle.exportKey("pkcs8", keys.privateKey);
  return {
    key: x509.PemConverter.encode(pkcs8, "PRIVATE KEY"),
    keyHash: keyHash(new Uint8Array(await crypto.subtle.exportKey("spki", keys.publicKey))),
    async csr(name = "") {
      const signingAlgorithm = { hash: "SHA-256", ...algorithm };
      const made = await x509.Pkcs10CertificateRequestGenerator.create({
        name,
        keys,
        signingAlgorithm,
      });
      return made.toString("pem");
    },
  };
}
