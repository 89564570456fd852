// A request of HTTP/1.1 that asks for its connection to become something else. It goes the way of every other request, with a
// response like theirs, until it is accepted: so whoever is refused is told in the usual form.

import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { HttpResponse } from "./answer.ts";

/** Where there is something to become. Elsewhere the wish is ignored, as HTTP allows. */
const streams = /\/(?:exec|attach|portforward|tunnel)(?:\?|$)/;

export function wantsUpgrade({ url = "", headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && streams.test(url);
}

export interface Upgrade {
  /** What it is to become, in lower case. */
  readonly protocol: string;
  /**
   * Answers 101 with these headers. From then on the connection is the caller's; what the client has sent is in it. Nothing is
   * being written: HTTP/2 could not take it over otherwise.
   */
  accept(headers: Readonly<Record<string, string>>): Promise<Duplex>;
}

export interface UpgradeOptions {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

export function upgradeOf({ request, socket, head }: UpgradeOptions): {
  readonly response: HttpResponse;
  readonly upgrade: Upgrade;
} {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  const hangUp = (): void => void socket.end(() => socket.destroy());
  response.once("finish", hangUp);
  return {
    response,
    upgrade: {
      protocol: request.headers.upgrade?.toLowerCase() ?? "",
      accept: async (headers) => {
        response.off("finish", hangUp);
        response.writeHead(101, headers).flushHeaders();
        response.detachSocket(socket as Socket);
        // After what was written before; a failure closes the connection, which its user sees.
        await new Promise<void>((resolve) => socket.write("", () => resolve()));
        if (head.length > 0) socket.unshift(head);
        return socket;
      },
    },
  };
}
