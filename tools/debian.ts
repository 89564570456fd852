// Gets the system programs that some tests need (strace, gcc, …) from Debian, so that a test run on a
// fresh machine tests everything. Where that cannot work it says why, as the reason to skip a test.

import { execFile } from "node:child_process";
import { mkdirSync, rmdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface DebianPackage {
  /** The program that has to be on the path. */
  readonly command: string;
  /** The package that brings it. */
  readonly package: string;
}

export type Ensured = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export interface DebianSystem {
  hasCommand(command: string): boolean;
  readonly isRoot: boolean;
  /** Runs a program; rejects with what it printed when it fails. */
  run(program: string, args: readonly string[]): Promise<void>;
  /** A directory that whoever installs makes, and removes afterwards. */
  readonly lockPath: string;
}

// An installation takes seconds; a lock of this age belongs to somebody who was killed.
const staleLockMs = 600_000;
const lockPollMs = 250;

/** Installs what is missing. Costs next to nothing when nothing is. Safe to call from several processes. */
export async function ensureDebianPackages(
  packages: readonly DebianPackage[],
  system: DebianSystem = thisSystem,
): Promise<Ensured> {
  const isMissing = ({ command }: DebianPackage): boolean => !system.hasCommand(command);
  if (!packages.some(isMissing)) {
    return { ok: true };
  }
  const absent = listed(packages.filter(isMissing));
  if (!system.isRoot) {
    return { ok: false, reason: `${absent} not installed, and only root could install it` };
  }
  if (!system.hasCommand("apt-get")) {
    return { ok: false, reason: `${absent} not installed, and there is no apt-get to get it with` };
  }
  await using _lock = await takeLock(system.lockPath);
  // Somebody else may have installed it while we waited.
  const wanted = packages.filter(isMissing);
  try {
    if (wanted.length > 0) {
      await install(system, [...new Set(wanted.map((one) => one.package))]);
    }
  } catch (err) {
    const lastLine = (err as Error).message.trim().split("\n").at(-1);
    return { ok: false, reason: `${absent} not installed, and apt-get failed: ${lastLine}` };
  }
  const still = packages.filter(isMissing);
  return still.length === 0
    ? { ok: true }
    : { ok: false, reason: `${listed(still)} not there even after installing the package` };
}

/** A fresh image has no package lists, and old ones name files that are gone: then update and retry. */
async function install(system: DebianSystem, names: readonly string[]): Promise<void> {
  const quiet = ["-qq", "-o", "DPkg::Lock::Timeout=300"];
  const add = [...quiet, "install", "-y", "--no-install-recommends", ...names];
  try {
    await system.run("apt-get", add);
  } catch {
    // Not the last word: the second try reports.
    await system.run("apt-get", [...quiet, "update"]);
    await system.run("apt-get", add);
  }
}

function listed(packages: readonly DebianPackage[]): string {
  const names = packages.map(({ command }) => command).join(", ");
  return packages.length === 1 ? `${names} is` : `${names} are`;
}

async function takeLock(path: string): Promise<AsyncDisposable> {
  for (;;) {
    try {
      mkdirSync(path);
      return { [Symbol.asyncDispose]: async () => rmdirSync(path) };
    } catch (err) {
      if ((err as NodeJS.ErrnoException).code !== "EEXIST") {
        throw err;
      }
      breakStaleLock(path);
    }
    await sleep(lockPollMs);
  }
}

function breakStaleLock(path: string): void {
  try {
    if (Date.now() - statSync(path).mtimeMs > staleLockMs) {
      rmdirSync(path);
    }
  } catch {
    // Its owner was faster: the next try to take it will tell.
  }
}

const thisSystem: DebianSystem = {
  hasCommand: (command) =>
    (process.env["PATH"] ?? "")
      .split(delimiter)
      .some((folder) => statSync(join(folder, command), { throwIfNoEntry: false })?.isFile()),
  isRoot: process.getuid?.() === 0,
  run(program, args) {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    return new Promise((resolve, reject) => {
      execFile(program, args, { env }, (err, stdout, stderr) => {
        if (err) {
          reject(new Error(`${stdout}${stderr}` || err.message, { cause: err }));
        } else {
          resolve();
        }
      });
    });
  },
  lockPath: join(tmpdir(), "driftless-apt.lock"),
};
