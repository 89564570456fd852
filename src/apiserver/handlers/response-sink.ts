// Where a watch writes: the response, as long as the client keeps up. What waits to be sent is bounded; a client that
// falls behind is told to list again and is gone. It never slows the others, because nothing here waits.

import type { Socket } from "node:net";
import { expired, type StatusError } from "../../api/status-error.ts";
import type { EventEncoder } from "../cache/cache-event.ts";
import type { WatchSink } from "../cache/watcher.ts";
import type { HttpResponse } from "../http/answer.ts";
import { chunkOf } from "../http/chunked-frame.ts";
import { isGone } from "../http/is-gone.ts";

/** Beyond what the kernel's buffers take. Frames are shared between watchers, so this is a bound, not a cost. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

export class ResponseSink implements WatchSink {
  readonly #response: HttpResponse;
  readonly #encoder: EventEncoder;
  readonly #closed = Promise.withResolvers<void>();
  /** What happened while the past is still being sent. Undefined when it is not. */
  #waiting: { readonly frames: Buffer[]; bytes: number } | undefined;
  #isClosed = false;

  constructor(response: HttpResponse, encoder: EventEncoder) {
    this.#response = response;
    this.#encoder = encoder;
    response.on("close", () => this.#close());
    response.on("error", () => this.#close());
    if (isGone(response)) this.#close();
  }

  /** Resolves when nothing can be sent any more. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Sends what comes before anything else, as fast as the client takes it and no faster: it may be any amount. What
   * is sent meanwhile waits behind it, and that is bounded.
   */
  async sendPast(frames: Iterable<Buffer>): Promise<void> {
    const waiting = { frames: [] as Buffer[], bytes: 0 };
    this.#waiting = waiting;
    for (const frame of frames) {
      if (this.#isClosed) return;
      if (!this.#response.write(frame)) await this.#drained();
    }
    this.#waiting = undefined;
    for (const frame of waiting.frames) this.send(frame);
  }

  send(frame: Buffer): boolean {
    if (this.#isClosed) return false;
    if (this.#waiting !== undefined) return this.#wait(this.#waiting, frame);
    const { socket, chunkedEncoding } = this.#response;
    if (socket !== null && chunkedEncoding) sendChunk(socket, chunkOf(frame));
    else this.#response.write(frame);
    if (this.#response.writableLength <= MAX_WAITING_BYTES) return true;
    this.expire("the client is too slow");
    return false;
  }

  expire(message: string): void {
    this.fail(expired(`too old resource version: ${message}`));
  }

  /** The stream is well formed to its end: the last event says what happened. */
  fail(error: StatusError): void {
    if (this.#isClosed) return;
    this.#response.write(this.#encoder.error(error));
    this.end();
  }

  end(): void {
    if (this.#isClosed) return;
    this.#response.end();
    this.#close();
  }

  #wait(waiting: { readonly frames: Buffer[]; bytes: number }, frame: Buffer): boolean {
    waiting.frames.push(frame);
    waiting.bytes += frame.length;
    if (waiting.bytes <= MAX_WAITING_BYTES) return true;
    this.expire("the client is too slow");
    return false;
  }

  async #drained(): Promise<void> {
    const drained = Promise.withResolvers<void>();
    this.#response.once("drain", drained.resolve);
    await Promise.race([drained.promise, this.closed]);
  }

  #close(): void {
    this.#isClosed = true;
    this.#closed.resolve();
  }
}

/**
 * Past the response, which would make the framing for each watcher again. What one turn of the event loop sends goes
 * out at its end, as one write: a burst costs each watcher one system call.
 */
function sendChunk(socket: Socket, chunk: Buffer): void {
  if (socket.writableCorked === 0) {
    socket.cork();
    process.nextTick(uncork, socket);
  }
  socket.write(chunk);
}

function uncork(socket: Socket): void {
  socket.uncork();
}
