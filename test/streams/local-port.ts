// A TCP server on a free port of this machine, for something to forward to.

import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

export class LocalPort implements Disposable {
  readonly port: number;
  readonly server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  static async listen(handle: (socket: Socket) => void): Promise<LocalPort> {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on("error", () => undefined);
      handle(socket);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new LocalPort(server);
  }

  [Symbol.dispose](): void {
    this.server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Says everything back in capitals, piece by piece. */
export function shout(socket: Socket): void {
  socket.on("data", (bytes: Buffer) => socket.write(bytes.toString().toUpperCase()));
  socket.on("end", () => socket.end());
}
