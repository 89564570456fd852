// Finds connections of HTTP/2 over TLS that are gone without Node having noticed.
//
// Somebody is killed, and the kernel there resets the connection. If we write before we have read that, the write fails, and Node
// tells nobody: HTTP/2 takes it for done and writes the next piece, which TLS keeps back for ever, because for it the failed one is
// still on its way. As long as a write is on its way HTTP/2 does not read, so it never hears of the reset either, and a session that
// is destroyed waits for that write before it closes its socket. Everything of the connection would stay: its socket, its streams,
// and the watches on them.
//
// The kernel knows. It is asked, rather than the other side: one that is stopped or slow does not answer, and is there all the same.

import type { Duplex } from "node:stream";
import type { Clock } from "./clock.ts";

/** Until then a connection that is gone looks like a quiet one. To look is one system call. */
const LOOK_MS = 5000;

/** Until the socket is closed. The session above it, and its streams, are closed with it. */
export function destroyWhenCutOff(socket: Duplex, clock: Clock): void {
  if (socket.destroyed) return;
  const look = (): void => {
    if (isCutOff(socket)) socket.destroy();
    else timer = clock.schedule(LOOK_MS, look);
  };
  let timer = clock.schedule(LOOK_MS, look);
  socket.once("close", () => timer[Symbol.dispose]());
}

/** Node has no other name for it: `remoteAddress` remembers what it was. */
interface Connected {
  /** Not there when it is closed, or if it is no socket. */
  readonly _handle?: { readonly getpeername?: (address: object) => number } | null;
}

/** Whether the kernel has given the connection up. One that the other side has ended still has that side. */
function isCutOff(socket: Duplex): boolean {
  const { _handle: handle } = socket as Connected;
  return handle?.getpeername !== undefined && handle.getpeername({}) !== 0;
}
