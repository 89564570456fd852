// Digests of content: "sha256:…".

import { createHash, type Hash } from "node:crypto";

/** Content is not what its digest says. */
export class DigestError extends Error {
  override readonly name = "DigestError";
}

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** Refuses what is not a sha256 digest, so that it can be a part of a path. */
export function hexOf(digest: string): string {
  const [, hex] = /^sha256:([0-9a-f]{64})$/.exec(digest) ?? [];
  if (hex === undefined)
    throw new DigestError(`Cannot use the digest ${JSON.stringify(digest)}: it is not sha256`);
  return hex;
}

/** Passes bytes on and digests them on the way. The digest is good when the stream has ended. */
export class DigestingStream implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterable<Uint8Array>;
  readonly #hash: Hash = createHash("sha256");

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for await (const bytes of this.#source) {
      this.#hash.update(bytes);
      yield bytes;
    }
  }

  digest(): string {
    return `sha256:${this.#hash.digest("hex")}`;
  }
}

/** Reads what is left: an archive may have more behind its end, which its digest covers. */
export async function drain(source: AsyncIterator<Uint8Array>): Promise<void> {
  while ((await source.next()).done !== true);
}
