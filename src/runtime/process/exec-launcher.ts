// A process in a container's PID namespace, until it becomes a program that a client asked for.

import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { identify } from "../../mounts/process-calls.ts";
import type { ExecInstructions, ExecReport } from "./exec-instructions.ts";
import { execLaunch, ProgramError } from "./exec-launch.ts";
import { reasonOf } from "./launch-error.ts";
import { instructionsFd } from "./launch-instructions.ts";

const launcher = identify("self");
// Would be done at the end of this program, which never comes.
flushCompileCache();

const instructions = readInstructions();
if (instructions && launcher) {
  // Closed by execve, and by nothing else but the end of this process.
  const report = openSync(instructions.report, constants.O_WRONLY);
  const say = (what: ExecReport): void => void writeSync(report, `${JSON.stringify(what)}\n`);
  try {
    execLaunch(instructions, () => say({ launcher }));
  } catch (err) {
    const exitCode = err instanceof ProgramError ? err.exitCode : undefined;
    say({ failure: reasonOf(err), exitCode });
    process.exitCode = 128;
  }
}

/** Undefined if the runtime went away before it had said what to start. */
function readInstructions(): ExecInstructions | undefined {
  const text = readFileSync(instructionsFd, "utf8");
  closeSync(instructionsFd);
  // Never in a message: it has the environment in it.
  return text.endsWith("}") ? (JSON.parse(text) as ExecInstructions) : undefined;
}
