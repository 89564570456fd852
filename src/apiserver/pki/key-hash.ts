// The short form of a public key: what kubeadm calls the hash of a CA, and what tells one machine from another.

import { createHash, X509Certificate } from "node:crypto";

/** "sha256:" and 64 hexadecimal digits, of the key's DER (SPKI). */
export type KeyHash = `sha256:${string}`;

export function keyHash(publicKey: Uint8Array): KeyHash {
  return `sha256:${createHash("sha256").update(publicKey).digest("hex")}`;
}

/** Of the key in a certificate (PEM or DER). */
export function certificateKeyHash(certificate: string | Uint8Array): KeyHash {
  const { publicKey } = new X509Certificate(certificate);
  return keyHash(publicKey.export({ type: "spki", format: "der" }));
}
