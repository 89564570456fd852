// A leader that lost its lease and could not end its work in time ends with its process.

import { PartError } from "../base/run-group.ts";
import { OverdueError } from "../controller/leader-election.ts";

/** Somebody else may lead, and we still do work: nothing may be waited for. */
export function endIfOverdue(err: unknown): void {
  const cause = err instanceof PartError ? err.cause : err;
  if (!(cause instanceof OverdueError)) return;
  process.stderr.write(`driftless: ${cause.message}\n`);
  process.exit(1);
}
