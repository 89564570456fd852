// A real HTTP server that remembers what it was asked, and answers as a test wants; it can go away and come back at the same port.

import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly body: string;
  /** Of the answer; 0 if a function gave it. */
  readonly status: number;
}

/** The status; a body with 200; or a function that says one of them, or does something with the response itself. */
type Answer =
  | number
  | string
  | ((response: ServerResponse, request: IncomingMessage) => number | string | undefined);

export class HttpTarget implements AsyncDisposable {
  readonly asked: Asked[] = [];
  /** By path; 200 where there is none. */
  readonly answers: Map<string, Answer> = new Map();
  readonly #tls: ServerOptions | undefined;
  #server: Server;
  #port = 0;

  private constructor(tls: ServerOptions | undefined) {
    this.#tls = tls;
    this.#server = this.#create();
  }

  static async start(tls?: ServerOptions): Promise<HttpTarget> {
    const target = new HttpTarget(tls);
    await target.#listen();
    return target;
  }

  url(path = "/"): string {
    return `${this.#tls === undefined ? "http" : "https"}://127.0.0.1:${this.#port}${path}`;
  }

  /** What was asked of this path. */
  of(path: string): readonly Asked[] {
    return this.asked.filter((one) => one.path === path);
  }

  async goAway(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async comeBack(): Promise<void> {
    this.#server = this.#create();
    await this.#listen();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.goAway();
  }

  #create(): Server {
    const listener: RequestListener = (request, response) => void this.#serve(request, response);
    return this.#tls === undefined ? createServer(listener) : createTlsServer(this.#tls, listener);
  }

  async #listen(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    } catch {
      return; // Cut: the test did that.
    }
    const path = request.url ?? "/";
    const found = this.answers.get(path) ?? 200;
    const { authorization, "content-type": contentType } = request.headers;
    const body = Buffer.concat(chunks).toString();
    const method = request.method ?? "";
    const answer = typeof found === "function" ? found(response, request) : found;
    const status = typeof answer === "number" ? answer : answer === undefined ? 0 : 200;
    this.asked.push({ method, path, authorization, contentType, body, status });
    if (answer !== undefined) reply(response, answer);
  }
}

function reply(response: ServerResponse, answer: number | string): void {
  const isStatus = typeof answer === "number";
  response.writeHead(isStatus ? answer : 200).end(isStatus ? `status ${answer}` : answer);
}

/** One that nobody had a moment ago. */
export async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
