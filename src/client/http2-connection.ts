// One HTTP/2 connection that many requests share. It knows how many more fit, and finds out that the other side is gone
// when a PING is not answered: without it a watch on a dead peer would be quiet for ever.

import { addAbortListener } from "node:events";
import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Clock } from "../base/clock.ts";
import { destroyWhenCutOff } from "../base/destroy-when-cut-off.ts";
import { http2 } from "../base/network-modules.ts";
import type { TransportRequest, TransportResponse } from "./transport.ts";

/** As client-go: a PING after 30 s, and 15 s for its answer. */
const PING_EVERY_MS = 30_000;
const PING_ANSWER_MS = 15_000;
/** Ours, if the peer allows more: what is sent to thousands of streams of one connection waits in one line. */
const MAX_STREAMS = 1000;
/** Large lists come without waiting for our leave after every 64 KiB. */
const STREAM_WINDOW_BYTES = 1024 * 1024;
const CONNECTION_WINDOW_BYTES = 8 * 1024 * 1024;
/** For the peer to close a connection that is over; one that is gone would take TCP a quarter of an hour. */
const FAREWELL_MS = 1000;
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
  readonly #socket: TLSSocket;
  readonly #clock: Clock;
  /** Requests that run or are about to: taken before the stream exists, given back when it is closed. */
  #places = 0;
  #timer: Disposable | undefined;
  /** Set when nothing runs or will run on it. */
  #farewell: Disposable | undefined;
  #isClosed = false;
  /** Somebody wants to know now whether the peer is there. */
  #asking: Promise<boolean> | undefined;
  readonly #closed = Promise.withResolvers<void>();

  private constructor(session: ClientHttp2Session, socket: TLSSocket, clock: Clock) {
    this.#session = session;
    this.#socket = socket;
    this.#clock = clock;
    session.on("close", () => {
      this.#isClosed = true;
      this.#timer?.[Symbol.dispose]();
      this.#farewell?.[Symbol.dispose]();
      this.#closed.resolve();
    });
    // Its streams tell the same to those who wait; without a listener it would end the process.
    session.on("error", () => undefined);
  }

  /** Settles when the peer has said how many streams it takes. */
  static async open({ socket, origin, clock }: Http2ConnectionOptions): Promise<Http2Connection> {
    const session = http2().connect(origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
      maxSessionMemory: MAX_SESSION_MB,
    });
    const connection = new Http2Connection(session, socket, clock);
    destroyWhenCutOff(socket, clock);
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
      this.#leaveWhenOver();
    });
    if (request.body !== undefined) stream.end(request.body);
    return new Promise((resolve, reject) => {
      stream.once("response", (headers) => {
        const retryAfter = headers["retry-after"];
        const bytes = Number(headers["content-length"] ?? 0);
        const body = bodyOf(stream, bytes, request.signal);
        resolve({ code: headers[":status"] ?? 0, retryAfter, body });
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
    this.#leaveWhenOver();
  }

  destroy(cause?: Error): void {
    this.#session.destroy(cause);
  }

  #leaveWhenOver(): void {
    if (this.isOpen || this.#isClosed || this.#places > 0) return;
    this.#farewell ??= this.#clock.schedule(FAREWELL_MS, () => this.#socket.destroy());
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

/**
 * By hand, because Node's own iterator takes an HTTP/2 stream that is closed for one that broke, also if all of it came and nobody
 * has read it yet. That is so when the frames of an answer are taken in at once, as under load.
 */
async function* bodyOf(
  stream: ClientHttp2Stream,
  /** That it was said to have; 0 if nothing was said. */
  bytes: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let missing = bytes;
  let wake = (): void => undefined;
  let cause: Error | undefined;
  const onError = (err: Error): void => {
    cause = err;
    wake();
  };
  const onNews = (): void => wake();
  for (const event of ["readable", "end", "close"]) stream.on(event, onNews);
  stream.on("error", onError);
  try {
    while (!stream.readableEnded && !stream.destroyed) {
      const news = Promise.withResolvers<void>();
      wake = news.resolve;
      const chunk = stream.read() as Uint8Array | null;
      missing -= chunk?.length ?? 0;
      if (chunk === null) await news.promise;
      else yield chunk;
    }
    if (signal.aborted || missing > 0 || isCut(stream)) throw failure(stream, signal, cause);
  } finally {
    for (const event of ["readable", "end", "close"]) stream.off(event, onNews);
    stream.off("error", onError);
    // One who reads no further wants no more of it.
    if (!stream.readableEnded) stream.destroy();
  }
}

/** A connection that breaks may end a body without an error. */
function isCut({ readableEnded, aborted, rstCode }: ClientHttp2Stream): boolean {
  return !readableEnded || aborted || rstCode !== http2().constants.NGHTTP2_NO_ERROR;
}

function failure(stream: ClientHttp2Stream, signal: AbortSignal, cause?: Error): Error {
  if (signal.aborted) return signal.reason as Error;
  if (stream.rstCode === http2().constants.NGHTTP2_REFUSED_STREAM) {
    return new RefusedStreamError("the server refused the stream", { cause });
  }
  return new Error("the connection was lost", { cause });
}
