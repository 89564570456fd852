// Knowing when another process is gone, also one that is not a child of ours, without asking again and again: it holds the
// writing end of a named pipe, and the kernel tells the reader when nobody holds it any more.

import { closeSync, constants, openSync, readSync } from "node:fs";
import { Socket } from "node:net";
import { isErrno } from "../../base/errors.ts";

export interface HeldPipe extends Disposable {
  /** Settles when those who held the pipe have let go of it. */
  readonly released: Promise<void>;
  /** They had before it was watched. */
  readonly isReleased: boolean;
}

export interface WatchOptions {
  /** Somebody holds it already, or will never again. Otherwise: somebody will, later. */
  readonly isHeldBefore: boolean;
}

export function watchPipe(path: string, { isHeldBefore }: WatchOptions): HeldPipe {
  // Non-blocking: opened at once, with or without somebody at the other end.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if (isHeldBefore && !isHeld(fd)) {
    closeSync(fd);
    return { released: Promise.resolve(), isReleased: true, [Symbol.dispose]: () => undefined };
  }
  const { promise: released, resolve } = Promise.withResolvers<void>();
  // The kernel reports the end of a pipe only after somebody had opened it for writing.
  const socket = new Socket({ fd, readable: true, writable: false });
  socket.on("error", () => resolve());
  socket.on("close", () => resolve());
  socket.resume();
  return { released, isReleased: false, [Symbol.dispose]: () => void socket.destroy() };
}

function isHeld(fd: number): boolean {
  try {
    // Nothing is ever written: 0 bytes is the end, EAGAIN is somebody who holds it.
    return readSync(fd, new Uint8Array(1)) > 0;
  } catch (err) {
    if (isErrno(err, "EAGAIN")) {
      return true;
    }
    throw err;
  }
}
