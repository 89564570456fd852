// The frames of SPDY/3.1, read from bytes that come in any pieces, and written. Data is handed on as it comes, a large
// frame in several parts; control frames are held until they are whole and must therefore be small.

import { type HeaderReader, type Headers, HeaderWriter } from "./header-blocks.ts";
import { SpdyError } from "./spdy-error.ts";

export type Frame =
  /** A part of a data frame; `isLast` comes with the last part. */
  | {
      readonly type: "data";
      readonly streamId: number;
      readonly bytes: Buffer;
      readonly isLast: boolean;
    }
  | {
      readonly type: "synStream";
      readonly streamId: number;
      readonly headers: Headers;
      readonly isLast: boolean;
    }
  /** SYN_REPLY and HEADERS: a server that opens no streams makes no difference. */
  | { readonly type: "headers"; readonly streamId: number; readonly isLast: boolean }
  | { readonly type: "rstStream"; readonly streamId: number; readonly status: number }
  | { readonly type: "settings"; readonly initialWindow: number | undefined }
  | { readonly type: "ping"; readonly id: number }
  | { readonly type: "goAway" }
  | { readonly type: "windowUpdate"; readonly streamId: number; readonly delta: number };

export const resetStatus = { protocolError: 1, refusedStream: 3, cancel: 5 } as const;
export const goAwayStatus = { ok: 0, protocolError: 1 } as const;

const frameType = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

const lastFlag = 1;
const headBytes = 8;
const streamIdMask = 0x7fff_ffff;
const initialWindowSetting = 7;
/** Enough for any headers that a stream here is opened with. */
const maxControlBytes = 65_536;

export class FrameReader {
  readonly #headers: HeaderReader;
  readonly #head = Buffer.alloc(headBytes);
  #headFill = 0;
  /** What the frame's payload still lacks; meaningful when the head is whole. */
  #missing = 0;
  #control: Buffer[] = [];

  constructor(headers: HeaderReader) {
    this.#headers = headers;
  }

