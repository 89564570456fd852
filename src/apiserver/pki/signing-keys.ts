// The keys with which tokens of service accounts are signed and checked. To rotate: rename service-account.key to
// service-account-2026.key and start the server again. A new key signs from then on, and tokens of the old one are
// good until they end; then the renamed file can go. A service-account-*.pub is as good as a renamed key.

import { generateKeyPairSync } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readKey, readPublicKey, writePrivate } from "./private-file.ts";

export interface SigningKeys {
  /** PEM, PKCS #8: signs. */
  readonly privateKey: string;
  /** PEM, SPKI: what they signed before still counts. */
  readonly olderKeys: readonly string[];
}

export function loadSigningKeys(directory: string): SigningKeys {
  const file = join(directory, "service-account.key");
  if (!existsSync(file)) {
    const made = generateKeyPairSync("ec", { namedCurve: "P-256" });
    writePrivate(file, made.privateKey.export({ type: "pkcs8", format: "pem" }) as string);
  }
  const older = readdirSync(directory)
    .filter((name) => /^service-account-.*\.(?:pub|key)$/.test(name))
    .sort();
  return {
    privateKey: readKey(file),
    olderKeys: older.map((name) => readPublicKey(join(directory, name))),
  };
}
