// The channels of Kubernetes over WebSocket: the first byte of a message says which channel the rest is for. In the base64
// variants it is a digit, and the rest is base64. Only version 5 can close one direction of a channel.

import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Clock } from "../../base/clock.ts";
import { Intake } from "../intake.ts";
import { partingMs } from "../parting.ts";
import { Substream } from "../substream.ts";

const closeSignal = 255;
const maxMessageBytes = 65_536;
/**
 * kubectl wants a pong within a minute, and gets none to a ping that is not read because a program leaves its input
 * alone. One that was not asked for does as well, and shows whether the client is still there.
 */
const pongMs = 10_000;
/** For a client that broke the protocol to take the good-bye. */
const partMs = 10_000;

export interface ChannelSocketOptions {
  readonly ws: WebSocket;
  /** The connection below. */
  readonly socket: Duplex;
  readonly clock: Clock;
  readonly channels: number;
  readonly isBase64: boolean;
  readonly canClose: boolean;
}

export class ChannelSocket implements Disposable {
  readonly #options: ChannelSocketOptions;
  readonly #channels: readonly Substream[];
  readonly #intake: Intake;
  readonly #gone = new AbortController();
  readonly #closed = Promise.withResolvers<void>();
  #pong: Disposable | undefined;

  constructor(options: ChannelSocketOptions) {
    this.#options = options;
    const { ws } = options;
    this.#intake = new Intake({ pause: () => ws.pause(), resume: () => ws.resume() });
    this.#channels = Array.from({ length: options.channels }, (_, index) => this.#open(index));
  }

  /** Aborts when the client has closed the connection or is gone. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  channel(index: number): Substream {
    const channel = this.#channels[index];
    if (!channel) throw new RangeError(`There is no channel ${index}`);
    return channel;
  }

  start(): void {
    const { ws } = this.#options;
    ws.on("message", (data: Buffer) => this.#receive(data))
      .on("error", (err) => this.#lose(err))
      .on("close", () => {
        this.#lose(new Error("The client closed the connection"));
        this.#closed.resolve();
      });
    this.#schedulePong();
    ws.resume();
  }

  /** Sends an empty message, by which older clients know that the connection is there. */
  announce(index: number): void {
    this.#send(index, Buffer.alloc(0), () => undefined);
  }

  /** Says good-bye after everything that was written, and resolves when the client has answered. */
  async close(): Promise<void> {
    const { ws, clock, socket } = this.#options;
    for (const channel of this.#channels) channel.destroy();
    ws.close(1000);
    // Python's client looks only at what comes over the network, and not at what TLS has for it already: the end of our half wakes it.
    socket.end();
    using _limit = clock.schedule(partingMs, () => socket.destroy());
    await this.#closed.promise;
  }

  [Symbol.dispose](): void {
    this.#options.ws.terminate();
    this.#lose(new Error("The connection was cut"));
  }

  #schedulePong(): void {
    const { ws, clock } = this.#options;
    this.#pong = clock.schedule(pongMs, () => {
      if (ws.readyState === ws.OPEN) ws.pong();
      this.#schedulePong();
    });
  }

  #open(index: number): Substream {
    return new Substream({
      send: (bytes, done) => this.#send(index, bytes, done),
      end: (done) => done(),
      consumed: (bytes) => this.#intake.take(bytes),
      closed: () => undefined,
    });
  }

  #receive(message: Buffer): void {
    const { canClose, isBase64 } = this.#options;
    const first = message[0];
    if (first === undefined || this.#gone.signal.aborted) return;
    if (canClose && first === closeSignal) {
      this.#receiveClose(message);
      return;
    }
    // A message for a channel that there is not is left alone, as in the original.
    const channel = this.#channels[isBase64 ? first - 0x30 : first];
    const bytes = isBase64
      ? Buffer.from(message.toString("latin1", 1), "base64")
      : message.subarray(1);
    if (channel && bytes.length > 0) {
      this.#intake.add(bytes.length);
      channel.receive(bytes);
    }
  }

  #receiveClose(message: Buffer): void {
    const channel = message.length === 2 ? this.#channels[message[1] ?? -1] : undefined;
    if (channel) {
      channel.receiveEnd();
    } else {
      this.#options.ws.close(1002, "a channel to close must be named");
      this.#lose(new Error("The client closed a channel that there is not"));
    }
  }

  #send(index: number, bytes: Buffer, done: (err?: Error | null) => void): void {
    const { ws, isBase64 } = this.#options;
    if (ws.readyState !== ws.OPEN) {
      done(new Error("Cannot write: the client is gone"));
      return;
    }
    const part = bytes.subarray(0, maxMessageBytes);
    const message = isBase64
      ? `${String.fromCharCode(0x30 + index)}${part.toString("base64")}`
      : Buffer.concat([Buffer.from([index]), part]);
    ws.send(message, (err) => {
      if (err || part.length === bytes.length) done(err ?? null);
      else this.#send(index, bytes.subarray(part.length), done);
    });
  }

  #lose(reason: Error): void {
    if (this.#gone.signal.aborted) return;
    const { clock, socket } = this.#options;
    this.#pong?.[Symbol.dispose]();
    this.#gone.abort(reason);
    for (const channel of this.#channels) channel.destroy(reason);
    if (!socket.destroyed) {
      const limit = clock.schedule(partMs, () => socket.destroy());
      socket.once("close", () => limit[Symbol.dispose]());
    }
  }
}
