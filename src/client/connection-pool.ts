// The connections to one server as one identity. With HTTP/2 requests share connections, and another one is opened only
// when all are full; with HTTP/1.1 Node's agent keeps one for each request that runs. Which of the two is found out by the
// first handshake (ALPN). However many wait for a connection, only one is being opened, and after a failure not before a
// pause that grows: a thousand watches that lost a server knock as one.

import { addAbortListener } from "node:events";
import type { IncomingMessage, Agent as PlainAgent } from "node:http";
import type { Agent } from "node:https";
import { isIP } from "node:net";
import type { ConnectionOptions, TLSSocket } from "node:tls";
import { Backoff } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import { isErrno } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { http, https, tls as secure } from "../base/network-modules.ts";
import type { Random } from "../base/random.ts";
import { Http2Connection, RefusedStreamError } from "./http2-connection.ts";
import { ConnectError, type TransportRequest, type TransportResponse } from "./transport.ts";

export interface PoolOptions {
  readonly server: URL;
  /** Authorities, certificate and key, whether and for which name to verify. */
  readonly tls: Pick<
    ConnectionOptions,
    "ca" | "cert" | "key" | "rejectUnauthorized" | "servername" | "ALPNProtocols"
  >;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger | undefined;
}

/** TCP, TLS and the peer's first frame. */
const CONNECT_MS = 30_000;
/** Streams that the server turns away although it said that there is room. */
const MAX_REFUSALS = 5;
/** For a quiet HTTP/1.1 connection the kernel asks whether the peer is there. */
const TCP_KEEPALIVE_MS = 30_000;

/** Not sent, because these connections are not used any more. */
export class RetiredError extends ConnectError {}

export class ConnectionPool {
  readonly #options: PoolOptions;
  readonly #connections = new Set<Http2Connection>();
  /** Set while HTTP/1.1 is what the server speaks. */
  #agent: Agent | PlainAgent | undefined;
  /** HTTP/1.1 requests whose answers are not over. */
  readonly #running = new Set<Promise<void>>();
  /** At most one at a time, for all who wait. */
  #dialing: Promise<void> | undefined;
  readonly #backoff: Backoff;
  /** Monotonic; not before it. */
  #dialAtMs = 0;
  /** The last try to connect failed. */
  #isAway = false;
  readonly #stop = new AbortController();

  constructor(options: PoolOptions) {
    this.#options = options;
    const { clock, random } = options;
    // The cap is what a client waits at most after the server is back.
    const pauses = { baseMs: 100, factor: 2, maxMs: 3000, jitter: 0.5, resetAfterMs: 120_000 };
    this.#backoff = new Backoff({ ...pauses, clock, random });
  }

  /** How many connections are open. */
  get size(): number {
    return this.#connections.size;
  }

  get isConnected(): boolean {
    return this.#connections.size > 0 || this.#agent !== undefined;
  }

  /** See Transport. */
  async answers(): Promise<boolean> {
    if (this.#agent !== undefined) return true;
    const asked = [...this.#connections].map(async (one) => {
      if (!(await one.answers())) throw new Error("the connection is lost");
    });
    return Promise.any(asked).then(
      () => true,
      () => false,
    );
  }

  /** Throws RetiredError if it is retired before the request is sent. */
  async send(request: TransportRequest): Promise<TransportResponse> {
    for (let refusals = 0; ; ) {
      try {
        return await this.#sendOnce(request);
      } catch (err) {
        const isRefused = err instanceof RefusedStreamError && ++refusals <= MAX_REFUSALS;
        const isWorthWaiting = err instanceof ConnectError && request.isPatient === true;
        if (request.signal.aborted) throw err;
        if (isRefused || err instanceof ConnectError) this.#stop.signal.throwIfAborted();
        if (!isRefused && !isWorthWaiting) throw err;
      }
    }
  }

