// The first process of a container, until it becomes the container's program. Started by the shim in new mount and PID
// namespaces; does everything by system calls, in this one thread, and leaves nothing of itself behind.

import { ftruncateSync, openSync, readSync, writeFileSync, writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { identify } from "../../mounts/process-calls.ts";
import { ContainerFiles } from "./container-files.ts";
import { clearFailure } from "./container-state.ts";
import { launch } from "./launch.ts";
import { LaunchError, reasonOf } from "./launch-error.ts";
import { instructionsFd, type LaunchInstructions } from "./launch-instructions.ts";

// The shim's directory: the container's.
const files = new ContainerFiles(process.cwd());
// Says so until it is not true any more: whatever kills this process, the program is not taken for started. Written over what is
// there, and never made shorter first: a full disk must not make it empty.
const failure = openSync(files.failure, "r+");
writeSync(failure, "the launcher ended before it started the program", 0);
writeFileSync(files.init, JSON.stringify(identify("self")));
// Closed by execve, and by nothing else but the end of this process. In both directions: it must not wait for a runtime that is gone.
openSync(files.starting, "r+");
// Would be done at the end of this program, which never comes.
flushCompileCache();

try {
  launch(readInstructions(), {
    mounted: (marks) => writeFileSync(files.mounts, JSON.stringify(marks)),
    aboutToStart: () => clearFailure(failure),
  });
} catch (err) {
  const length = writeSync(failure, reasonOf(err), 0);
  ftruncateSync(failure, length);
  process.exitCode = 128;
}

function readInstructions(): LaunchInstructions {
  // One line: the runtime may have more to say later.
  const block = Buffer.alloc(64 * 1024);
  const parts: Buffer[] = [];
  for (let length = 1; length > 0 && parts.at(-1)?.at(-1) !== 0x0a; ) {
    length = readSync(instructionsFd, block);
    parts.push(Buffer.from(block.subarray(0, length)));
  }
  const text = Buffer.concat(parts).toString();
  try {
    return JSON.parse(text) as LaunchInstructions;
  } catch {
    // Its message quotes the text, which has the environment in it.
    throw new LaunchError("the runtime went away before it had said what to start");
  }
}
