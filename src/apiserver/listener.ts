// The port: TLS, with HTTP/2 and HTTP/1.1 side by side. Client certificates are asked for but not demanded; whoever
// has none is anonymous or brings a token.

import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { Logger } from "../base/logger.ts";
import type { HttpRequest, HttpResponse } from "./http/answer.ts";
import type { Credentials } from "./pki/credentials.ts";

export interface ListenerOptions {
  readonly host: string;
  /** 0 for any. */
  readonly port: number;
  readonly credentials: Credentials;
  readonly logger: Logger;
  readonly handle: (request: HttpRequest, response: HttpResponse) => Promise<void>;
}

/** Go's clients keep idle connections for 90 s; a server that closes first makes their next request fail. */
const KEEP_ALIVE_MS = 100_000;

/** Requests that one HTTP/2 connection may have open: a client's watches share few connections. */
const MAX_STREAMS = 10_000;

export class Listener {
  readonly #options: ListenerOptions;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
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
    const stop = (): void => {
      server.close();
      for (const session of this.#sessions) session.close();
      // Streams were ended by the cache; what is left are idle connections.
      for (const socket of this.#sockets) socket.destroySoon();
    };
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
    }
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
      settings: { maxConcurrentStreams: MAX_STREAMS },
    });
    // The options of the HTTP/1.1 half are properties that the types do not know.
    Object.assign(server, {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: KEEP_ALIVE_MS + 5000,
      requestTimeout: 60_000,
    });
    server.on("request", (request, response) => {
      const { handle } = this.#options;
      // HTTP/2 in the shape of HTTP/1.1; see HttpRequest.
      void handle(request as unknown as HttpRequest, response as unknown as HttpResponse);
    });
    server.on("session", (session) => {
      this.#sessions.add(session);
      session.on("close", () => this.#sessions.delete(session));
      session.on("error", (err) => logger.debug("connection failed", { err }));
    });
    server.on("secureConnection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", (err) => logger.debug("connection failed", { err }));
    });
    server.on("tlsClientError", (err) => logger.debug("TLS handshake failed", { err }));
    server.on("clientError", (err: Error, socket: Socket) => {
      logger.debug("bad request", { err });
      socket.destroy();
    });
    return server;
  }
}
