// The port: TLS, with HTTP/2 and HTTP/1.1 side by side. Client certificates are asked for but not demanded; whoever
// has none is anonymous or brings a token. Nobody holds a connection for nothing: every phase of one has its time.

import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { SecureContextOptions, TLSSocket } from "node:tls";
import type { Clock } from "../base/clock.ts";
import { destroyWhenCutOff } from "../base/destroy-when-cut-off.ts";
import type { Logger } from "../base/logger.ts";
import { isAnswering } from "../streams/upgrade.ts";
import type { HttpRequest, HttpResponse } from "./http/answer.ts";
import { isGone } from "./http/is-gone.ts";
import { refuse, refuseTunnel } from "./http/refuse.ts";
import { isWellFormed, originForm } from "./http/request-form.ts";
import { type Upgrade, upgradeOf, wantsUpgrade } from "./http/upgrade.ts";
import type { Credentials } from "./pki/credentials.ts";

export interface ListenerOptions {
  readonly host: string;
  /** 0 for any. */
  readonly port: number;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly handle: (
    request: HttpRequest,
    response: HttpResponse,
    upgrade?: Upgrade,
  ) => Promise<void>;
  /** Called when it stops: answers that would go on for ever end now. */
  readonly endStreams: () => void;
}

/** For the handshake of TLS. Node's own 120 s let whoever says nothing keep thousands of connections. */
const HANDSHAKE_MS = 10_000;
/** For the head of a request, from its first byte; for the first one, from the handshake. As in Kubernetes. */
const HEAD_MS = 32_000;
/** How often the two are looked at. */
const CHECK_MS = 5000;
/** For a whole request, with its body. */
const REQUEST_MS = 60_000;
/** Go's clients keep idle connections for 90 s; a server that closes first makes their next request fail. */
const KEEP_ALIVE_MS = 100_000;
/** For an answer to be taken, once it is written, and more for a large one: its bytes are held until then. */
const TAKE_MS = 60_000;
const TAKEN_BYTES_PER_MS = 100;
/** Less than this is the kernel's to keep: no timer for each of thousands of small answers. */
const WATCHED_BYTES = 32 * 1024;

/** Requests that one HTTP/2 connection may have open: a client's watches share few connections. */
const MAX_STREAMS = 10_000;
/**
 * What one HTTP/2 connection may make Node hold: about 2.5 KiB for each stream, and the bytes of answers that the client
 * does not take. Beyond it new requests are turned away, and after a hundred of those the connection ends. Less would
 * turn away the second request of a client that reads a large list slowly.
 */
const MAX_SESSION_MB = 128;

