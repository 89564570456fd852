// The compressed headers of SPDY/3. All blocks of one direction are a single zlib stream, cut where the sender flushed it.
// A flush ends at a whole byte, so each block can be read by itself if the 32 KiB before it are given as its dictionary:
// no decompressor is kept, and how much may come out is limited beforehand. Blocks that are sent are not compressed.

import { constants, inflateRawSync } from "node:zlib";
import { SpdyError } from "./spdy-error.ts";

const words = [
  "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow",
  "authorization cache-control connection content-base content-encoding content-language content-length",
  "content-location content-md5 content-range content-type date etag expect expires from host if-match",
  "if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma",
  "proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade",
  "user-agent vary via warning www-authenticate method get status",
]
  .join(" ")
  .split(" ")
  .concat("200 OK", "version", "HTTP/1.1", "url", "public", "set-cookie", "keep-alive", "origin");

const rest =
  "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505" +
  "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized" +
  "403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable" +
  "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT" +
  "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain," +
  "text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.";

/** What both sides know before the first block. */
export const headerDictionary: Buffer = Buffer.concat([...words.map(counted), Buffer.from(rest)]);

/** How a zlib stream with this dictionary starts: the dictionary's checksum is in it. */
const zlibStart = Buffer.from("78bbe3c6a7c2", "hex");
const flushMark = Buffer.from("000000ffff", "hex");
const windowBytes = 32_768;

// A stream's headers are a few short words. The largest block that is read at all is far beyond them.
const maxBlockBytes = 65_536;
const maxHeaders = 100;

export type Headers = ReadonlyMap<string, string>;

/** Reads the blocks of one direction, in order. */
export class HeaderReader {
  #window = headerDictionary;
  #hasStarted = false;

  /** Throws a SpdyError; the blocks behind it cannot be read then. Names are in lower case. */
  read(block: Buffer): Headers {
    const bytes = this.#inflate(this.#hasStarted ? block : withoutStart(block));
    this.#hasStarted = true;
    this.#window = Buffer.concat([this.#window, bytes]).subarray(-windowBytes);
    return parseHeaders(bytes);
  }

  #inflate(block: Buffer): Buffer {
    try {
      return inflateRawSync(block, {
        dictionary: this.#window,
        finishFlush: constants.Z_SYNC_FLUSH,
        maxOutputLength: maxBlockBytes,
      });
    } catch (err) {
      throw new SpdyError("headers cannot be decompressed or are too large", { cause: err });
    }
  }
}

/** Writes the blocks of one direction, in order. */
export class HeaderWriter {
  #hasStarted = false;

  write(headers: Headers): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(headers.size);
    const bytes = Buffer.concat([
      count,
      ...[...headers].flatMap(([name, value]) => [counted(name), counted(value)]),
    ]);
    const start = this.#hasStarted ? [] : [zlibStart];
    this.#hasStarted = true;
    return Buffer.concat([...start, ...stored(bytes), flushMark]);
  }
}

function withoutStart(block: Buffer): Buffer {
  // The first byte may name a smaller window, and a level goes into the second: neither matters for reading.
  const hasStart = block.length >= 6 && (block.readUInt8(0) & 0x0f) === 8;
  if (!hasStart || block.readUInt32BE(2) !== zlibStart.readUInt32BE(2)) {
    throw new SpdyError("headers are not compressed with the dictionary of SPDY/3");
  }
  return block.subarray(6);
}

/** Bytes as deflate's blocks without compression. */
function stored(bytes: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 0xffff) {
    const part = bytes.subarray(at, at + 0xffff);
    const head = Buffer.alloc(5);
    head.writeUInt16LE(part.length, 1);
    head.writeUInt16LE(part.length ^ 0xffff, 3);
    blocks.push(head, part);
  }
  return blocks;
}

function parseHeaders(bytes: Buffer): Headers {
  let at = 0;
  const number = (): number => {
    if (at + 4 > bytes.length) throw new SpdyError("headers are cut off");
    at += 4;
    return bytes.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (at + length > bytes.length) throw new SpdyError("headers are cut off");
    at += length;
    return bytes.toString("utf8", at - length, at);
  };
  const headers = new Map<string, string>();
  const count = number();
  if (count > maxHeaders) {
    throw new SpdyError(`${count} headers are too many`);
  }
  for (let i = 0; i < count; i++) {
    const name = text().toLowerCase();
    if (headers.has(name)) throw new SpdyError("multiple headers with same name");
    // Several values are separated by a zero byte; the first one counts.
    headers.set(name, text().split("\0", 1)[0] ?? "");
  }
  return headers;
}

function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
