// The node's own port, for those who ask for one: a second API server on the same store, or whoever else may. Both sides show
// certificates of the cluster's authority, and each request needs the right to it.

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { aborted } from "../../base/abort.ts";
import { describe } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { ClientReviews } from "./client-reviews.ts";
import { MAX_HEAD_BYTES, type NodeApi } from "./node-api.ts";
import { RequestError } from "./request-error.ts";

/** PEM, all. */
export interface PortCredentials {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

export interface PortServerOptions {
  readonly host: string;
  /** 0 for any. */
  readonly port: number;
  /** What is used for connections from now on. Undefined as long as there is no certificate for a port. */
  readonly credentials: () => PortCredentials | undefined;
  readonly api: Pick<NodeApi, "answer" | "upgrade" | "refuseUpgrade">;
  readonly reviews: Pick<ClientReviews, "demand">;
  readonly onListening: (port: number) => void;
  readonly logger: Logger;
}

const HANDSHAKE_MS = 10_000;
const MAX_CONNECTIONS = 1000;

export class PortServer {
  readonly #options: PortServerOptions;
  #server: Server | undefined;
  #onCredentials: () => void = () => undefined;

  constructor(options: PortServerOptions) {
    this.#options = options;
  }

  /** The certificate has changed: for connections from now on. */
  renew(): void {
    const tls = this.#tls();
    if (tls === undefined) return;
    this.#server?.setSecureContext(tls);
    this.#onCredentials();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { host, port, logger, onListening } = this.#options;
    const tls = await this.#firstTls(signal);
    if (tls === undefined) return;
    const server = this.#create(tls);
    this.#server = server;
    try {
      server.listen({ host, port });
      await once(server, "listening");
      const { port: own } = server.address() as AddressInfo;
      logger.info("listening", { address: host, port: own });
      onListening(own);
      await aborted(signal);
    } catch (cause) {
      throw new Error(`Cannot listen on ${host}:${port}`, { cause });
    } finally {
      server.close();
      server.closeAllConnections();
    }
  }

  /** A node that listens for the first time has to ask for a certificate for that. */
  async #firstTls(signal: AbortSignal): Promise<Tls | undefined> {
    const renewed = new Promise<void>((resolve) => {
      this.#onCredentials = resolve;
    });
    if (this.#tls() === undefined) await Promise.race([renewed, aborted(signal)]);
    return signal.aborted ? undefined : this.#tls();
  }

  #create(tls: Tls): Server {
    const { api, logger } = this.#options;
    const server = createServer(
      {
        ...tls,
        requestCert: true,
        rejectUnauthorized: true,
        handshakeTimeout: HANDSHAKE_MS,
        maxHeaderSize: MAX_HEAD_BYTES,
      },
      (request, response) =>
        void this.#allowed(request, request.method ?? "GET").then(
          () => api.answer(request, response),
          (err: unknown) => {
            const refusal = asRefusal(err);
            response.writeHead(refusal.code, { "content-type": "text/plain; charset=utf-8" });
            response.end(refusal.message);
          },
        ),
    );
    server.maxConnections = MAX_CONNECTIONS;
    server.on("upgrade", (request, socket, head) => {
      const upgrade = { request, socket, head };
      socket.on("error", () => undefined);
      // Whatever the method is: more than reading comes of it.
      void this.#allowed(request, "POST").then(
        () => api.upgrade(upgrade),
        (err: unknown) => api.refuseUpgrade(upgrade, asRefusal(err)),
      );
    });
    server.on("tlsClientError", (err) => logger.debug("TLS handshake failed", { err }));
    return server;
  }

  #allowed({ socket, url }: IncomingMessage, method: string): Promise<void> {
    return this.#options.reviews.demand(socket as TLSSocket, { method, path: url ?? "/" });
  }

  #tls(): Tls | undefined {
    const found = this.#options.credentials();
    if (found === undefined) return undefined;
    const { authority, certificate, key } = found;
    return { ca: authority, cert: certificate, key, minVersion: "TLSv1.2" };
  }
}

interface Tls {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly minVersion: "TLSv1.2";
}

function asRefusal(err: unknown): RequestError {
  if (err instanceof RequestError) return err;
  return new RequestError(503, `the API server cannot be asked who may do this: ${describe(err)}`);
}