/** Go's servers take 1 MiB; nobody needs more than long tokens and many groups. */
const MAX_HEADER_BYTES = 256 * 1024;
const MAX_HEADER_PAIRS = 2000;
/** The head of an HTTP/2 request may come in nine frames. They have to be large enough for the longest head. */
const MAX_FRAME_BYTES = 32 * 1024;

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
  /** The newest. */
  #credentials: Credentials;
  #server: Http2SecureServer | undefined;
  #isStopping = false;
  readonly #ready = Promise.withResolvers<AddressInfo>();

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#credentials = options.credentials;
    // Whoever waits hears of a failure; if nobody does, run() tells it.
    this.#ready.promise.catch(() => undefined);
  }

  /** Where it listens. Rejects if it cannot. */
  ready(): Promise<AddressInfo> {
    return this.#ready.promise;
  }

  /** For connections from now on; those that are open stay. Throws if the key does not fit. */
  renew(credentials: Credentials): void {
    this.#server?.setSecureContext(secureContext(credentials));
    this.#credentials = credentials;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { host, port, logger } = this.#options;
    const server = this.#create();
    this.#server = server;
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
    const { logger } = this.#options;
    const server = createSecureServer({
      allowHTTP1: true,
      ...secureContext(this.#credentials),
      requestCert: true,
      rejectUnauthorized: false,
      handshakeTimeout: HANDSHAKE_MS,
      settings: {
        maxConcurrentStreams: MAX_STREAMS,
        maxHeaderListSize: MAX_HEADER_BYTES,
        maxFrameSize: MAX_FRAME_BYTES,
      },
      maxHeaderListPairs: MAX_HEADER_PAIRS,
      maxSessionMemory: MAX_SESSION_MB,
    });
    // The options of the HTTP/1.1 half are properties that the types do not know.
    Object.assign(server, {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEAD_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: CHECK_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      shouldUpgradeCallback: wantsUpgrade,
    });
    this.#takeRequests(server);
    this.#followConnections(server);
    server.on("tlsClientError", (err: NodeJS.ErrnoException, socket: TLSSocket) => {
      logger.debug("TLS handshake failed", { err });
      // After any other failure Node closes it; after this one it would stay open for ever.
      if (err.code === "ERR_TLS_HANDSHAKE_TIMEOUT") socket.destroy();
    });
    server.on("clientError", (err: NodeJS.ErrnoException, socket: Socket) => {
      logger.debug("bad request", { err });
      refuse(socket, err);
    });
    return server;
  }

  #takeRequests(server: Http2SecureServer): void {
    server.on("request", (request, response) => {
      // HTTP/2 in the shape of HTTP/1.1; see HttpRequest.
      this.#serve(request as unknown as HttpRequest, response as unknown as HttpResponse);
    });
    // Clients that ask first are told to go on when somebody reads; a body that is refused never comes.
    server.on("checkContinue", (given, answer) => {
      const request = given as unknown as HttpRequest;
      const response = answer as unknown as HttpResponse;
      request.once("resume", () => {
        if (!response.headersSent && !isGone(response)) response.writeContinue();
      });
      this.#serve(request, response);
    });
    server.on("upgrade", (request: HttpRequest, socket: Duplex, head: Buffer) => {
      if (isAnswering(socket)) {
        socket.destroy();
        return;
      }
      const { response, upgrade } = upgradeOf({ request, socket, head });
      this.#serve(request, response, upgrade);
    });
    // In HTTP/1.1 there is a socket in the place of the response.
    server.on("connect", (_request: unknown, answer: Socket | HttpResponse) => {
      if ("writeHead" in answer) answer.writeHead(405).end();
      else refuseTunnel(answer);
    });
  }

  #followConnections(server: Http2SecureServer): void {
    const { logger, clock } = this.#options;
    server.on("connection", (socket: Socket) => {
      this.#connections.add(socket);
      socket.on("close", () => this.#connections.delete(socket));
    });
    server.on("session", (session) => {
      this.#sessions.add(session);
      session.on("close", () => this.#sessions.delete(session));
      session.on("error", (err) => logger.debug("connection failed", { err }));
      closeWhenIdle(session);
    });
    server.on("secureConnection", (socket: TLSSocket) => {
      if (socket.alpnProtocol === "h2") destroyWhenCutOff(socket, clock);
      else this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", (err) => logger.debug("connection failed", { err }));
    });
  }

  #serve(request: HttpRequest, response: HttpResponse, upgrade?: Upgrade): void {
    if (this.#isStopping) response.shouldKeepAlive = false;
    if (!isWellFormed(request)) {
      response.shouldKeepAlive = false;
      response.writeHead(400, { "content-length": 0 }).end();
      return;
    }
    request.url = originForm(request.url ?? "/");
    const handling = this.#handled(request, response, upgrade);
    this.#handling.set(handling, response);
    void handling.then(() => this.#handling.delete(handling));
  }

  /** Never rejects: nobody is above, and one request could end the process. */
  async #handled(request: HttpRequest, response: HttpResponse, upgrade?: Upgrade): Promise<void> {
    try {
      await this.#options.handle(request, response, upgrade);
    } catch (err) {
      this.#options.logger.error("a request was not answered", { err });
      response.destroy();
    }
    if (response.writableLength > WATCHED_BYTES && !isGone(response)) {
      this.#dropIfNotTaken(response);
    }
  }

  /** Whoever does not read its answer does not make the server keep it. */
  #dropIfNotTaken(response: HttpResponse): void {
    const waitMs = TAKE_MS + response.writableLength / TAKEN_BYTES_PER_MS;
    const timer = this.#options.clock.schedule(waitMs, () => response.destroy());
    for (const event of ["finish", "close"]) response.once(event, () => timer[Symbol.dispose]());
  }
}

/** Forward secret and authenticated, nothing else: what HTTP/2 allows of TLS 1.2, and all of TLS 1.3. */
const CIPHERS: string = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  ...["ECDHE-ECDSA", "ECDHE-RSA"].flatMap((exchange) =>
    ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"].map(
      (cipher) => `${exchange}-${cipher}`,
    ),
  ),
].join(":");

/** The authority is sent along: whoever joins knows its hash, and gets it from here. */
function secureContext({ server, authority }: Credentials): SecureContextOptions {
  return {
    minVersion: "TLSv1.2",
    ciphers: CIPHERS,
    honorCipherOrder: true,
    key: server.key,
    cert: `${server.certificate}\n${authority.certificate}`,
    ca: authority.certificate,
  };
}

/** What HTTP/1.1 has of its own. A watch that is quiet is not idle: its stream is open. */
function closeWhenIdle(session: ServerHttp2Session): void {
  let open = 0;
  session.on("stream", (stream) => {
    open++;
    stream.on("close", () => {
      open--;
    });
  });
  session.setTimeout(KEEP_ALIVE_MS, () => {
    if (open === 0) session.close();
  });
}
