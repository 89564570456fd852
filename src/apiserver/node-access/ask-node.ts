// One HTTP request to a node, over a connection that is there for it alone.

import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import type { Duplex, Readable } from "node:stream";
import { serviceUnavailable } from "../../api/status-error.ts";
import { deadline } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";

export interface NodeQuestion {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Nothing if missing. */
  readonly body?: Readable;
}

export type NodeAnswer =
  /** The connection is what was asked for. */
  | {
      readonly is: "upgraded";
      readonly headers: IncomingHttpHeaders;
      readonly connection: Duplex;
    }
  | { readonly is: "answered"; readonly response: IncomingMessage };

/** For the head of the answer. A program has to be started for some. */
const HEAD_MS = 30_000;

/** Throws ServiceUnavailable if the node does not answer. Whoever asks ends the connection. */
export async function askNode(
  connection: Duplex,
  { method, path, headers, body }: NodeQuestion,
  clock: Clock,
): Promise<NodeAnswer> {
  using limit = deadline({ clock, timeoutMs: HEAD_MS });
  const answered = Promise.withResolvers<NodeAnswer>();
  const fail = (err: unknown): void => answered.reject(err);
  const sent = request({
    method,
    path,
    headers: { host: "node", ...headers },
    createConnection: () => connection as Socket,
  });
  sent.on("response", (response) => answered.resolve({ is: "answered", response }));
  sent.on("upgrade", (response, socket: Duplex, head) => {
    if (head.length > 0) socket.unshift(head);
    answered.resolve({ is: "upgraded", headers: response.headers, connection: socket });
  });
  sent.on("error", fail);
  limit.signal.addEventListener("abort", () => fail(limit.signal.reason), { once: true });
  if (body === undefined) sent.end();
  else body.pipe(sent);
  try {
    return await answered.promise;
  } catch (err) {
    connection.destroy();
    throw serviceUnavailable("the node does not answer", err);
  }
}
