// Requests over one HTTP/2 connection, as many at once as the caller likes.

import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from "node:http2";

/** A server, and who we are there. PEM texts. */
export interface Identity {
  readonly host: string;
  readonly port: number;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface Http2Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Http2Request {
  readonly method: string;
  readonly path: string;
  /** "" for none. */
  readonly body: string;
}

/** As in Go's clients. Node's own 64 KiB would make the client the slow part of every list. */
const STREAM_WINDOW_BYTES = 4 * 1024 * 1024;
const CONNECTION_WINDOW_BYTES = 1024 * 1024 * 1024;

export class Http2Connection {
  readonly #identity: Identity;
  #session: ClientHttp2Session | undefined;

  constructor(identity: Identity) {
    this.#identity = identity;
  }

  /** The status, when the whole answer is there, which is dropped. Rejects like exchange. */
  async send(request: Http2Request): Promise<number> {
    return (await this.#exchange(request, () => undefined)).status;
  }

  /** Rejects if the connection breaks; the next request then connects anew. */
  async exchange(request: Http2Request): Promise<Http2Answer> {
    const chunks: Buffer[] = [];
    const head = await this.#exchange(request, (chunk) => {
      chunks.push(chunk);
    });
    return { ...head, text: Buffer.concat(chunks).toString() };
  }

  #exchange(
    { method, path, body }: Http2Request,
    onData: (chunk: Buffer) => void,
  ): Promise<Omit<Http2Answer, "text">> {
    return new Promise((resolve, reject) => {
      const stream = this.#open().request(
        {
          ":method": method,
          ":path": path,
          ...(body !== "" && { "content-type": "application/json" }),
        },
        { endStream: body === "" },
      );
      let headers: IncomingHttpHeaders = {};
      let isWhole = false;
      stream.on("response", (head) => {
        headers = head;
      });
      stream.on("end", () => {
        isWhole = true;
      });
      stream.on("error", reject);
      stream.on("close", () => {
        const status = Number(headers[":status"] ?? 0);
        if (isWhole && status !== 0) resolve({ status, headers });
        else reject(new Error("The server ended the stream"));
      });
      stream.on("data", onData);
      if (body !== "") stream.end(body);
    });
  }

  close(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  #open(): ClientHttp2Session {
    const known = this.#session;
    if (known !== undefined && !known.closed && !known.destroyed) return known;
    const { host, port, ca, cert, key } = this.#identity;
    const session = connect(`https://${host}:${port}`, {
      ca,
      cert,
      key,
      settings: { initialWindowSize: STREAM_WINDOW_BYTES },
    });
    session.once("connect", () => session.setLocalWindowSize(CONNECTION_WINDOW_BYTES));
    session.setMaxListeners(0);
    // Its streams tell it.
    session.on("error", () => undefined);
    this.#session = session;
    return session;
  }
}
