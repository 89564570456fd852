// The first process of a pod whose containers see each other's processes: it keeps their PID namespace, and takes in those whose parents
// are gone. It is sleep(1) with SIGCHLD ignored, so that the kernel itself buries the dead; without rights, and in an empty root, because
// the pod's containers may find a way to look at it.
//
//   nothing ──► a launcher in new namespaces, written down ──execve──► sleep ──its root taken away──► written down as ready

import { spawn } from "node:child_process";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { isAlive, type ProcessIdentity } from "../../mounts/process-calls.ts";
import { bootId } from "./container-state.ts";
import { launcherCommand, launcherEnv } from "./launcher-command.ts";
import { killAll } from "./marked-processes.ts";

interface KeeperRecord {
  readonly bootId: string;
  readonly keeper: ProcessIdentity;
  readonly isReady: boolean;
}

export interface KeeperOptions {
  /** Of the sandbox, with its /dev/shm in it. */
  readonly directory: string;
  /** Where launchers keep their compiled code. */
  readonly cacheDirectory: string;
  readonly clock: Clock;
}

/** Settles when there is one that is ready. Throws, and then there is none. */
export async function startKeeper({
  directory,
  cacheDirectory,
  clock,
}: KeeperOptions): Promise<void> {
  // One that somebody was about to make.
  await endKeeper(directory, clock);
  try {
    const namespaces = ["--pid", "--mount", "--propagation", "private", "--"];
    const launcher = [...launcherCommand("keeper-launcher"), keeperFile(directory)];
    // The shell leaves it alone at once: it is there as long as the pod is, with or without us.
    const command = [...namespaces, "/bin/sh", "-c", '"$@" &', "driftless", ...launcher];
    await run(["unshare", ...command], cacheDirectory);
    const record = readRecord(directory);
    if (!record || !isAlive(record.keeper)) {
      throw new Error("its first process has ended");
    }
    const enter = ["nsenter", `--mount=/proc/${record.keeper.pid}/ns/mnt`, "--"];
    const root = [...launcherCommand("keeper-root"), join(directory, "shm")];
    await run([...enter, ...root], cacheDirectory);
    writeRecord(directory, { ...record, isReady: true });
  } catch (err) {
    await endKeeper(directory, clock);
    const why = err instanceof Error ? err.message : String(err);
    throw new Error(`Cannot make a PID namespace for the pod: ${why}`, { cause: err });
  }
}

/** Settles when nobody holds its output any more; throws if it has failed. */
async function run(command: readonly string[], cacheDirectory: string): Promise<void> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    cwd: "/",
    env: launcherEnv(cacheDirectory),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stdout.resume();
  child.stderr.on("data", (data: Buffer) => {
    said += data.toString();
  });
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.on("error", () => resolve(null));
  child.on("close", resolve);
  if ((await promise) !== 0 || said !== "") {
    throw new Error(said.trim() || `${program} failed`);
  }
}

/** Undefined if there is none that lives. */
export function findKeeper(directory: string): ProcessIdentity | undefined {
  const record = readRecord(directory);
  return record?.isReady && isAlive(record.keeper) ? record.keeper : undefined;
}

/** Settles when it is gone, and with it all in its namespace. Does nothing if there is none. */
export async function endKeeper(directory: string, clock: Clock): Promise<void> {
  const record = readRecord(directory);
  if (record) {
    await killAll(() => (isAlive(record.keeper) ? [record.keeper] : []), clock);
  }
}

/** Undefined if there is none since the machine's start. */
function readRecord(directory: string): KeeperRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(keeperFile(directory), "utf8")) as KeeperRecord;
    return record.bootId === bootId() ? record : undefined;
  } catch {
    // Missing or cut short: there is none.
    return undefined;
  }
}

function writeRecord(directory: string, record: KeeperRecord): void {
  const temporary = `${keeperFile(directory)}.tmp`;
  writeFileSync(temporary, JSON.stringify(record), { mode: 0o600 });
  renameSync(temporary, keeperFile(directory));
}

function keeperFile(directory: string): string {
  return join(directory, "process-keeper.json");
}
