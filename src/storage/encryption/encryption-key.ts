// One key. Its id is a fingerprint of it: a damaged key, or one under the id of another, is found by looking at it
// alone, and two servers that each made a key have not made the same.

import { createHash, randomBytes } from "node:crypto";
import { Secret } from "../../base/secret.ts";
import { KEY_BYTES, XaesGcm } from "./xaes-gcm.ts";

/** In hexadecimal digits, as people see it. */
export const KEY_ID_BYTES = 8;

export class EncryptionKey {
  readonly id: string;
  readonly cipher: XaesGcm;
  readonly #bytes: Secret;

  constructor(bytes: Secret) {
    this.id = fingerprint(bytes);
    this.cipher = new XaesGcm(bytes);
    this.#bytes = bytes;
  }

  static generate(): EncryptionKey {
    return new EncryptionKey(new Secret(randomBytes(KEY_BYTES)));
  }

  /** From a line of a key file. Throws, without a word about its contents, if it is not a whole one. */
  static fromLine(line: string): EncryptionKey {
    const [id, encoded = "", ...more] = line.split(/\s+/);
    const bytes = Buffer.from(encoded, "base64");
    if (more.length > 0 || bytes.length !== KEY_BYTES || bytes.toString("base64") !== encoded) {
      throw new Error(`it is not an id and a key of ${KEY_BYTES} bytes in base64`);
    }
    const key = new EncryptionKey(new Secret(bytes));
    if (key.id !== id) throw new Error("the id is not that of the key");
    return key;
  }

  /** For a key file, and for nothing else: it has the key in it. */
  toLine(): string {
    return `${this.id} ${Buffer.from(this.#bytes.reveal()).toString("base64")}`;
  }
}

function fingerprint(bytes: Secret): string {
  const hash = createHash("sha256").update("driftless encryption key\0").update(bytes.reveal());
  return hash.digest("hex").slice(0, 2 * KEY_ID_BYTES);
}
