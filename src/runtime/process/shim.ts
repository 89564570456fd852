// A small shell that outlives us: it waits for the container and writes its exit code down. The container's output goes to
// named pipes that the shim and the container hold open in both directions, so that nothing is lost, and nobody gets a
// SIGPIPE, while nobody reads.

import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from "node:fs";
import { Duplex } from "node:stream";
import { identify, isAlive, memoryFile, type ProcessIdentity } from "../../mounts/process-calls.ts";
import type { ContainerEnd } from "../runtime.ts";
import type { ContainerFiles } from "./container-files.ts";
import type { LaunchInstructions } from "./launch-instructions.ts";
import { launcherCommand, launcherEnv } from "./launcher-command.ts";

// unshare becomes the shell, whose first child is then process 1 of a new PID namespace; the shell can start no second one and need not: all
// else is built in. 5 and 6 are what launch-instructions.ts says. 4 stays open where readEnvironment looks for it, which it would not if the
// shell had to close it for the launcher. 7 is held by this shell alone. The exit code is one line, written at once: who finds no line end
// finds no exit code. It is written over a file that is there, so that a full disk does not lose it.
const script = `
exec 5<>stdout 6<>stderr 7<>alive
"$@" 7>&-
echo "$?" 1<>exit
`;

/**
 * A mount namespace for the launcher, before it has threads: one that it made itself would be for its first thread alone, and the program can come by
 * what the others see until they end with execve. What is mounted on the machine goes on to reach it.
 */
const withOwnMounts = ["unshare", "--mount", "--propagation", "unchanged", "--"];

/** In the shell: a file in memory with the container's environment, for programs that are started in it later. */
const environmentFd = 4;

export interface ShimOptions {
  readonly files: ContainerFiles;
  /** Where launchers keep their compiled code, for the next one. */
  readonly cacheDirectory: string;
  /** Shown in lists of processes. */
  readonly title: string;
  /** "NAME=value" */
  readonly env: readonly string[];
  /** In which the container is: a new one, that of this process, or the one that this path leads to. */
  readonly pidNamespace: "new" | "own" | { readonly path: string };
}

export interface Shim {
  readonly identity: ProcessIdentity;
  /** Lets the launcher begin. */
  send(instructions: LaunchInstructions): void;
  /** Settles when the launcher has a terminal to hand over, for a container that has one. */
  readonly terminalMade: Promise<void>;
  /** The terminal was taken. */
  goOn(): void;
  /** Lets it end, if it has not begun, or waits. */
  cancel(): void;
  /** Settles when the shim has ended, for us who started it. */
  readonly exited: Promise<void>;
}

/** Starts the shim, and with it the launcher, which waits for its instructions; without them it ends. */
export function startShim(options: ShimOptions): Shim {
  const { files, cacheDirectory, title, env, pidNamespace } = options;
  const errors = openSync(files.shimErrors, "a", 0o600);
  const environment = memoryFile("environment");
  try {
    writeSync(environment, env.join("\0"));
    const launcher = [...withOwnMounts, ...launcherCommand("launcher")];
    const shell = ["/bin/sh", "-c", script, title, ...launcher];
    const [program = "", ...args] = [...intoNamespace(pidNamespace), ...shell];
    const child = spawn(program, args, {
      cwd: files.directory,
      env: launcherEnv(cacheDirectory),
      detached: true,
      stdio: ["ignore", errors, errors, "pipe", environment],
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
    if (!(pipe instanceof Duplex)) {
      throw new Error("Cannot start the container's shim: it has no pipe");
    }
    pipe.on("error", () => undefined);
    const { promise: terminalMade, resolve: onTerminal } = Promise.withResolvers<void>();
    // The shell has the other end for as long as it lives; ours must not keep this process alive as long.
    const endWith = (text: string): void => void pipe.end(text, () => pipe.destroy());
    return {
      identity,
      exited,
      terminalMade,
      send(instructions) {
        const line = `${JSON.stringify(instructions)}\n`;
        if (instructions.hasTty) {
          pipe.once("data", () => onTerminal());
          pipe.write(line);
        } else {
          endWith(line);
        }
      },
      goOn: () => endWith("\n"),
      cancel: () => void pipe.destroy(),
    };
  } finally {
    closeSync(errors);
    closeSync(environment);
  }
}

function intoNamespace(namespace: ShimOptions["pidNamespace"]): readonly string[] {
  switch (namespace) {
    case "new":
      return ["unshare", "--pid", "--"];
    case "own":
      return [];
    default:
      return ["nsenter", "--no-fork", `--pid=${namespace.path}`, "--"];
  }
}

/** What the container was started with, whatever it has made of it since. Throws if the shim is gone. */
export function readEnvironment(shim: ProcessIdentity): readonly string[] {
  const text = readFileSync(`/proc/${shim.pid}/fd/${environmentFd}`, "utf8");
  // After it was read: the number is still that of the shim.
  if (!isAlive(shim)) {
    throw new Error("the container's shim is gone");
  }
  return text === "" ? [] : text.split("\0");
}

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
  return {
    ...{ finishedAtMs, exitCode, signal: isSignal ? exitCode - 128 : undefined, isUnknown },
    // What the shim cannot know.
    isOutOfMemory: false,
  };
}

/** Shells say "Killed" when a command died of a signal, and nothing when it ended with such a code by itself. */
function saysKilled(files: ContainerFiles): boolean {
  try {
    return statSync(files.shimErrors).size > 0;
  } catch {
    return false;
  }
}
