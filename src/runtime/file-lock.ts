// A lock between processes that the kernel takes back when its holder dies, however it dies.

import { closeSync, constants, openSync } from "node:fs";
import { isErrno } from "../base/errors.ts";
import { call } from "../mounts/libc.ts";

const LOCK_EX = 2;
const LOCK_NB = 4;

/** The lock, or nothing when somebody has it, be it this process. The file stays when it is let go: removing it would make two locks. */
export function lockFile(path: string): Disposable | undefined {
  const fd = openForLock(path);
  try {
    call("int flock(int fd, int operation)", [fd, LOCK_EX | LOCK_NB], { syscall: "flock", path });
    return { [Symbol.dispose]: () => closeSync(fd) };
  } catch (err) {
    closeSync(fd);
    if (isErrno(err, "EAGAIN", "EWOULDBLOCK")) return undefined;
    throw err;
  }
}

function openForLock(path: string): number {
  try {
    return openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  } catch (err) {
    if (!isErrno(err, "EROFS")) throw err;
    // On a disk that became read-only, the file of a former life can be locked all the same.
    return openSync(path, constants.O_RDONLY);
  }
}