  /** No more connections and requests; settles when those that run are over. */
  async retire(): Promise<void> {
    this.#stop.abort(new RetiredError("the client is closed"));
    for (const connection of this.#connections) connection.retire();
    await Promise.all([...[...this.#connections].map((one) => one.closed), ...this.#running]);
    this.#agent?.destroy();
  }

  destroy(): void {
    this.#stop.abort(new RetiredError("the client is closed"));
    for (const connection of this.#connections) connection.destroy();
    this.#agent?.destroy();
  }

  async #sendOnce(request: TransportRequest): Promise<TransportResponse> {
    const { server } = this.#options;
    for (;;) {
      this.#stop.signal.throwIfAborted();
      if (this.#agent !== undefined) return this.#sendHttp1(request, this.#agent);
      const free = [...this.#connections].find((one) => one.hasPlace);
      if (free !== undefined) {
        free.takePlace();
        return free.send(request, server.host);
      }
      await orAborted(this.#dial(), request.signal);
    }
  }

  #dial(): Promise<void> {
    this.#dialing ??= this.#connect().finally(() => {
      this.#dialing = undefined;
    });
    return this.#dialing;
  }

  async #connect(): Promise<void> {
    const { clock, server, logger } = this.#options;
    const pauseMs = this.#dialAtMs - clock.monotonicMs();
    if (pauseMs > 0) await clock.sleep(pauseMs, this.#stop.signal);
    if (server.protocol === "http:") {
      const { Agent: NewAgent } = http();
      this.#agent = new NewAgent({ keepAlive: true });
      return;
    }
    try {
      await this.#connectTls();
      this.#backoff.reset();
      if (this.#isAway) logger?.info("API server can be reached again", { server: server.origin });
      this.#isAway = false;
    } catch (err) {
      this.#stop.signal.throwIfAborted();
      const fields = { server: server.origin, err };
      if (!this.#isAway) logger?.warn("API server cannot be reached", fields);
      this.#isAway = true;
      this.#dialAtMs = clock.monotonicMs() + this.#backoff.nextMs();
      throw new ConnectError(`no connection to ${server.host}`, { cause: err });
    }
  }

  async #connectTls(): Promise<void> {
    const { clock, server, tls } = this.#options;
    const socket = secure().connect({ ALPNProtocols: ["h2", "http/1.1"], ...this.#tlsOptions() });
    const late = clock.schedule(CONNECT_MS, () =>
      socket.destroy(new Error(`no answer within ${CONNECT_MS} ms`)),
    );
    using _stop = addAbortListener(this.#stop.signal, () => socket.destroy());
    try {
      await handshake(socket);
      if (socket.alpnProtocol !== "h2") {
        socket.destroy();
        const { Agent: NewAgent } = https();
        this.#agent = new NewAgent({ keepAlive: true, keepAliveMsecs: TCP_KEEPALIVE_MS, ...tls });
        return;
      }
      const connection = await Http2Connection.open({ socket, origin: server.origin, clock });
      if (!connection.hasPlace) {
        connection.destroy();
        throw new Error("the server takes no requests on it");
      }
      this.#connections.add(connection);
      void connection.closed.then(() => this.#connections.delete(connection));
    } finally {
      late[Symbol.dispose]();
    }
  }

  #tlsOptions(): ConnectionOptions {
    const { server, tls } = this.#options;
    const host = server.hostname.replace(/^\[(.*)\]$/, "$1");
    const port = server.port === "" ? 443 : Number(server.port);
    return { ...(isIP(host) === 0 && { servername: host }), ...tls, host, port };
  }

  async #sendHttp1(
    { method, path, headers, body, signal }: TransportRequest,
    agent: Agent | PlainAgent,
  ): Promise<TransportResponse> {
    const { server } = this.#options;
    const length = body === undefined ? {} : { "content-length": String(body.length) };
    const options = { method, headers: { ...headers, ...length }, signal, agent };
    const url = new URL(path, server.origin);
    const sent =
      server.protocol === "http:" ? http().request(url, options) : https().request(url, options);
    const over = Promise.withResolvers<void>();
    this.#running.add(over.promise);
    sent.once("close", () => {
      this.#running.delete(over.promise);
      over.resolve();
    });
    sent.end(body);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.once("response", resolve);
      sent.on("error", (err) =>
        reject(signal.aborted ? (signal.reason as Error) : this.#lost(err)),
      );
    });
    const { statusCode = 0, headers: answered } = response;
    return {
      code: statusCode,
      retryAfter: answered["retry-after"],
      body: bodyOf(response, signal),
    };
  }

  /** The next one finds out anew what the server speaks, after a pause. */
  #lost(err: Error): Error {
    if (!isErrno(err, "ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT")) {
      return new Error("the connection was lost", { cause: err });
    }
    const { clock, server } = this.#options;
    if (this.#agent !== undefined) {
      this.#agent = undefined;
      this.#dialAtMs = clock.monotonicMs() + this.#backoff.nextMs();
    }
    return new ConnectError(`no connection to ${server.host}`, { cause: err });
  }
}

async function* bodyOf(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response) yield chunk as Uint8Array;
  } catch (err) {
    if (signal.aborted) throw signal.reason;
    throw new Error("the connection was lost", { cause: err });
  }
}

function handshake(socket: TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("secureConnect", resolve);
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("closed during the handshake")));
  });
}

/** The work goes on for the others who wait for it. */
async function orAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const gone = Promise.withResolvers<never>();
  using _listener = addAbortListener(signal, () => gone.reject(signal.reason));
  await Promise.race([work, gone.promise]);
}
