// One HTTP/2 connection that many requests share. It knows how many more fit, and finds out that the other side is gone
// when a PING is not answered: without it a watch on a dead peer would be quiet for ever.

import { addAbortListener } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Clock } from "../base/clock.ts";
import type { TransportRequest, TransportResponse } from "./transport.ts";

/** As client-go: a PING after 30 s, and 15 s for its answer. */
const PING_EVERY_MS = 30_000;
const PING_ANSWER_MS = 15_000;
/** Ours, if the peer allows more: what is sent to thousands of streams of one connection waits in one line. */
const MAX_STREAMS = 1000;
/** Large lists come without waiting for our leave after every 64 KiB. */
const STREAM_WINDOW_BYTES = 1024 * 1024;
const CONNECTION_WINDOW_BYTES = 8 * 1024 * 1024;
/** Node refuses streams beyond it; a thousand with their heads need a few MB. */
const MAX_SESSION_MB = 256;

export interface Http2ConnectionOptions {
  /** Connected, with "h2" agreed on. */
  readonly socket: TLSSocket;
  /** https://host:port */
  readonly origin: string;
  readonly clock: Clock;
}

/** The server did not look at the request: it can be sent again, whatever it was. */
export class RefusedStreamError extends Error {
  override readonly name = "RefusedStreamError";
}

export class Http2Connection {
  readonly #session: ClientHttp2Session;
  readonly #clock: Clock;
  /** Requests that run or are about to: taken before the stream exists, given back when it is closed. */
  #places = 0;
  #timer: Disposable | undefined;
  /** Somebody wants to know now whether the peer is there. */
  #asking: Promise<boolean> | undefined;
  readonly #closed = Promise.withResolvers<void>();

  private constructor(session: ClientHttp2Session, clock: Clock) {
    this.#session = session;
    this.#clock = clock;
    session.on("close", () => {
      this.#timer?.[Symbol.dispose]();
      this.#closed.resolve();
    });
    // Its streams tell the same to those who wait; without a listener it would end the process.
    session.on("error", () => undefined);
  }

  /** Settles when the peer has said how many streams it takes. */
  static async open({ socket, origin, clock }: Http2ConnectionOptions): Promise<Http2Connection> {
    const session = connect(origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
      maxSessionMemory: MAX_SESSION_MB,
    });
    const connection = new Http2Connection(session, clock);
    await new Promise<void>((resolve, reject) => {
      session.once("remoteSettings", () => resolve());
      session.once("error", reject);
      session.once("close", () => reject(new Error("the connection was closed at once")));
    });
    session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
    connection.#pingLater();
    return connection;
  }

  /** Settles when it is closed and nothing runs on it. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  get isOpen(): boolean {
    return !this.#session.closed && !this.#session.destroyed;
  }

  get hasPlace(): boolean {
    const { maxConcurrentStreams = MAX_STREAMS } = this.#session.remoteSettings;
    return this.isOpen && this.#places < Math.min(maxConcurrentStreams, MAX_STREAMS);
  }

  /** Follow it with send(), which gives the place back. */
  takePlace(): void {
    this.#places++;
  }

  /** Throws RefusedStreamError if the request may go over another connection. */
  async send(request: TransportRequest, authority: string): Promise<TransportResponse> {
    const stream = this.#start(request, authority);
    const stop = addAbortListener(request.signal, () => stream.destroy());
    stream.once("close", () => {
      stop[Symbol.dispose]();
      this.#places--;
    });
    if (request.body !== undefined) stream.end(request.body);
    return new Promise((resolve, reject) => {
      stream.once("response", (headers) => {
        const retryAfter = headers["retry-after"];
        resolve({
          code: headers[":status"] ?? 0,
          retryAfter,
          body: bodyOf(stream, request.signal),
        });
      });
      // Stays when the answer has come: an error after the body was left is nobody's.
      stream.on("error", (err: Error) => reject(failure(stream, request.signal, err)));
      stream.once("close", () => reject(failure(stream, request.signal)));
    });
  }

  #start(
    { method, path, headers, body, signal }: TransportRequest,
    authority: string,
  ): ClientHttp2Stream {
    try {
      signal.throwIfAborted();
      return this.#session.request(
        {
          ":method": method,
          ":path": path,
          ":scheme": "https",
          ":authority": authority,
          ...headers,
        },
        { endStream: body === undefined },
      );
    } catch (err) {
      this.#places--;
      if (signal.aborted) throw err;
      throw new RefusedStreamError("the connection takes no more requests", { cause: err });
    }
  }

  /** Settles with true when the peer says that it is there, and with false when the connection is lost. */
  answers(): Promise<boolean> {
    this.#asking ??= new Promise<boolean>((resolve) => {
      void this.closed.then(() => resolve(false));
      try {
        this.#session.ping((err) => resolve(err === null));
      } catch {
        resolve(false); // It is closing.
      }
    }).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** No more requests; those that run go on. */
  retire(): void {
    this.#session.close();
  }

  destroy(cause?: Error): void {
    this.#session.destroy(cause);
  }

  #pingLater(): void {
    if (!this.isOpen && this.#places === 0) return;
    this.#timer = this.#clock.schedule(PING_EVERY_MS, () => this.#ping());
  }

  #ping(): void {
    if (this.#session.destroyed) return;
    this.#timer = this.#clock.schedule(PING_ANSWER_MS, () => {
      this.destroy(new Error(`the peer did not answer a PING within ${PING_ANSWER_MS} ms`));
    });
    try {
      this.#session.ping((err) => {
        this.#timer?.[Symbol.dispose]();
        if (err === null) this.#pingLater();
      });
    } catch {
      this.destroy(); // It was closing; there is nobody to ask.
    }
  }
}

async function* bodyOf(stream: ClientHttp2Stream, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (err) {
    throw failure(stream, signal, err as Error);
  }
  // A connection that breaks ends the body without an error.
  if (signal.aborted || stream.aborted || stream.rstCode !== constants.NGHTTP2_NO_ERROR) {
    throw failure(stream, signal);
  }
}

function failure(stream: ClientHttp2Stream, signal: AbortSignal, cause?: Error): Error {
  if (signal.aborted) return signal.reason as Error;
  if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) {
    return new RefusedStreamError("the server refused the stream", { cause });
  }
  return new Error("the connection was lost", { cause });
}
