// An HTTP server without a network: clients are given one end of a pipe, tests the upgrade that arrives at the other.

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type Duplex, duplexPair } from "node:stream";
import type { Upgrade } from "../upgrade.ts";

export class UpgradeServer {
  readonly #server: Server = createServer();

  /** The client's end of a new connection. */
  connect(): Duplex {
    const [client, server] = duplexPair();
    // As both ends of a network connection learn of its end.
    client.on("close", () => server.destroy()).on("error", () => undefined);
    server.on("close", () => client.destroy()).on("error", () => undefined);
    this.#server.emit("connection", server);
    return client;
  }

  /** The next request for an upgrade. */
  async next(): Promise<Upgrade> {
    const [request, socket, head] = (await once(this.#server, "upgrade")) as [
      IncomingMessage,
      Duplex,
      Buffer,
    ];
    return { request, socket, head };
  }

  /** Sends a request for an upgrade with these header lines on a new connection. */
  async request(
    ...lines: readonly string[]
  ): Promise<{ readonly client: Duplex; readonly upgrade: Upgrade }> {
    const upgrade = this.next();
    const client = this.connect();
    client.write(["GET /exec HTTP/1.1", "Host: server", ...lines, "", ""].join("\r\n"));
    return { client, upgrade: await upgrade };
  }
}

/** Reads the head of an answer and leaves what follows. */
export async function readHead(client: Duplex): Promise<string> {
  let text = "";
  while (!text.endsWith("\r\n\r\n")) {
    const byte = client.read(1) as Buffer | null;
    if (byte === null) await once(client, "readable");
    else text += byte.toString("latin1");
  }
  return text;
}
