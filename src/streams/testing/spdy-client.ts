// The client's side of SPDY, as far as tests need it: it sends what it is told to, also what is wrong, and keeps all frames.

import { EventEmitter, once } from "node:events";
import type { Duplex } from "node:stream";
import { type Frame, FrameReader, FrameWriter } from "../spdy/frames.ts";
import { HeaderReader } from "../spdy/header-blocks.ts";

export class SpdyClient {
  readonly frames: Frame[] = [];
  readonly write: FrameWriter = new FrameWriter();
  readonly socket: Duplex;
  readonly #events = new EventEmitter();
  #nextId = 1;

  constructor(socket: Duplex) {
    this.socket = socket;
    const reader = new FrameReader(new HeaderReader());
    socket.on("data", (chunk: Buffer) => {
      this.frames.push(...reader.read(chunk));
      this.#events.emit("frame");
    });
    socket.on("close", () => this.#events.emit("frame"));
  }

  /** Opens a stream and returns its number. */
  open(headers: Readonly<Record<string, string>>): number {
    const id = this.#nextId;
    this.#nextId += 2;
    this.socket.write(this.write.synStream(id, new Map(Object.entries(headers))));
    return id;
  }

  send(id: number, bytes: string | Buffer, isLast = false): void {
    this.socket.write(this.write.data(id, Buffer.from(bytes), isLast));
  }

  /** All data of a stream so far. */
  received(id: number): Buffer {
    return Buffer.concat(
      this.frames.flatMap((frame) =>
        frame.type === "data" && frame.streamId === id ? [frame.bytes] : [],
      ),
    );
  }

  /** The first frame, of those that came or will come, that is as wanted. Throws when the connection closes before. */
  async frame(isWanted: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.frames.find(isWanted);
      if (found) return found;
      if (this.socket.destroyed) throw new Error("The connection closed without such a frame");
      await once(this.#events, "frame");
    }
  }

  /** Resolves when the server has ended this stream. */
  async ended(id: number): Promise<Buffer> {
    await this.frame((frame) => frame.type === "data" && frame.streamId === id && frame.isLast);
    return this.received(id);
  }

  async reset(id: number): Promise<number> {
    const frame = await this.frame((one) => one.type === "rstStream" && one.streamId === id);
    return frame.type === "rstStream" ? frame.status : 0;
  }
}
