// The answer to a request for SPDY/3.1.

import type { Duplex } from "node:stream";

/** From here on the connection speaks SPDY. */
export function switchToSpdy(socket: Duplex, version: string): void {
  socket.write(
    "HTTP/1.1 101 Switching Protocols\r\n" +
      "Upgrade: SPDY/3.1\r\n" +
      "Connection: Upgrade\r\n" +
      `X-Stream-Protocol-Version: ${version}\r\n\r\n`,
  );
}
