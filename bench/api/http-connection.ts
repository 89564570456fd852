// HTTP/1.1 over TLS with as little work as possible: requests are bytes that the caller has made, and of an answer only
// the status and the end are looked for. A generator that parses what it gets would measure itself.

import type { OnReadOpts } from "node:net";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import type { Target } from "./jobs.ts";

/** One buffer for all connections: what is in it is looked at before the next read. */
const shared = Buffer.allocUnsafe(256 * 1024);

export interface Connecting {
  readonly target: Target;
  /** Every read, until the next one. */
  readonly onData: (bytes: Buffer) => void;
  readonly onEnd: (err: Error | undefined) => void;
  /** From an earlier connection: the handshake is then much cheaper. */
  readonly session?: Buffer | undefined;
}

export function openSocket({ target, onData, onEnd, session }: Connecting): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    // The types do not know that TLS takes onread too.
    const options: ConnectionOptions & { readonly onread: OnReadOpts } = {
      ...target,
      ALPNProtocols: ["http/1.1"],
      ...(session !== undefined && { session }),
      onread: {
        buffer: shared,
        callback: (length: number) => {
          onData(shared.subarray(0, length));
          return true;
        },
      },
    };
    const socket = connect(options);
    socket.setNoDelay(true);
    socket.once("secureConnect", () => resolve(socket));
    socket.on("error", (err: Error) => {
      reject(err);
      onEnd(err);
    });
    socket.on("close", () => onEnd(undefined));
  });
}

/** Sends one request at a time. */
export class HttpConnection {
  readonly #target: Target;
  #socket: TLSSocket | undefined;
  #onAnswer: ((status: number) => void) | undefined;
  #failure: ((err: Error) => void) | undefined;
  #status = 0;
  /** Bytes of the body that are still to come; -1 in the head; Infinity when it is chunked. */
  #missing = -1;
  #head = "";

  constructor(target: Target) {
    this.#target = target;
  }

  async open(): Promise<void> {
    this.#socket = await openSocket({
      target: this.#target,
      onData: (bytes) => this.#read(bytes),
      onEnd: (err) => this.#failure?.(err ?? new Error("The server closed the connection")),
    });
  }

  /** The bytes can be used again when the answer is there. */
  send(request: Buffer, onAnswer: (status: number) => void, onFailure: (err: Error) => void): void {
    this.#onAnswer = onAnswer;
    this.#failure = onFailure;
    this.#socket?.write(request);
  }

  /** Resolves with the status. */
  exchange(request: Buffer): Promise<number> {
    return new Promise((resolve, reject) => this.send(request, resolve, reject));
  }

  close(): void {
    this.#failure = undefined;
    this.#socket?.destroy();
  }

  #read(bytes: Buffer): void {
    const body = this.#missing === -1 ? this.#readHead(bytes) : bytes;
    if (body === undefined) return;
    if (this.#missing === Number.POSITIVE_INFINITY) {
      // JSON has no bare carriage return, so that this is the last chunk and nothing else.
      if (body.subarray(-5).toString("latin1") === "0\r\n\r\n") this.#done();
      return;
    }
    this.#missing -= body.length;
    if (this.#missing === 0) this.#done();
  }

  /** What follows the head; undefined if the head is not complete. */
  #readHead(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf("\r\n\r\n");
    if (end === -1) {
      this.#head += bytes.toString("latin1");
      return undefined;
    }
    const head = this.#head + bytes.toString("latin1", 0, end);
    this.#head = "";
    this.#status = Number(head.slice(9, 12));
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    this.#missing = length === undefined ? Number.POSITIVE_INFINITY : Number(length);
    return bytes.subarray(end + 4);
  }

  #done(): void {
    this.#missing = -1;
    this.#failure = undefined;
    this.#onAnswer?.(this.#status);
  }
}
