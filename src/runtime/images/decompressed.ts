// Undoes the compression of a stream, whichever it has: told by its first bytes, not by what somebody says of it.

import { Readable } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { ByteReader } from "./byte-reader.ts";
import { TarError } from "./tar-reader.ts";

const GZIP = Buffer.from([0x1f, 0x8b]);
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const LONGEST_MAGIC = 4;
const CHUNK_BYTES = 256 * 1024;

export type Compression = "gzip" | "zstd" | "none";

export function compressionOf(beginning: Uint8Array): Compression {
  const bytes = Buffer.from(beginning);
  if (bytes.subarray(0, GZIP.length).equals(GZIP)) return "gzip";
  return bytes.subarray(0, ZSTD.length).equals(ZSTD) ? "zstd" : "none";
}

export async function* decompressed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = new ByteReader(source);
  const beginning = await reader.take(LONGEST_MAGIC);
  const whole = restOf(beginning, reader);
  switch (compressionOf(beginning)) {
    case "none":
      yield* whole;
      return;
    case "gzip":
      yield* through(whole, createGunzip({ chunkSize: CHUNK_BYTES }));
      return;
    case "zstd":
      yield* through(whole, createZstdDecompress({ chunkSize: CHUNK_BYTES }));
  }
}

async function* restOf(beginning: Uint8Array, reader: ByteReader): AsyncGenerator<Uint8Array> {
  try {
    for (let bytes = beginning; bytes.length > 0; bytes = await reader.some(CHUNK_BYTES))
      yield bytes;
  } finally {
    await reader.close();
  }
}

/** A failure of either is the failure of the result. */
async function* through(
  source: AsyncIterable<Uint8Array>,
  transform: NodeJS.ReadWriteStream & { destroy(err?: Error): unknown },
): AsyncGenerator<Uint8Array> {
  const input = Readable.from(source);
  input.once("error", (err) => transform.destroy(err));
  input.pipe(transform);
  try {
    for await (const bytes of transform) yield bytes as Buffer;
  } finally {
    input.destroy();
    transform.destroy();
  }
}

/** Throws when there is more: a few KiB can be compressed gigabytes. */
export async function* limited(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const bytes of source) {
    total += bytes.length;
    if (total > maxBytes)
      throw new TarError("Cannot unpack the archive: it is larger than an image may be");
    yield bytes;
  }
}
