// The client's side of exec over WebSocket: input and sizes go out, output comes in, and the last word is a status. Only version 5 can
// say that input has ended; with version 4 a program that reads to the end of its input waits.

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Readable, Writable } from "node:stream";
import type { SecureContextOptions } from "node:tls";
import { WebSocket } from "ws";
import type { Clock } from "../../base/clock.ts";
import type { TerminalSize } from "../command-streams.ts";

export interface CommandClientOptions {
  /** wss://… with the query that asks for the command. */
  readonly url: string;
  readonly tls: SecureContextOptions & {
    readonly rejectUnauthorized: boolean;
    readonly servername?: string;
  };
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly stdin: Readable | undefined;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** The server did not change the protocol. */
export class CommandRefusedError extends Error {
  override readonly name = "CommandRefusedError";
  readonly status: number;
  /** The body of its answer: a Status, from an API server. */
  readonly body: string;

  constructor(status: number, body: string) {
    super(`the server answered ${status}`);
    this.status = status;
    this.body = body;
  }
}

const PROTOCOLS = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const CHANNELS = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;
/** As kubectl: connections through balancers that forget idle ones stay, and one that is dead is noticed. */
const PING_MS = 5_000;
const PONG_MS = 60_000;
const WEBSOCKET = {
  handshakeTimeout: 60_000,
  // A message is bytes, whatever its kind says.
  skipUTF8Validation: true,
};
/** For the whole answer of a server that refuses. */
const MAX_REFUSAL_BYTES = 1024 * 1024;
/** Of input that has not left: then no more is read. */
const MAX_UNSENT_BYTES = 256 * 1024;

export class CommandClient {
  readonly #options: CommandClientOptions;
  readonly #ws: WebSocket;
  #status = "";
  #heardMs: number;

  private constructor(options: CommandClientOptions, ws: WebSocket) {
    this.#options = options;
    this.#ws = ws;
    this.#heardMs = options.clock.monotonicMs();
  }

  /** Throws CommandRefusedError, or why the server cannot be reached. */
  static async open(options: CommandClientOptions, signal: AbortSignal): Promise<CommandClient> {
    const { url, tls, headers } = options;
    signal.throwIfAborted();
    const ws = new WebSocket(url, PROTOCOLS, { ...tls, headers, ...WEBSOCKET });
    // Nothing is lost between the handshake and whoever listens.
    ws.once("upgrade", () => ws.pause());
    const refused = Promise.withResolvers<never>();
    refused.promise.catch(() => undefined);
    ws.once("unexpected-response", (_request: unknown, response: IncomingMessage) => {
      void refusalOf(response).then(refused.reject, refused.reject);
    });
    try {
      await Promise.race([once(ws, "open", { signal }), refused.promise]);
    } catch (err) {
      ws.on("error", () => undefined); // Of a handshake that is given up.
      ws.terminate();
      throw err;
    }
    return new CommandClient(options, ws);
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#send(CHANNELS.resize, Buffer.from(JSON.stringify({ Width: columns, Height: rows })));
  }

  /** To the end of the command. The last word of the server: a Status as JSON, or "" if the connection was lost before. */
  async run(signal: AbortSignal): Promise<string> {
    const ws = this.#ws;
    const ended = Promise.withResolvers<void>();
    ws.on("message", (data: Buffer) => this.#receive(data))
      .on("pong", () => this.#hear())
      .on("error", (err) => ended.reject(err))
      .on("close", () => ended.resolve());
    const stop = (): void => ws.terminate();
    signal.addEventListener("abort", stop, { once: true });
    using _pings = this.#pinging();
    using _input = this.#sendInput();
    ws.resume();
    try {
      await ended.promise;
      signal.throwIfAborted();
      return this.#status;
    } finally {
      signal.removeEventListener("abort", stop);
      ws.terminate();
    }
  }

  #receive(message: Buffer): void {
    this.#hear();
    const { stdout, stderr } = this.#options;
    const bytes = message.subarray(1);
    switch (message[0]) {
      case CHANNELS.stdout:
        this.#put(stdout, bytes);
        break;
      case CHANNELS.stderr:
        this.#put(stderr, bytes);
        break;
      case CHANNELS.error:
        this.#status += bytes.toString("utf8");
        break;
      default: // Other channels have nothing for us.
    }
  }

  /** Whoever reads slowly slows the program. */
  #put(out: Writable, bytes: Buffer): void {
    if (bytes.length === 0 || out.write(bytes)) return;
    this.#ws.pause();
    out.once("drain", () => {
      this.#hear();
      this.#ws.resume();
    });
  }

  #hear(): void {
    this.#heardMs = this.#options.clock.monotonicMs();
  }

  #pinging(): Disposable {
    const { clock } = this.#options;
    const ping = (): void => {
      const silentMs = clock.monotonicMs() - this.#heardMs;
      // While we do not read we hear nothing.
      if (silentMs > PONG_MS && !this.#ws.isPaused) this.#ws.terminate();
      if (this.#ws.readyState === WebSocket.OPEN) this.#ws.ping();
      timer = clock.schedule(PING_MS, ping);
    };
    let timer = clock.schedule(PING_MS, ping);
    return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
  }

  #sendInput(): Disposable {
    const { stdin } = this.#options;
    if (stdin === undefined) return { [Symbol.dispose]: () => undefined };
    const onData = (chunk: Buffer): void => {
      this.#send(CHANNELS.stdin, chunk, () => {
        if (stdin.isPaused() && this.#ws.bufferedAmount < MAX_UNSENT_BYTES) stdin.resume();
      });
      if (this.#ws.bufferedAmount >= MAX_UNSENT_BYTES) stdin.pause();
    };
    const onEnd = (): void => {
      if (this.#ws.protocol === "v5.channel.k8s.io") {
        this.#send(CHANNELS.close, Buffer.from([CHANNELS.stdin]));
      }
    };
    stdin.on("data", onData).once("end", onEnd);
    return {
      [Symbol.dispose]: () => {
        stdin.off("data", onData).off("end", onEnd).pause();
      },
    };
  }

  #send(channel: number, bytes: Buffer, done: () => void = () => undefined): void {
    if (this.#ws.readyState !== WebSocket.OPEN) return;
    this.#ws.send(Buffer.concat([Buffer.from([channel]), bytes]), () => done());
  }
}

async function refusalOf(response: IncomingMessage): Promise<never> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > MAX_REFUSAL_BYTES) break;
  }
  throw new CommandRefusedError(response.statusCode ?? 0, Buffer.concat(chunks).toString("utf8"));
}
