// How a client talks to the server: requests with whole answers, and watches line by line, over HTTP/1.1 with a
// connection per watch, or over HTTP/2 with one for all.

import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from "node:http2";
import { Agent, request } from "node:https";
import type { Readable } from "node:stream";
import { systemClock } from "../../src/base/clock.ts";
import { destroyWhenCutOff } from "../../src/base/destroy-when-cut-off.ts";

export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
  readonly contentType?: string | undefined;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
}

export interface StreamOptions {
  readonly path: string;
  /** Called for every whole line. */
  readonly onLine: (line: string) => void;
}

/** "ended" by the server's own will, "torn" so in the middle of a line, "broken" otherwise. */
export type StreamEnd = "ended" | "torn" | "broken";

export interface OpenStream {
  pause(): void;
  resume(): void;
  close(): void;
  readonly ended: Promise<{ readonly status: number; readonly end: StreamEnd }>;
}

export interface Transport extends Disposable {
  /** Rejects if no whole answer came. */
  ask(ask: Ask): Promise<Reply>;
  stream(options: StreamOptions): OpenStream;
}

export interface TransportOptions {
  readonly url: string;
  readonly credentials: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer };
}

/** A server that is gone without a word must not hold a run up. */
const ANSWER_TIMEOUT_MS = 30_000;

export class Http1Transport implements Transport {
  readonly #url: string;
  readonly #agent: Agent;
  readonly #watchAgent: Agent;

  constructor({ url, credentials }: TransportOptions) {
    this.#url = url;
    this.#agent = new Agent({ ...credentials, keepAlive: true });
    this.#watchAgent = new Agent({ ...credentials, keepAlive: false });
  }

  ask({ method, path, body, contentType = "application/json" }: Ask): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? "" : JSON.stringify(body);
      // Node sends the body of a DELETE without saying that there is one.
      const length = { "content-length": Buffer.byteLength(text) };
      const headers = body === undefined ? {} : { "content-type": contentType, ...length };
      const options = { method, agent: this.#agent, headers, timeout: ANSWER_TIMEOUT_MS };
      const sent = request(`${this.#url}${path}`, options, (response) => {
        collect(response, (text) => {
          if (!response.complete) reject(new Error("the answer was cut off"));
          else resolve({ status: response.statusCode ?? 0, text });
        });
      });
      sent.on("timeout", () => sent.destroy(new Error("no answer came in time")));
      sent.on("error", reject);
      sent.end(text);
    });
  }

  stream({ path, onLine }: StreamOptions): OpenStream {
    const ended = Promise.withResolvers<{ status: number; end: StreamEnd }>();
    let body: Readable | undefined;
    const sent = request(`${this.#url}${path}`, { agent: this.#watchAgent }, (response) => {
      body = response;
      const lines = new Lines(onLine);
      response.on("data", (chunk: Buffer) => lines.take(chunk));
      response.on("error", () => undefined); // "close" tells how it ended.
      response.on("close", () => {
        const end = response.complete ? lines.end() : "broken";
        ended.resolve({ status: response.statusCode ?? 0, end });
      });
    });
    sent.on("error", () => ended.resolve({ status: 0, end: "broken" }));
    sent.end();
    return {
      pause: () => void body?.pause(),
      resume: () => void body?.resume(),
      close: () => void sent.destroy(),
      ended: ended.promise,
    };
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
    this.#watchAgent.destroy();
  }
}

export class Http2Transport implements Transport {
  readonly #options: TransportOptions;
  #session: ClientHttp2Session | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  ask({ method, path, body, contentType = "application/json" }: Ask): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { "content-type": contentType };
      const stream = this.#open(method, path, headers);
      let status = 0;
      let isWhole = false;
      stream.setTimeout(ANSWER_TIMEOUT_MS, () => stream.close(constants.NGHTTP2_CANCEL));
      stream.on("response", (found) => {
        status = statusOf(found);
      });
      stream.on("end", () => {
        isWhole = true;
      });
      stream.on("error", reject);
      collect(stream, (text) => {
        // A stream that the server reset ends as well, but not with this code.
        if (isWhole && status !== 0 && stream.rstCode === constants.NGHTTP2_NO_ERROR) {
          resolve({ status, text });
        } else reject(new Error("the answer was cut off"));
      });
      stream.end(body && JSON.stringify(body));
    });
  }

  stream({ path, onLine }: StreamOptions): OpenStream {
    const ended = Promise.withResolvers<{ status: number; end: StreamEnd }>();
    const stream = this.#open("GET", path, {});
    const lines = new Lines(onLine);
    let status = 0;
    let isWhole = false;
    stream.on("response", (found) => {
      status = statusOf(found);
    });
    stream.on("data", (chunk: Buffer) => lines.take(chunk));
    stream.on("end", () => {
      isWhole = true;
    });
    stream.on("error", () => undefined); // "close" tells how it ended.
    stream.on("close", () => {
      const isClean = isWhole && status !== 0 && stream.rstCode === constants.NGHTTP2_NO_ERROR;
      ended.resolve({ status, end: isClean ? lines.end() : "broken" });
    });
    stream.end();
    return {
      pause: () => void stream.pause(),
      resume: () => void stream.resume(),
      close: () => stream.close(constants.NGHTTP2_CANCEL),
      ended: ended.promise,
    };
  }

  [Symbol.dispose](): void {
    this.#session?.destroy();
  }

  #open(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
  ): ClientHttp2Stream {
    const { url, credentials } = this.#options;
    if (this.#session === undefined || this.#session.closed || this.#session.destroyed) {
      const session = connect(url, { ...credentials });
      session.on("error", () => undefined); // Its streams hear of it.
      session.setMaxListeners(0);
      // Otherwise streams of a server that was killed may stay open for ever.
      session.once("connect", (_, socket) => destroyWhenCutOff(socket, systemClock));
      this.#session = session;
    }
    return this.#session.request({ ":method": method, ":path": path, ...headers });
  }
}

function statusOf(
  headers: IncomingHttpHeaders & { readonly ":status"?: number | undefined },
): number {
  return headers[":status"] ?? 0;
}

function collect(readable: Readable, onClose: (text: string) => void): void {
  const chunks: Buffer[] = [];
  readable.on("data", (chunk: Buffer) => chunks.push(chunk));
  readable.on("error", () => undefined); // "close" follows, and what came is not whole.
  readable.on("close", () => onClose(Buffer.concat(chunks).toString()));
}

const NEWLINE = 0x0a;

/** Cuts a stream of bytes into lines. */
class Lines {
  readonly #onLine: (line: string) => void;
  #rest: Buffer[] = [];

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  take(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const piece = chunk.subarray(start, end);
      this.#onLine(Buffer.concat([...this.#rest, piece]).toString());
      this.#rest = [];
      start = end + 1;
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start));
  }

  end(): StreamEnd {
    return this.#rest.length === 0 ? "ended" : "torn";
  }
}
