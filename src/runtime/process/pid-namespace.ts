// The PID namespace of a process that runs, held by a descriptor: it cannot come to be that of another one.

import { constants, openSync, readlinkSync } from "node:fs";
import { isAlive, type ProcessIdentity } from "../../mounts/process-calls.ts";
import { openFile, pathOf } from "../../mounts/system-calls.ts";
import { pathTo } from "./exec-streams.ts";

export interface PidNamespace extends Disposable {
  /** For programs that we start, as long as this is not disposed; undefined if it is our own. */
  readonly path: string | undefined;
}

/** Undefined if the process is gone. */
export function openPidNamespace(of: ProcessIdentity): PidNamespace | undefined {
  using files = new DisposableStack();
  try {
    const path = `/proc/${of.pid}/ns/pid`;
    const file = files.use(openFile(openSync(path, constants.O_RDONLY)));
    if (!isAlive(of)) {
      return undefined;
    }
    const isOurs = readlinkSync(pathOf(file)) === readlinkSync("/proc/self/ns/pid");
    const kept = files.move();
    return { path: isOurs ? undefined : pathTo(file.fd), [Symbol.dispose]: () => kept.dispose() };
  } catch (err) {
    if (isAlive(of)) {
      throw err;
    }
    return undefined;
  }
}
