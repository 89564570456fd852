// Requests over one HTTP/2 connection, as many at once as the caller likes. What is answered is dropped.

import { type ClientHttp2Session, connect } from "node:http2";
import type { Target } from "../api/jobs.ts";

export interface Http2Request {
  readonly method: string;
  readonly path: string;
  /** "" for none. */
  readonly body: string;
}

export class Http2Connection {
  readonly #target: Target;
  #session: ClientHttp2Session | undefined;

  constructor(target: Target) {
    this.#target = target;
  }

  /** The status, when the whole answer is there. Rejects if it breaks; the next request then connects anew. */
  send({ method, path, body }: Http2Request): Promise<number> {
    return new Promise((resolve, reject) => {
      const stream = this.#open().request(
        {
          ":method": method,
          ":path": path,
          ...(body !== "" && { "content-type": "application/json" }),
        },
        { endStream: body === "" },
      );
      let status = 0;
      let isWhole = false;
      stream.on("response", (headers) => {
        status = headers[":status"] ?? 0;
      });
      stream.on("end", () => {
        isWhole = true;
      });
      stream.on("error", reject);
      stream.on("close", () => {
        if (isWhole && status !== 0) resolve(status);
        else reject(new Error("The server ended the stream"));
      });
      stream.resume();
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
    const { host, port, ca, cert, key } = this.#target;
    const session = connect(`https://${host}:${port}`, { ca, cert, key });
    session.setMaxListeners(0);
    // Its streams tell it.
    session.on("error", () => undefined);
    this.#session = session;
    return session;
  }
}
