// The server's side of a SPDY/3.1 connection, as kubectl uses it: the client opens streams, both sides send data on them
// and close them direction by direction.
// Flow control: kubectl neither keeps a window nor widens ours, so what holds it back is that its connection is not read,
// and what holds us back is that the socket takes no more. A client that does count is given credit for what was read,
// and, once it has shown that it counts, is sent no more than it allows.

import type { Duplex } from "node:stream";
import type { Clock } from "../../base/clock.ts";
import { Intake } from "../intake.ts";
import { Substream } from "../substream.ts";
import { type Frame, FrameReader, FrameWriter, goAwayStatus, resetStatus } from "./frames.ts";
import { HeaderReader, type Headers } from "./header-blocks.ts";
import { SpdyError } from "./spdy-error.ts";

const defaultWindowBytes = 65_536;
const creditBytes = 32_768;
const maxFrameBytes = 65_536;
/** Two for each connection that a port-forward carries. */
const maxStreams = 2_000;
/** A write now and then is how a client that vanished is noticed while nothing is read from it. */
const pingMs = 10_000;
/** For a client that is told good-bye to take it. */
const partMs = 10_000;

export interface SpdyConnectionOptions {
  readonly socket: Duplex;
  readonly clock: Clock;
  /** Decides on a stream that the client wants to open: what to do with it, or undefined to have it reset. */
  readonly accept: (request: StreamRequest) => ((stream: Substream) => void) | undefined;
}

export interface StreamRequest {
  readonly id: number;
  readonly headers: Headers;
}

/** What is not about one stream alone. */
type CommonFrame = Extract<Frame, { type: "settings" | "ping" | "goAway" | "windowUpdate" }>;

interface Open {
  readonly stream: Substream;
  /** How much the client lets us send, if it counts. */
  windowBytes: number;
  /** What was read and the client was not told yet. */
  creditBytes: number;
  hasSentEnd: boolean;
}

export class SpdyConnection implements Disposable {
  readonly #options: SpdyConnectionOptions;
  readonly #reader = new FrameReader(new HeaderReader());
  readonly #writer = new FrameWriter();
  readonly #intake: Intake;
  readonly #streams = new Map<number, Open>();
  /** Writes that wait for the client to widen a window. */
  readonly #blocked = new Map<Open, () => void>();
  readonly #gone = new AbortController();
  readonly #closed = Promise.withResolvers<void>();
  #lastStreamId = 0;
  #initialWindowBytes = defaultWindowBytes;
  #windowBytes = defaultWindowBytes;
  #creditBytes = 0;
  #isCounting = false;
  #nextPingId = 2;
  #ping: Disposable | undefined;

