// A TLS connection without a library behind it, so that a test can send what no library would.

import { once } from "node:events";
import type { TLSSocket } from "node:tls";
import { connect } from "node:tls";
import { type DriftlessServer, readCredentials } from "../support/driftless-server.ts";

export class RawConnection implements Disposable {
  readonly socket: TLSSocket;
  readonly #ended = Promise.withResolvers<void>();
  #chunks: Buffer[] = [];
  #isClosed = false;
  #onData: () => void = () => undefined;

  private constructor(socket: TLSSocket) {
    this.socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#onData();
    });
    // A refusal may come as a reset: that it ended is what counts.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#isClosed = true;
      this.#ended.resolve();
      this.#onData();
    });
  }

  /** As the admin, if not told otherwise. */
  static async open(
    server: DriftlessServer,
    protocol: "http/1.1" | "h2",
    { anonymous = false }: { readonly anonymous?: boolean } = {},
  ): Promise<RawConnection> {
    const { ca, ...own } = readCredentials(server.kubeconfig);
    const socket = connect({
      host: "127.0.0.1",
      port: server.port,
      ca,
      ...(!anonymous && own),
      ALPNProtocols: [protocol],
    });
    const connection = new RawConnection(socket);
    await once(socket, "secureConnect");
    return connection;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Everything that came so far. */
  get bytes(): Buffer {
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  get text(): string {
    return this.bytes.toString("latin1");
  }

  write(bytes: string | Uint8Array): void {
    if (this.socket.writable) this.socket.write(bytes);
  }

  /** When the server has taken it, or the connection is over. */
  async writeAll(bytes: string | Uint8Array): Promise<void> {
    if (!this.socket.writable) return this.closed();
    const taken = new Promise<void>((resolve) => this.socket.write(bytes, () => resolve()));
    await Promise.race([taken, this.#ended.promise]);
  }

  /** Until the condition holds or the server has closed the connection. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds() && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#onData = resolve;
      });
    }
  }

  closed(): Promise<void> {
    return this.#ended.promise;
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}

/** What a server answers to a text that may be no request, up to the end of the first answer or of the connection. */
export async function exchange(server: DriftlessServer, request: string): Promise<string> {
  using connection = await RawConnection.open(server, "http/1.1");
  connection.write(Buffer.from(request, "latin1"));
  const hasBody = !request.startsWith("HEAD ");
  await connection.until(() => isWhole(connection.text, hasBody));
  return connection.text;
}

function isWhole(answer: string, hasBody: boolean): boolean {
  const end = answer.indexOf("\r\n\r\n");
  if (end === -1 || !hasBody) return end !== -1;
  const head = answer.slice(0, end).toLowerCase();
  if (head.startsWith("http/1.1 100")) return isWhole(answer.slice(end + 4), hasBody);
  const length = /\ncontent-length: (\d+)/.exec(head)?.[1];
  if (length !== undefined) return answer.length >= end + 4 + Number(length);
  return answer.endsWith("0\r\n\r\n");
}
