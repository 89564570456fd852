// Sends requests as whoever we are now. When the credentials change, new requests go over new connections; the old ones
// take no more, and close when their last watch has ended, which is within ten minutes because watches ask for that.

import { createHash } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import { ConnectionPool, RetiredError } from "./connection-pool.ts";
import type { Credentials, Identity } from "./credentials.ts";
import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";

export interface HttpTransportOptions {
  /** https://host:port, or http: for tests and proxies on the same machine. */
  readonly server: string;
  readonly isInsecure: boolean;
  readonly serverName?: string;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger | undefined;
  /** The newest that is spoken. */
  readonly maxHttpVersion: "1.1" | "2";
}

/** Watches end by themselves before this; what is left then hangs. */
const RETIRED_MS = 11 * 60_000;

export class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #server: URL;
  #current: { readonly fingerprint: string; readonly pool: ConnectionPool } | undefined;
  /** Of earlier identities. */
  readonly #retired = new Map<ConnectionPool, Disposable>();
  #isClosed = false;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#server = new URL(options.server);
  }

  get isConnected(): boolean {
    return this.#current?.pool.isConnected ?? false;
  }

  async answers(): Promise<boolean> {
    return (await this.#current?.pool.answers()) ?? false;
  }

  /** Those of earlier identities too. */
  get connections(): number {
    const retired = [...this.#retired.keys()].reduce((sum, pool) => sum + pool.size, 0);
    return (this.#current?.pool.size ?? 0) + retired;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const { credentials } = this.#options;
    const { identity, answer } = await this.#sendAsNow(request);
    if (answer.code !== 401 || !credentials.refused(identity)) return answer;
    // What was refused may have been out of date, and there is something newer.
    for await (const _ of answer.body) break;
    return (await this.#sendAsNow(request)).answer;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#current?.pool.retire(), ...[...this.#retired.keys()].map(retire)]);
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#current?.pool.destroy();
    for (const [pool, timer] of this.#retired) {
      timer[Symbol.dispose]();
      pool.destroy();
    }
  }

  /** As whoever we are when there is a connection: it can be waited for, and we can be renewed meanwhile. */
  async #sendAsNow(
    request: TransportRequest,
  ): Promise<{ readonly identity: Identity; readonly answer: TransportResponse }> {
    for (;;) {
      const identity = await this.#options.credentials.identity(request.signal);
      try {
        return { identity, answer: await this.#sendAs(identity, request) };
      } catch (err) {
        if (this.#isClosed || !(err instanceof RetiredError)) throw err;
      }
    }
  }

  #sendAs(identity: Identity, request: TransportRequest): Promise<TransportResponse> {
    if (this.#isClosed) throw new Error("the client is closed");
    const { token } = identity;
    const prefix = this.#server.pathname.replace(/\/+$/, "");
    return this.#poolOf(identity).send({
      ...request,
      path: prefix + request.path,
      headers: {
        ...request.headers,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
    });
  }

  #poolOf(identity: Identity): ConnectionPool {
    const fingerprint = fingerprintOf(identity);
    if (this.#current?.fingerprint === fingerprint) return this.#current.pool;
    if (this.#current !== undefined) this.#retire(this.#current.pool);
    const { isInsecure, serverName, clock, random, logger, maxHttpVersion } = this.#options;
    const { authority, certificate, key } = identity;
    const tls = {
      rejectUnauthorized: !isInsecure,
      ...(authority !== undefined && { ca: authority }),
      ...(certificate !== undefined && { cert: certificate }),
      ...(key !== undefined && { key }),
      ...(serverName !== undefined && { servername: serverName }),
      ...(maxHttpVersion === "1.1" && { ALPNProtocols: ["http/1.1"] }),
    };
    const pool = new ConnectionPool({ server: this.#server, tls, clock, random, logger });
    this.#current = { fingerprint, pool };
    return pool;
  }

  #retire(pool: ConnectionPool): void {
    const timer = this.#options.clock.schedule(RETIRED_MS, () => pool.destroy());
    this.#retired.set(pool, timer);
    void pool.retire().then(() => {
      timer[Symbol.dispose]();
      this.#retired.delete(pool);
    });
  }
}

function retire(pool: ConnectionPool): Promise<void> {
  return pool.retire();
}

/** A hash, since keys should not be copied about. */
function fingerprintOf({ authority, certificate, key, token }: Identity): string {
  return createHash("sha256")
    .update(JSON.stringify([authority, certificate, key, token]))
    .digest("base64");
}
