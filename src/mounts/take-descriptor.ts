// A descriptor of another process, as one of ours: the same open file, which then outlives that process. Terminals can be passed on in no
// other way without a helper in C: their own name leads to a new one.

import { isAlive, type ProcessIdentity } from "./process-calls.ts";
import { type OpenFile, openFile, raw } from "./system-calls.ts";

export interface ForeignDescriptor {
  readonly process: ProcessIdentity;
  readonly fd: number;
}

/** Needs the right to trace the process, which root of its user namespace has. It is closed by execve. Throws if the process is gone. */
export function takeDescriptor({ process, fd }: ForeignDescriptor): OpenFile {
  using pidfd = openFile(
    raw("pidfd_open", "long syscall(long number, int pid, unsigned int flags)", [process.pid, 0]),
  );
  // After the open: the descriptor cannot come to mean another process any more.
  if (!isAlive(process))
    throw new Error(`Cannot take a descriptor of process ${process.pid}: it is gone`);
  return openFile(
    raw("pidfd_getfd", "long syscall(long number, int pidfd, int fd, unsigned int flags)", [
      pidfd.fd,
      fd,
      0,
    ]),
  );
}
