// HTTP/2 by hand: frames as bytes, headers without compression, nothing checked. What the server sends back is
// taken apart into frames, and nothing is answered unless the test does.

import type { DriftlessServer } from "../support/driftless-server.ts";
import { RawConnection } from "./raw-connection.ts";

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const END_STREAM = 1;
export const END_HEADERS = 4;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

export interface FrameOptions {
  readonly type: number;
  readonly flags?: number;
  readonly stream?: number;
  readonly payload?: Uint8Array;
}

export function frame({ type, flags = 0, stream = 0, payload }: FrameOptions): Buffer {
  const body = payload ?? new Uint8Array();
  const head = Buffer.alloc(9);
  head.writeUIntBE(body.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, body]);
}

/** A header block of literals that are not put into any table. */
export function headerBlock(headers: readonly (readonly [string, string])[]): Buffer {
  return Buffer.concat(
    headers.flatMap(([name, value]) => [Buffer.from([0]), hpackString(name), hpackString(value)]),
  );
}

function hpackString(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  return Buffer.concat([hpackLength(bytes.length), bytes]);
}

function hpackLength(length: number): Buffer {
  if (length < 127) return Buffer.from([length]);
  const bytes = [127];
  for (let rest = length - 127; ; rest = Math.floor(rest / 128)) {
    bytes.push(rest >= 128 ? (rest % 128) + 128 : rest);
    if (rest < 128) return Buffer.from(bytes);
  }
}

export function requestHeaders(
  path: string,
  {
    method = "GET",
    more = [],
  }: { readonly method?: string; readonly more?: [string, string][] } = {},
): Buffer {
  return headerBlock([
    [":method", method],
    [":scheme", "https"],
    [":authority", "localhost"],
    [":path", path],
    ...more,
  ]);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Settings by number: 3 is the most streams, 4 the window of each, 6 the most bytes of headers. */
export function settingsPayload(settings: readonly (readonly [number, number])[]): Buffer {
  return Buffer.concat(
    settings.map(([id, value]) => Buffer.concat([Buffer.from([0, id]), uint32(value)])),
  );
}

export class RawHttp2 implements Disposable {
  readonly connection: RawConnection;

  private constructor(connection: RawConnection) {
    this.connection = connection;
  }

  static async open(
    server: DriftlessServer,
    settings: readonly (readonly [number, number])[] = [],
  ): Promise<RawHttp2> {
    const connection = await RawConnection.open(server, "h2");
    connection.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    connection.write(frame({ type: frameTypes.settings, payload: settingsPayload(settings) }));
    const http2 = new RawHttp2(connection);
    await http2.untilFrame(({ type }) => type === frameTypes.settings);
    http2.send({ type: frameTypes.settings, flags: 1 });
    return http2;
  }

  send(options: FrameOptions): void {
    this.connection.write(frame(options));
  }

  /** A request without a body. */
  get(stream: number, path: string): void {
    this.send({
      type: frameTypes.headers,
      flags: END_STREAM | END_HEADERS,
      stream,
      payload: requestHeaders(path),
    });
  }

  /** What the server sent so far, as far as it is whole. */
  frames(): Frame[] {
    const { bytes } = this.connection;
    const frames: Frame[] = [];
    for (let at = 0; at + 9 <= bytes.length; ) {
      const end = at + 9 + bytes.readUIntBE(at, 3);
      if (end > bytes.length) break;
      frames.push({
        type: bytes[at + 3] ?? 0,
        flags: bytes[at + 4] ?? 0,
        stream: bytes.readUInt32BE(at + 5),
        payload: bytes.subarray(at + 9, end),
      });
      at = end;
    }
    return frames;
  }

  /** The first frame of that kind; undefined if the connection ends without. */
  async untilFrame(matches: (frame: Frame) => boolean): Promise<Frame | undefined> {
    await this.connection.until(() => this.frames().some(matches));
    return this.frames().find(matches);
  }

  /** The error code with which the server gave the connection up; undefined if it said none. */
  goAwayCode(): number | undefined {
    return this.frames()
      .find(({ type }) => type === frameTypes.goAway)
      ?.payload.readUInt32BE(4);
  }

  [Symbol.dispose](): void {
    this.connection[Symbol.dispose]();
  }
}
