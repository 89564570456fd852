// Servers on this machine that do what a test says, until they are disposed of with all their connections.

import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type Clock, systemClock } from "../../../base/clock.ts";

export class Loopback implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(server: Server, sockets: Set<Socket>) {
    this.#server = server;
    this.#sockets = sockets;
    this.port = (server.address() as AddressInfo).port;
  }

  static http(handle: RequestListener): Promise<Loopback> {
    return Loopback.of(createHttpServer(handle));
  }

  static tcp(handle: (socket: Socket) => void): Promise<Loopback> {
    return Loopback.of(createServer(handle));
  }

  /** "0.0.0.0" is reached by every address of the machine. */
  static async of(server: Server, host = "127.0.0.1"): Promise<Loopback> {
    const sockets = new Set<Socket>();
    server.on("connection", (socket: Socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      socket.on("error", () => undefined); // A client that leaves is no failure of the test.
    });
    server.listen(0, host);
    await once(server, "listening");
    return new Loopback(server, sockets);
  }

  /** Settles when no connection is left. */
  async quiet(): Promise<void> {
    for (const socket of this.#sockets) {
      await new Promise((resolve) => (socket.closed ? resolve(true) : socket.on("close", resolve)));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening) await once(this.#server, "close");
  }
}

/** Time is over before anything could happen on the network. */
export const hurriedClock: Clock = {
  ...systemClock,
  schedule(_ms, callback) {
    let isWanted = true;
    queueMicrotask(() => isWanted && callback());
    return {
      [Symbol.dispose]: () => {
        isWanted = false;
      },
    };
  },
};

/** Where nobody listens: a port that was free a moment ago. */
export async function closedPort(): Promise<number> {
  await using server = await Loopback.tcp(() => undefined);
  return server.port;
}
