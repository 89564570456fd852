// Files of the data directory that hold keys: written whole or not at all, never readable by others, and named when
// they are damaged.

import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** Whole or not at all, and never readable by others. */
export function writePrivate(file: string, text: string): void {
  const temporary = `${file}.new`;
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  chmodSync(temporary, 0o600); // The mode above counts only for a file that did not exist.
  renameSync(temporary, file);
}

export function readCertificate(file: string): string {
  return readPem(file, "a certificate", (pem) => new X509Certificate(pem));
}

export function readKey(file: string): string {
  return readPem(file, "a private key", createPrivateKey);
}

/** Of a public key, or of the public half of a private one. */
export function readPublicKey(file: string): string {
  const pem = readPem(file, "a key", createPublicKey);
  return createPublicKey(pem).export({ type: "spki", format: "pem" }) as string;
}

/** Throws if it is damaged, and says which file it is. */
function readPem(file: string, what: string, parse: (pem: string) => unknown): string {
  const pem = readFileSync(file, "utf8");
  try {
    parse(pem);
  } catch (err) {
    throw new Error(`Cannot read ${file}: it is not ${what} in PEM`, { cause: err });
  }
  return pem;
}
