// One `driftless up` per data directory, whatever its store: it needs no election among controllers because of that.

import { join } from "node:path";
import { LockedError } from "../agent/agent-lock.ts";
import { type StartFlags, startProblem } from "./start-problem.ts";
import { takeLock } from "./take-lock.ts";

/** For the one before to be gone. */
const PATIENCE_MS = 3000;

export async function lockUp(flags: StartFlags): Promise<Disposable> {
  const file = join(flags.dataDir, "run", "up.lock");
  try {
    return await takeLock(file, { patienceMs: PATIENCE_MS });
  } catch (err) {
    if (err instanceof LockedError) throw new LockedError(file, err.pid, '"driftless up"');
    throw startProblem(err, flags);
  }
}