  /** Throws a SpdyError at the first frame that is wrong; it must not be called again then. */
  *read(chunk: Buffer): Generator<Frame, void, void> {
    let at = 0;
    while (at < chunk.length) {
      if (this.#headFill < headBytes) {
        const copied = chunk.copy(this.#head, this.#headFill, at);
        this.#headFill += copied;
        at += copied;
        if (this.#headFill < headBytes) return;
        this.#start();
        if (this.#missing > 0) continue;
      }
      const part = chunk.subarray(at, at + this.#missing);
      at += part.length;
      this.#missing -= part.length;
      const frame = this.#isControl() ? this.#takeControl(part) : this.#takeData(part);
      if (this.#missing === 0) this.#headFill = 0;
      if (frame) yield frame;
    }
  }

  #isControl(): boolean {
    return (this.#head.readUInt8(0) & 0x80) !== 0;
  }

  #start(): void {
    this.#missing = this.#head.readUIntBE(5, 3);
    this.#control = [];
    if (!this.#isControl()) {
      if (this.#head.readUInt32BE(0) === 0) throw new SpdyError("stream id zero is disallowed");
      return;
    }
    if (this.#head.readUInt16BE(0) !== 0x8003) {
      throw new SpdyError("a control frame is not of SPDY/3");
    }
    if (this.#missing > maxControlBytes) {
      throw new SpdyError(`a control frame of ${this.#missing} bytes is too large`);
    }
  }

  #takeData(bytes: Buffer): Frame {
    const isLast = this.#missing === 0 && (this.#head.readUInt8(4) & lastFlag) !== 0;
    return { type: "data", streamId: this.#head.readUInt32BE(0), bytes, isLast };
  }

  #takeControl(part: Buffer): Frame | undefined {
    // Copied, because it may be held for long and the chunk may be large.
    this.#control.push(Buffer.from(part));
    if (this.#missing > 0) {
      // A byte at a time must not cost an object per byte.
      if (this.#control.length > 64) this.#control = [Buffer.concat(this.#control)];
      return undefined;
    }
    const body = Buffer.concat(this.#control);
    this.#control = [];
    return this.#parse(body);
  }

  #parse(body: Buffer): Frame {
    const isLast = (this.#head.readUInt8(4) & lastFlag) !== 0;
    switch (this.#head.readUInt16BE(2)) {
      case frameType.synStream: {
        const streamId = idIn(body, 10);
        return { type: "synStream", streamId, headers: this.#read(body, 10), isLast };
      }
      case frameType.synReply:
      case frameType.headers: {
        const streamId = idIn(body, 4);
        // Also when nobody wants them: what follows is compressed with them.
        this.#read(body, 4);
        return { type: "headers", streamId, isLast };
      }
      case frameType.rstStream:
        return { type: "rstStream", streamId: idIn(body, 8), status: body.readUInt32BE(4) };
      case frameType.settings:
        return { type: "settings", initialWindow: initialWindowIn(body) };
      case frameType.ping:
        needs(body, 4);
        return { type: "ping", id: body.readUInt32BE(0) };
      case frameType.goAway:
        return { type: "goAway" };
      case frameType.windowUpdate:
        needs(body, 8);
        return {
          type: "windowUpdate",
          streamId: body.readUInt32BE(0) & streamIdMask,
          delta: body.readUInt32BE(4) & streamIdMask,
        };
      default:
        throw new SpdyError("invalid control frame");
    }
  }

  #read(body: Buffer, at: number): Headers {
    return this.#headers.read(body.subarray(at));
  }
}

function needs(body: Buffer, bytes: number): void {
  if (body.length < bytes) throw new SpdyError("a control frame is too short");
}

function idIn(body: Buffer, bytes: number): number {
  needs(body, bytes);
  const id = body.readUInt32BE(0) & streamIdMask;
  if (id === 0) throw new SpdyError("stream id zero is disallowed");
  return id;
}

function initialWindowIn(body: Buffer): number | undefined {
  needs(body, 4);
  const count = body.readUInt32BE(0);
  if (count > (body.length - 4) / 8) throw new SpdyError("invalid control frame");
  for (let at = 4; at < 4 + count * 8; at += 8) {
    if ((body.readUInt32BE(at) & 0xff_ffff) === initialWindowSetting) {
      return body.readUInt32BE(at + 4) & streamIdMask;
    }
  }
  return undefined;
}

/** Writes frames, in order: the headers of each depend on those before. */
export class FrameWriter {
  readonly #headers = new HeaderWriter();

  data(streamId: number, bytes: Buffer, isLast: boolean): Buffer {
    const head = Buffer.alloc(headBytes);
    head.writeUInt32BE(streamId);
    head.writeUInt8(isLast ? lastFlag : 0, 4);
    head.writeUIntBE(bytes.length, 5, 3);
    return bytes.length === 0 ? head : Buffer.concat([head, bytes]);
  }

  synStream(streamId: number, headers: Headers, isLast = false): Buffer {
    const fixed = Buffer.alloc(10);
    fixed.writeUInt32BE(streamId);
    const body = Buffer.concat([fixed, this.#headers.write(headers)]);
    return control(frameType.synStream, body, isLast ? lastFlag : 0);
  }

  synReply(streamId: number): Buffer {
    const body = Buffer.concat([numbers(streamId), this.#headers.write(new Map())]);
    return control(frameType.synReply, body);
  }

  rstStream(streamId: number, status: number): Buffer {
    return control(frameType.rstStream, numbers(streamId, status));
  }

  settings(initialWindow: number): Buffer {
    return control(frameType.settings, numbers(1, initialWindowSetting, initialWindow));
  }

  ping(id: number): Buffer {
    return control(frameType.ping, numbers(id));
  }

  goAway(lastStreamId: number, status: number): Buffer {
    return control(frameType.goAway, numbers(lastStreamId, status));
  }

  windowUpdate(streamId: number, delta: number): Buffer {
    return control(frameType.windowUpdate, numbers(streamId, delta));
  }
}

function control(type: number, body: Buffer, flags = 0): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt16BE(0x8003, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt8(flags, 4);
  head.writeUIntBE(body.length, 5, 3);
  return Buffer.concat([head, body]);
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) {
    bytes.writeUInt32BE(value, index * 4);
  }
  return bytes;
}
