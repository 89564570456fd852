// Undoes what people do to get bytes through: base64 and gzip. Nothing is guessed, and nothing grows without a limit.

import { gunzipSync } from "node:zlib";
import { isErrno } from "../../base/errors.ts";
import { type Input, MakeError } from "./make-error.ts";

export type Encoding = "base64" | "gzip";

/** More is no configuration. A few KiB of gzip can hold gigabytes of zeros. */
const MAX_DECODED_BYTES = 64 * 1024 * 1024;

/** Each encoding in order; throws MakeError when the input is not in it. */
export function decoded(
  input: Input,
  encodings: readonly Encoding[],
  maxBytes: number = MAX_DECODED_BYTES,
): Input {
  let { data } = input;
  for (const encoding of encodings) {
    data =
      encoding === "gzip"
        ? gunzipped(input.address, data, maxBytes)
        : fromBase64(input.address, data);
  }
  return { ...input, data };
}

/** What begins as gzip does. */
export function isGzip(data: Uint8Array): boolean {
  return data[0] === 0x1f && data[1] === 0x8b && data[2] === 0x08;
}

function gunzipped(address: string, data: Uint8Array, maxBytes: number): Uint8Array {
  try {
    return gunzipSync(data, { maxOutputLength: maxBytes });
  } catch (err) {
    const isLarge = isErrno(err, "ERR_BUFFER_TOO_LARGE");
    const why = isLarge ? `is larger than ${maxBytes} bytes when unpacked` : "is not whole gzip";
    throw new MakeError(`${address} ${why}`, { cause: err });
  }
}

/** Strictly, unlike Buffer, which leaves out what it does not understand. Line ends are fine. */
function fromBase64(address: string, data: Uint8Array): Uint8Array {
  const text = Buffer.from(data).toString("latin1").replace(/\s+/g, "");
  const bare = text.replace(/={1,2}$/, "");
  const isWhole = bare.length % 4 !== 1 && (text === bare || text.length % 4 === 0);
  if (!isWhole || !/^[A-Za-z0-9+/]*$/.test(bare)) throw new MakeError(`${address} is not base64`);
  return Buffer.from(bare, "base64");
}
