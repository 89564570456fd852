// Keeps this node's tunnel to the API server open. Over it the server asks the node, as if it had connected to it.
//
//   (1) a connection of its own, HTTP/1.1, as the node       (3) the server asks; NodeApi answers
//   (2) "Upgrade: driftless-tunnel" and 101                  (4) cut: again, at once and then with growing pauses

import {
  createServer,
  type IncomingMessage,
  request as plainRequest,
  type Server,
} from "node:http";
import { type RequestOptions, request as secureRequest } from "node:https";
import type { Duplex } from "node:stream";
import type { ConnectionOptions } from "node:tls";
import { deadline, untilAborted } from "../../base/abort.ts";
import { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { describe } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { Identity } from "../../client/credentials.ts";
import { serveTunnel, TUNNEL_PROTOCOL } from "../../streams/tunnel.ts";
import { MAX_HEAD_BYTES, type NodeApi } from "./node-api.ts";

export interface TunnelKeeperOptions {
  readonly nodeName: string;
  /** https://host:port */
  readonly server: string;
  /** Whom to believe and who we are, right now. */
  readonly identity: (signal: AbortSignal) => Promise<Identity & TlsPeer>;
  readonly api: Pick<NodeApi, "answer" | "upgrade">;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

interface TlsPeer {
  readonly isInsecure: boolean;
  readonly serverName?: string;
}

/** TCP, TLS and the server's answer. */
const OPEN_MS = 30_000;
/** A server that does not know of tunnels will not learn it soon. */
const UNKNOWN_MS = 60_000;
const unknown: readonly number[] = [400, 404, 405];

/** The server does not know of tunnels. */
class NoTunnelsError extends Error {
  override readonly name = "NoTunnelsError";
}

export class TunnelKeeper {
  readonly #options: TunnelKeeperOptions;
  readonly #http: Server;
  readonly #backoff: Backoff;
  /** What was told last of why there is none. */
  #told = "";

  constructor(options: TunnelKeeperOptions) {
    this.#options = options;
    const { api, clock, random } = options;
    // The cap is what the server has to do without the node at most after it is back.
    const pauses = { baseMs: 100, factor: 2, maxMs: 3000, jitter: 0.5, resetAfterMs: 60_000 };
    this.#backoff = new Backoff({ ...pauses, clock, random });
    const limits = { maxHeaderSize: MAX_HEAD_BYTES };
    this.#http = createServer(limits, (request, response) => void api.answer(request, response));
    this.#http.on("upgrade", (request, socket, head) => {
      void api.upgrade({ request, socket, head });
    });
  }

  run(signal: AbortSignal): Promise<void> {
    return untilAborted(signal, async () => {
      for (;;) {
        signal.throwIfAborted();
        await this.#once(signal);
      }
    });
  }

  async #once(signal: AbortSignal): Promise<void> {
    const { clock, logger, server } = this.#options;
    try {
      const socket = await this.#open(signal); // (1) (2)
      if (this.#told !== "") logger.info("the server reaches this node again", { server });
      this.#told = "";
      await this.#serve(socket, signal); // (3)
    } catch (err) {
      if (signal.aborted) throw err;
      this.#tell(err);
      if (err instanceof NoTunnelsError) await clock.sleep(UNKNOWN_MS, signal);
    }
    await this.#backoff.wait(signal); // (4)
  }

  async #serve(socket: Duplex, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const began = clock.monotonicMs();
    const onConnection = (connection: Duplex): void =>
      void this.#http.emit("connection", connection);
    await serveTunnel(socket, { clock, onConnection }, signal);
    // One that held for a while was good: the next one comes at once.
    if (clock.monotonicMs() - began > 1000) this.#backoff.reset();
  }

  /** Once for each reason. */
  #tell(err: unknown): void {
    const { logger, server } = this.#options;
    const why = describe(err);
    if (why === this.#told) return;
    this.#told = why;
    logger.warn("no tunnel to the server: logs, exec and the like do not reach this node", {
      server,
      err,
    });
  }

  async #open(signal: AbortSignal): Promise<Duplex> {
    const { nodeName, server, identity, clock } = this.#options;
    using limit = deadline({ clock, timeoutMs: OPEN_MS, signal });
    const { authority, certificate, key, token, isInsecure, serverName } = await identity(signal);
    const url = `${server.replace(/\/+$/, "")}/driftless/v1/nodes/${nodeName}/tunnel`;
    const request = url.startsWith("http:") ? plainRequest : secureRequest;
    const options: RequestOptions & Pick<ConnectionOptions, "ALPNProtocols"> = {
      agent: false,
      rejectUnauthorized: !isInsecure,
      ALPNProtocols: ["http/1.1"],
      signal: limit.signal,
      ...(authority !== undefined && { ca: authority }),
      ...(certificate !== undefined && { cert: certificate }),
      ...(key !== undefined && { key }),
      ...(serverName !== undefined && { servername: serverName }),
      headers: {
        connection: "Upgrade",
        upgrade: TUNNEL_PROTOCOL,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
    };
    const asked = request(url, options);
    asked.end();
    return await new Promise((resolve, reject) => {
      asked.once("upgrade", (_: IncomingMessage, socket: Duplex, head: Buffer) => {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      asked.once("response", (response) => {
        response.resume();
        const { statusCode = 0 } = response;
        const why = `the server answers ${statusCode}`;
        reject(unknown.includes(statusCode) ? new NoTunnelsError(why) : new Error(why));
      });
      // Of a request that was aborted Node says no more than that it was.
      asked.once("error", (err) =>
        reject(limit.signal.aborted ? (limit.signal.reason as Error) : err),
      );
    });
  }
}
