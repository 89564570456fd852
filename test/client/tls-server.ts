// Servers of the tests' own, with certificates that are made on the spot: one that speaks HTTP/2, and a wire in between that
// can be cut or go silent.

import { once } from "node:events";
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { type CertificateAndKey, createAuthority, issue } from "../../src/apiserver/pki/issue.ts";

const HOUR_MS = 3600_000;

export class TestAuthority {
  readonly #authority: CertificateAndKey;

  private constructor(authority: CertificateAndKey) {
    this.#authority = authority;
  }

  static async create(): Promise<TestAuthority> {
    const nowMs = Date.now();
    return new TestAuthority(await createAuthority({ commonName: "test", nowMs, days: 1 }));
  }

  get certificate(): string {
    return this.#authority.certificate;
  }

  issue(commonName: string, hosts: readonly string[] = []): Promise<CertificateAndKey> {
    const authority = this.#authority;
    return issue({ authority, commonName, hosts, nowMs: Date.now(), lifeMs: HOUR_MS });
  }
}

export type Handle = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

export class TlsServer implements Disposable {
  readonly sessions: Set<ServerHttp2Session> = new Set();
  /** All connections that ever were. */
  connections: number = 0;
  handle: Handle = (_, response) => response.end("{}");
  readonly #server: Http2SecureServer;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Http2SecureServer) {
    this.#server = server;
    server.on("request", (request, response) => this.handle(request, response));
    server.on("session", (session) => {
      this.sessions.add(session);
      session.on("close", () => this.sessions.delete(session));
      session.on("error", () => undefined); // A client that leaves is no failure of the test.
    });
    server.on("connection", (socket: Socket) => {
      this.connections++;
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", () => undefined);
    });
  }

  static async start(
    authority: TestAuthority,
    options: { readonly maxStreams?: number } = {},
  ): Promise<TlsServer> {
    const { certificate, key } = await authority.issue("server", ["127.0.0.1", "api.test"]);
    const { maxStreams = 100 } = options;
    const http2 = createSecureServer({
      cert: certificate,
      key,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: false,
      settings: { maxConcurrentStreams: maxStreams },
    });
    const server = new TlsServer(http2);
    http2.listen(0, "127.0.0.1");
    await once(http2, "listening");
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** Breaks what is connected, as the kernel does for a process that was killed: with no farewell of TLS. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  [Symbol.dispose](): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Forwards bytes to a port until it is told not to. */
export class Wire implements Disposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Those whose bytes come from the server. */
  readonly #answering = new Set<Socket>();
  /** New connections are closed at once. */
  isCut: boolean = false;
  connections: number = 0;

  private constructor(port: number) {
    this.#server = createServer((near) => {
      this.connections++;
      if (this.isCut) {
        near.destroy();
        return;
      }
      const far = connect(port, "127.0.0.1");
      this.#answering.add(far);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.on("error", () => undefined);
        from.on("close", () => {
          this.#sockets.delete(from);
          to.destroy();
        });
        from.pipe(to);
      }
    });
  }

  static async to(port: number): Promise<Wire> {
    const wire = new Wire(port);
    wire.#server.listen(0, "127.0.0.1");
    await once(wire.#server, "listening");
    return wire;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Breaks what is connected, and lets nobody connect. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  /** The server hears everything, and is not heard. */
  mute(): void {
    for (const socket of this.#answering) {
      socket.unpipe();
      socket.pause();
    }
  }

  /** Nothing goes through any more, and nobody is told. */
  silence(): void {
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  [Symbol.dispose](): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
