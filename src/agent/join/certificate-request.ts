// Makes a key and asks for a certificate for it (PKCS #10). The library is loaded only then: a node asks on its first start
// and every few weeks.

import { createPrivateKey, createPublicKey, generateKeyPair, type webcrypto } from "node:crypto";
import { promisify } from "node:util";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** PEM, PKCS #8 */
export async function newKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }) as string;
}

/** PEM. It names nobody: what the certificate says is decided by who signs it. */
export async function certificateRequest(key: string): Promise<string> {
  // The library finds out at load time that it cannot work without.
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: "",
    keys: await keyPair(key),
    signingAlgorithm: algorithm,
  });
  return request.toString("pem");
}

async function keyPair(pem: string): Promise<webcrypto.CryptoKeyPair> {
  const key = createPrivateKey(pem);
  const pkcs8 = key.export({ type: "pkcs8", format: "der" });
  const spki = createPublicKey(key).export({ type: "spki", format: "der" });
  return {
    privateKey: await crypto.subtle.importKey("pkcs8", bytes(pkcs8), algorithm, false, ["sign"]),
    publicKey: await crypto.subtle.importKey("spki", bytes(spki), algorithm, true, ["verify"]),
  };
}

function bytes(buffer: Buffer): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer);
}
