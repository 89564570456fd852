// A server of one document that can be asked to serve it badly.

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type UrlFault = "cut" | "empty" | "error" | "silent" | "slow" | "truncated";

export const URL_FAULTS: readonly UrlFault[] = [
  "cut",
  "empty",
  "error",
  "silent",
  "slow",
  "truncated",
];

/** Those that bring something which could be taken for the document. */
export const TEMPTING_FAULTS: readonly UrlFault[] = ["empty", "error", "truncated"];

export class FaultyUrl implements AsyncDisposable {
  readonly #server: Server;
  text = "";
  /** Of the next requests, one each; the others are served well. */
  faults: readonly (UrlFault | undefined)[] = [];
  /** How often each was answered: 200, 304, or a fault. */
  readonly answers: Map<string, number> = new Map<string, number>();

  private constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(): Promise<FaultyUrl> {
    const url = new FaultyUrl();
    url.#server.listen(0, "127.0.0.1");
    await once(url.#server, "listening");
    return url;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/document.yaml`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #answer({ headers }: IncomingMessage, response: ServerResponse): void {
    const { text } = this;
    const [fault, ...others] = this.faults;
    this.faults = others;
    const etag = `"${Buffer.from(text.slice(0, 40)).toString("hex")}"`;
    const isKnown = headers["if-none-match"] === etag;
    this.#count(fault ?? (isKnown ? "304" : "200"));
    const whole = { etag, "content-length": Buffer.byteLength(text) };
    if (fault !== undefined) spoil(response, fault, { text, whole });
    else if (isKnown) response.writeHead(304, { etag }).end();
    else response.writeHead(200, whole).end(text);
  }

  #count(what: string): void {
    this.answers.set(what, (this.answers.get(what) ?? 0) + 1);
  }
}

function spoil(
  response: ServerResponse,
  fault: UrlFault,
  { text, whole }: { readonly text: string; readonly whole: Record<string, number | string> },
): void {
  switch (fault) {
    case "silent": // The client is the one who gives up.
      break;
    case "cut":
      response.destroy();
      break;
    case "error":
      response.writeHead(503).end("try again later\n");
      break;
    case "empty":
      response.writeHead(200, { etag: '"empty"', "content-length": 0 }).end();
      break;
    case "truncated":
      response.writeHead(200, whole).write(text.slice(0, text.length / 2), () => {
        response.socket?.end();
      });
      break;
    case "slow": // It begins, and goes no further.
      response.writeHead(200, whole).write(text.slice(0, 1));
  }
}
