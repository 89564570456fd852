// The port: TLS, with HTTP/2 and HTTP/1.1 side by side. Client certificates are asked for but not demanded; whoever
// has none is anonymous or brings a token.

import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { HttpRequest, HttpResponse } from "./http/answer.ts";
import type { Credentials } from "./pki/credentials.ts";

export interface ListenerOptions {
  readonly host: string;
  /** 0 for any. */
  readonly port: number;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly handle: (request: HttpRequest, response: HttpResponse) => Promise<void>;
  /** Called when it stops: answers that would go on for ever end now. */
  readonly endStreams: () => void;
}

/** Go's clients keep idle connections for 90 s; a server that closes first makes their next request fail. */
const KEEP_ALIVE_MS = 100_000;

/** Requests that one HTTP/2 connection may have open: a client's watches share few connections. */
const MAX_STREAMS = 10_000;

/** Go's servers take 1 MiB; nobody needs more than long tokens and many groups. */
const MAX_HEADER_BYTES = 256 * 1024;
const MAX_HEADER_PAIRS = 2000;

/** When it stops: for requests to be answered, then for answers to be taken by clients that may not read. */
const FINISH_MS = 3000;
const FLUSH_MS = 1000;

export class Listener {
  readonly #options: ListenerOptions;
  /** Of all connections, also of those that are not secure yet. */
  readonly #connections = new Set<Socket>();
  /** Of HTTP/1.1. Those of HTTP/2 are closed by their sessions, after the last frame. */
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #handling = new Map<Promise<void>, HttpResponse>();
  #isStopping = false;
  readonly #ready = Promise.withResolvers<AddressInfo>();

  constructor(options: ListenerOptions) {
    this.#options = options;
    // Whoever waits hears of a failure; if nobody does, run() tells it.
    this.#ready.promise.catch(() => undefined);
  }

  /** Where it listens. Rejects if it cannot. */
  ready(): Promise<AddressInfo> {
    return this.#ready.promise;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { host, port, logger } = this.#options;
    const server = this.#create();
    const closed = Promise.withResolvers<void>();
    server.on("error", (err) => {
      this.#ready.reject(err);
      closed.reject(err);
    });
    server.on("close", () => closed.resolve());
    const ended = new AbortController();
    const stop = (): void => void this.#stop(server, ended.signal);
    if (signal.aborted) return;
    signal.addEventListener("abort", stop, { once: true });
    server.listen({ host, port }, () => {
      const address = server.address() as AddressInfo;
      logger.info("listening", { address: address.address, port: address.port });
      this.#ready.resolve(address);
    });
    try {
      await closed.promise;
    } finally {
      signal.removeEventListener("abort", stop);
      ended.abort();
    }
  }

  /** Nobody can hold it up: not a client that does not read, nor one that connects and says nothing. */
  async #stop(server: Http2SecureServer, ended: AbortSignal): Promise<void> {
    const { clock, endStreams } = this.#options;
    const wait = (ms: number): Promise<void> => clock.sleep(ms, ended).catch(() => undefined);
    this.#isStopping = true;
    server.close();
    for (const response of this.#handling.values()) response.shouldKeepAlive = false;
    endStreams();
    for (const session of this.#sessions) session.close();
    await Promise.race([Promise.all(this.#handling.keys()), wait(FINISH_MS)]);
    for (const socket of this.#sockets) socket.destroySoon();
    await wait(FLUSH_MS);
    for (const socket of this.#connections) socket.destroy();
  }

  #create(): Http2SecureServer {
    const { credentials, logger } = this.#options;
    const server = createSecureServer({
      allowHTTP1: true,
      minVersion: "TLSv1.2",
      key: credentials.server.key,
      cert: credentials.server.certificate,
      ca: credentials.authority.certificate,
      requestCert: true,
      rejectUnauthorized: false,
      settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEADER_BYTES },
      maxHeaderListPairs: MAX_HEADER_PAIRS,
    });
    // The options of the HTTP/1.1 half are properties that the types do not know.
    Object.assign(server, {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: KEEP_ALIVE_MS + 5000,
      requestTimeout: 60_000,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    server.on("request", (request, response) => {
      // HTTP/2 in the shape of HTTP/1.1; see HttpRequest.
      this.#serve(request as unknown as HttpRequest, response as unknown as HttpResponse);
    });
    server.on("connection", (socket: Socket) => {
      this.#connections.add(socket);
      socket.on("close", () => this.#connections.delete(socket));
    });
    server.on("session", (session) => {
      this.#sessions.add(session);
      session.on("close", () => this.#sessions.delete(session));
      session.on("error", (err) => logger.debug("connection failed", { err }));
    });
    server.on("secureConnection", (socket: TLSSocket) => {
      if (socket.alpnProtocol !== "h2") this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", (err) => logger.debug("connection failed", { err }));
    });
    server.on("tlsClientError", (err) => logger.debug("TLS handshake failed", { err }));
    server.on("clientError", (err: NodeJS.ErrnoException, socket: Socket) => {
      logger.debug("bad request", { err });
      refuse(socket, err);
    });
    return server;
  }

  #serve(request: HttpRequest, response: HttpResponse): void {
    if (this.#isStopping) response.shouldKeepAlive = false;
    const handling = this.#options
      .handle(request, response)
      .finally(() => this.#handling.delete(handling));
    this.#handling.set(handling, response);
  }
}

const refusals: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** Of HTTP/1.1: what is no request is told so. There is no request to answer, so it is written by hand. */
function refuse(socket: Socket, { code = "" }: NodeJS.ErrnoException): void {
  // Set by Node while an answer is under way, which words of ours would damage.
  const { _httpMessage: answering } = socket as { readonly _httpMessage?: object };
  if (socket.writable && code !== "ECONNRESET" && (answering ?? null) === null) {
    const line = refusals[code] ?? "400 Bad Request";
    socket.write(`HTTP/1.1 ${line}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  }
  socket.destroySoon();
}
