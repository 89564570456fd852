// A small shell that outlives us: it waits for the container and writes its exit code down. The container's output goes to
// named pipes that the shim and the container hold open in both directions, so that nothing is lost, and nobody gets a
// SIGPIPE, while nobody reads.

import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { execPath } from "node:process";
import { identify, type ProcessIdentity } from "../../mounts/process-calls.ts";
import type { ContainerEnd } from "../runtime.ts";
import type { ContainerFiles } from "./container-files.ts";
import type { LaunchInstructions } from "./launch-instructions.ts";

// The sources run as they are, and compiled.
const launcher = join(import.meta.dirname, `launcher${extname(import.meta.filename)}`);

// unshare becomes the shell, whose first child is then process 1 of a new PID namespace; the shell can start no second one and need not: all
// else is built in. 5 and 6 are what launch-instructions.ts says. 7 is held by this shell alone. The exit code is one line, written at
// once: who finds no line end finds no exit code. It is written over a file that is there, so that a full disk does not lose it.
const script = `
exec 5<>stdout 6<>stderr 7<>alive
"$@" 7>&-
echo "$?" 1<>exit
`;

const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export interface ShimOptions {
  readonly files: ContainerFiles;
  /** Where launchers keep their compiled code, for the next one. */
  readonly cacheDirectory: string;
  /** Shown in lists of processes. */
  readonly title: string;
}

export interface Shim {
  readonly identity: ProcessIdentity;
  /** Lets the launcher begin. */
  send(instructions: LaunchInstructions): void;
  /** Lets it end, if it has not begun. */
  cancel(): void;
  /** Settles when the shim has ended, for us who started it. */
  readonly exited: Promise<void>;
}

/** Starts the shim, and with it the launcher, which waits for its instructions; without them it ends. */
export function startShim({ files, cacheDirectory, title }: ShimOptions): Shim {
  const errors = openSync(files.shimErrors, "a", 0o600);
  try {
    const command = ["/bin/sh", "-c", script, title, execPath, ...nodeOptions, launcher];
    const child = spawn("unshare", ["--pid", "--", ...command], {
      cwd: files.directory,
      // Nothing of ours: the environment of the agent is not for containers. Compiled code costs a third of the time.
      env: { PATH: searchPath, NODE_COMPILE_CACHE: cacheDirectory },
      detached: true,
      stdio: ["ignore", errors, errors, "pipe"],
    });
    // An error after the start is about a pipe that the launcher has closed: its failure says why.
    child.on("error", () => undefined);
    child.unref();
    const { promise: exited, resolve } = Promise.withResolvers<void>();
    child.on("exit", () => resolve());
    const identity = child.pid === undefined ? undefined : identify(child.pid);
    if (!identity) {
      const said = readFileSync(files.shimErrors, "utf8").trim();
      throw new Error(
        `Cannot start the container's shim: ${said || "is unshare of util-linux installed?"}`,
      );
    }
    const pipe = child.stdio[3];
    pipe?.on("error", () => undefined);
    return {
      identity,
      exited,
      send(instructions) {
        if (pipe && "end" in pipe) {
          // The shell has the other end for as long as it lives; ours must not keep this process alive as long.
          pipe.end(JSON.stringify(instructions), () => pipe.destroy());
        }
      },
      cancel: () => void pipe?.destroy(),
    };
  } finally {
    closeSync(errors);
  }
}

// Small: it does little, once. No warnings: they would be in the way of what the shell says.
const nodeOptions: readonly string[] = [
  "--no-warnings",
  "--v8-pool-size=0",
  "--max-semi-space-size=1",
];

/** Takes the room on the disk that the exit code will need. */
export function reserveExit(files: ContainerFiles): void {
  writeFileSync(files.exit, " ".repeat(unknownExit.length), { mode: 0o600 });
}

const unknownExit = "137 unknown\n";

export function writeUnknownExit(files: ContainerFiles): void {
  writeFileSync(files.exit, unknownExit, { flag: "r+" });
}

/** What the shim has written; undefined if it has not, or not to the end. */
export function readExit(files: ContainerFiles): ContainerEnd | undefined {
  let text: string;
  let finishedAtMs: number;
  try {
    text = readFileSync(files.exit, "utf8");
    finishedAtMs = Math.floor(statSync(files.exit).mtimeMs);
  } catch {
    // Not there yet.
    return undefined;
  }
  const match = /^(\d{1,3})( unknown)?\n/.exec(text);
  if (!match) {
    return undefined;
  }
  const exitCode = Number(match[1]);
  const isUnknown = match[2] !== undefined;
  const isSignal = exitCode > 128 && !isUnknown && saysKilled(files);
  return { finishedAtMs, exitCode, signal: isSignal ? exitCode - 128 : undefined, isUnknown };
}

/** Shells say "Killed" when a command died of a signal, and nothing when it ended with such a code by itself. */
function saysKilled(files: ContainerFiles): boolean {
  try {
    return statSync(files.shimErrors).size > 0;
  } catch {
    return false;
  }
}