  constructor(options: SpdyConnectionOptions) {
    this.#options = options;
    const { socket } = options;
    this.#intake = new Intake({
      pause: () => socket.pause(),
      resume: () => socket.resume(),
    });
  }

  /** Aborts when the client has closed the connection or is gone, for a reason that says which. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** Resolves when nothing of the connection is left. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Begins to read, first what came behind the request. */
  start(head: Buffer): void {
    const { socket } = this.#options;
    socket
      .on("error", (err) => this.#lose(err))
      .on("close", () => {
        this.#lose(new Error("The client closed the connection"));
        this.#closed.resolve();
      })
      .on("end", () => this.#lose(new Error("The client closed the connection")));
    this.#schedulePing();
    if (socket.destroyed) {
      this.#lose(new Error("The client closed the connection"));
      this.#closed.resolve();
      return;
    }
    if (head.length > 0) this.#receive(head);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
  }

  /** Resets what is open, says good-bye and closes; a client that does not take it is cut off after a while. */
  close(): void {
    for (const { stream } of [...this.#streams.values()]) {
      stream.destroy();
    }
    this.#part(goAwayStatus.ok, new Error("The connection was closed"));
  }

  [Symbol.dispose](): void {
    this.#lose(new Error("The connection was cut"));
  }

  #schedulePing(): void {
    this.#ping = this.#options.clock.schedule(pingMs, () => {
      this.#answer(this.#writer.ping(this.#nextPingId));
      this.#nextPingId = (this.#nextPingId + 2) % 0x7fff_fffe || 2;
      this.#schedulePing();
    });
  }

  #receive(chunk: Buffer): void {
    if (this.#gone.signal.aborted) return;
    try {
      for (const frame of this.#reader.read(chunk)) {
        this.#handle(frame);
        if (this.#gone.signal.aborted) return;
      }
    } catch (err) {
      if (!(err instanceof SpdyError)) throw err;
      this.#part(goAwayStatus.protocolError, err);
    }
  }

  #handle(frame: Frame): void {
    switch (frame.type) {
      case "data":
        this.#handleData(frame.streamId, frame.bytes, frame.isLast);
        break;
      case "synStream":
        this.#handleStream(frame.streamId, frame.headers, frame.isLast);
        break;
      case "headers":
        if (frame.isLast) this.#streams.get(frame.streamId)?.stream.receiveEnd();
        break;
      case "rstStream":
        this.#streams.get(frame.streamId)?.stream.receiveReset();
        break;
      default:
        this.#handleCommon(frame);
    }
  }

  #handleCommon(frame: CommonFrame): void {
    switch (frame.type) {
      case "settings":
        this.#handleSettings(frame.initialWindow);
        break;
      case "ping":
        // Even ones are the echo of ours.
        if (frame.id % 2 === 1) this.#answer(this.#writer.ping(frame.id));
        break;
      case "goAway":
        this.#lose(new Error("The client closed the connection"));
        break;
      case "windowUpdate":
        this.#handleWindowUpdate(frame.streamId, frame.delta);
        break;
    }
  }

  #handleData(streamId: number, bytes: Buffer, isLast: boolean): void {
    const open = this.#streams.get(streamId);
    if (!open) {
      // Its sender cannot know yet that the stream is gone.
      this.#credit(undefined, bytes.length);
      return;
    }
    this.#intake.add(bytes.length);
    open.stream.receive(bytes);
    if (isLast) open.stream.receiveEnd();
  }

  #handleStream(streamId: number, headers: Headers, isLast: boolean): void {
    if (streamId <= this.#lastStreamId) {
      this.#answer(this.#writer.rstStream(streamId, resetStatus.protocolError));
      return;
    }
    this.#lastStreamId = streamId;
    if (this.#streams.size >= maxStreams) {
      this.#answer(this.#writer.rstStream(streamId, resetStatus.refusedStream));
      return;
    }
    const take = this.#options.accept({ id: streamId, headers });
    if (!take) {
      this.#answer(this.#writer.rstStream(streamId, resetStatus.cancel));
      return;
    }
    const open = this.#open(streamId);
    this.#streams.set(streamId, open);
    // Before anything is written on it: the client throws away what comes without.
    this.#answer(this.#writer.synReply(streamId));
    take(open.stream);
    if (isLast) open.stream.receiveEnd();
  }

  #open(streamId: number): Open {
    const stream = new Substream({
      send: (bytes, done) => this.#send(streamId, bytes, done),
      end: (done) => {
        open.hasSentEnd = true;
        this.#write(this.#writer.data(streamId, Buffer.alloc(0), true), done);
      },
      consumed: (bytes) => {
        this.#intake.take(bytes);
        this.#credit(streamId, bytes);
      },
      closed: () => this.#forget(streamId),
    });
    const open: Open = {
      stream,
      windowBytes: this.#initialWindowBytes,
      creditBytes: 0,
      hasSentEnd: false,
    };
    return open;
  }

  #forget(streamId: number): void {
    const open = this.#streams.get(streamId);
    if (!open) return;
    this.#streams.delete(streamId);
    this.#blocked.delete(open);
    const isKnown = open.hasSentEnd || open.stream.isResetByClient || this.#gone.signal.aborted;
    if (!isKnown) {
      this.#answer(this.#writer.rstStream(streamId, resetStatus.cancel));
    }
  }

  #send(streamId: number, bytes: Buffer, done: (err?: Error | null) => void): void {
    const open = this.#streams.get(streamId);
    if (!open) {
      done(new Error("Cannot write: the stream is closed"));
      return;
    }
    const allowed = this.#isCounting ? Math.min(this.#windowBytes, open.windowBytes) : Infinity;
    const size = Math.min(bytes.length, maxFrameBytes, allowed);
    if (size <= 0 && bytes.length > 0) {
      this.#blocked.set(open, () => this.#send(streamId, bytes, done));
      return;
    }
    this.#windowBytes -= size;
    open.windowBytes -= size;
    this.#write(this.#writer.data(streamId, bytes.subarray(0, size), false), (err) => {
      if (err || size === bytes.length) done(err);
      else this.#send(streamId, bytes.subarray(size), done);
    });
  }

  #handleSettings(initialWindow: number | undefined): void {
    if (initialWindow === undefined) return;
    for (const open of this.#streams.values()) {
      open.windowBytes += initialWindow - this.#initialWindowBytes;
    }
    this.#initialWindowBytes = initialWindow;
    this.#isCounting = true;
    this.#unblock();
  }

  #handleWindowUpdate(streamId: number, delta: number): void {
    this.#isCounting = true;
    const open = this.#streams.get(streamId);
    if (streamId === 0) this.#windowBytes += delta;
    else if (open) open.windowBytes += delta;
    this.#unblock();
  }

  #unblock(): void {
    for (const [open, again] of [...this.#blocked]) {
      this.#blocked.delete(open);
      again();
    }
  }

  /** Tells the client now and then how much was read, of a stream and of the connection. */
  #credit(streamId: number | undefined, bytes: number): void {
    const open = streamId === undefined ? undefined : this.#streams.get(streamId);
    if (open && streamId !== undefined) {
      open.creditBytes += bytes;
      if (open.creditBytes >= creditBytes) {
        this.#answer(this.#writer.windowUpdate(streamId, open.creditBytes));
        open.creditBytes = 0;
      }
    }
    this.#creditBytes += bytes;
    if (this.#creditBytes >= creditBytes) {
      this.#answer(this.#writer.windowUpdate(0, this.#creditBytes));
      this.#creditBytes = 0;
    }
  }

  #write(bytes: Buffer, done: (err?: Error | null) => void): void {
    const { socket } = this.#options;
    if (socket.writable) socket.write(bytes, done);
    else done(new Error("Cannot write: the client is gone"));
  }

  /** Writes what the client causes by asking. */
  #answer(bytes: Buffer): void {
    const done = this.#intake.answer(bytes.length);
    this.#write(bytes, () => done());
  }

  #part(status: number, reason: Error): void {
    if (this.#gone.signal.aborted) return;
    const { socket, clock } = this.#options;
    this.#answer(this.#writer.goAway(this.#lastStreamId, status));
    socket.end();
    const limit = clock.schedule(partMs, () => socket.destroy());
    socket.once("close", () => limit[Symbol.dispose]());
    this.#abandon(reason);
    // What still comes is thrown away: a connection that is closed with something unread loses what was sent on it.
    socket.resume();
  }

  #lose(reason: Error): void {
    this.#abandon(reason);
    this.#options.socket.destroy();
  }

  #abandon(reason: Error): void {
    if (this.#gone.signal.aborted) return;
    this.#ping?.[Symbol.dispose]();
    this.#gone.abort(reason);
    for (const { stream } of [...this.#streams.values()]) {
      stream.destroy(reason);
    }
  }
}
