// Where a keeper and its agent find each other, below the data directory.

import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";

export interface KeeperFiles {
  readonly directory: string;
  readonly socket: string;
  /** Held locked by the keeper as long as it lives. */
  readonly lock: string;
  /** For people: nothing reads it. */
  readonly pid: string;
  /** What the keeper has to complain about, since its start. */
  readonly complaints: string;
  readonly compileCache: string;
}

export function keeperFiles(root: string): KeeperFiles {
  const directory = join(root, "run");
  return {
    directory,
    socket: join(directory, "log-keeper.sock"),
    lock: join(directory, "log-keeper.lock"),
    pid: join(directory, "log-keeper.pid"),
    complaints: join(directory, "log-keeper.log"),
    compileCache: join(directory, "compile-cache"),
  };
}

export interface SocketAddress extends Disposable {
  readonly path: string;
}

/** The kernel takes 107 bytes for the address of a unix socket; a longer path is spelled through its directory's descriptor. */
export function socketAddress({ directory, socket }: KeeperFiles): SocketAddress {
  if (Buffer.byteLength(socket) <= 107) return { path: socket, [Symbol.dispose]: () => undefined };
  const fd = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  const path = `/proc/self/fd/${fd}${socket.slice(directory.length)}`;
  return { path, [Symbol.dispose]: () => closeSync(fd) };
}
