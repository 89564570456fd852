// One of the streams that share a connection. It holds what came for it until it is read and waits with each write until
// the connection has taken it; framing and limits are the connection's.

import { Duplex } from "node:stream";
import { ByteQueue } from "./byte-queue.ts";

/** What a stream needs of its connection. */
export interface SubstreamLink {
  /** Calls `done` when the bytes have left this process. */
  send(bytes: Buffer, done: (err?: Error | null) => void): void;
  /** Tells the client, as far as the protocol can, that no more comes. */
  end(done: (err?: Error | null) => void): void;
  /** That many bytes do not wait here any longer. */
  consumed(bytes: number): void;
  /** The stream is no more, because both ends closed it or because it was destroyed. */
  closed(): void;
}

/**
 * Errors are for those who pipe it or listen; nobody has to. Its two directions end apart from each other.
 */
export class Substream extends Duplex {
  readonly #link: SubstreamLink;
  readonly #unread = new ByteQueue();
  #isWanted = false;
  #hasEnded = false;
  #hasPushedEnd = false;
  #isResetByClient = false;

  constructor(link: SubstreamLink) {
    super({ allowHalfOpen: true, readableHighWaterMark: 65_536, writableHighWaterMark: 65_536 });
    this.#link = link;
    this.on("error", () => undefined);
  }

  /** The client wants no more of it, in either direction. */
  get isResetByClient(): boolean {
    return this.#isResetByClient;
  }

  receive(bytes: Buffer): void {
    if (this.#hasEnded || this.destroyed) {
      this.#link.consumed(bytes.length);
      return;
    }
    this.#unread.push(bytes);
    this.#deliver();
  }

  receiveEnd(): void {
    if (!this.#hasEnded) {
      this.#hasEnded = true;
      this.#deliver();
    }
  }

  receiveReset(): void {
    this.#isResetByClient = true;
    this.destroy();
  }

  override _read(): void {
    this.#isWanted = true;
    this.#deliver();
  }

  override _write(
    chunk: Buffer,
    _encoding: BufferEncoding,
    done: (err?: Error | null) => void,
  ): void {
    this.#link.send(chunk, done);
  }

  override _final(done: (err?: Error | null) => void): void {
    this.#link.end(done);
  }

  override _destroy(err: Error | null, done: (err?: Error | null) => void): void {
    const left = this.#unread.size;
    this.#unread.clear();
    this.#link.closed();
    this.#link.consumed(left);
    done(err);
  }

  #deliver(): void {
    while (this.#isWanted && this.#unread.size > 0) {
      const bytes = this.#unread.shift() ?? Buffer.alloc(0);
      // Before the push: a reader that asks for more while it is given this must not be forgotten.
      this.#isWanted = false;
      if (this.push(bytes)) this.#isWanted = true;
      this.#link.consumed(bytes.length);
    }
    if (this.#hasEnded && this.#unread.size === 0 && !this.#hasPushedEnd) {
      this.#hasPushedEnd = true;
      this.push(null);
    }
  }
}

/** Ends the stream and resolves when everything has left, or when it was destroyed. It never rejects. */
export function flushed(stream: Substream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableFinished || stream.destroyed) {
      resolve();
      return;
    }
    stream.once("finish", resolve).once("close", resolve);
    if (!stream.writableEnded) stream.end();
  });
}
