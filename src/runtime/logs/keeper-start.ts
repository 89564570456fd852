// Finds the log keeper of a data directory, or starts it: detached, with nothing of the agent's but what it needs.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { isErrno } from "../../base/errors.ts";
import { lockFile } from "../file-lock.ts";
import { KeeperConnection } from "./keeper-connection.ts";
import { type KeeperFiles, keeperFiles } from "./keeper-files.ts";
import { PROTOCOL_VERSION } from "./keeper-protocol.ts";

export interface ConnectKeeperOptions {
  readonly files: KeeperFiles;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The extension of this file is that of its neighbour: .ts as it is, .js when built. */
const entry = join(
  import.meta.dirname,
  import.meta.filename.endsWith(".ts") ? "keeper-main.ts" : "keeper-main.js",
);
/** It allocates next to nothing: a small young generation, and no threads to collect garbage, cost nothing and save megabytes. */
const NODE_FLAGS = ["--max-semi-space-size=1", "--max-old-space-size=256", "--v8-pool-size=0"];
/** One that was started an instant ago by another agent may not listen yet. */
const TRIES = 50;
const TRY_MS = 20;

/** A connection to a keeper of this version. One of another version is asked to go first. */
export async function connectKeeper(options: ConnectKeeperOptions): Promise<KeeperConnection> {
  const { files } = options;
  mkdirSync(files.directory, { recursive: true, mode: 0o700 });
  for (let attempt = 1; ; attempt++) {
    const connection = (await connectionTo(options)) ?? (await startedKeeper(options));
    const version = await versionOf(connection);
    if (version === PROTOCOL_VERSION) return connection;
    if (version !== undefined) {
      await connection.ask({ op: "retire" });
      await connection.closed;
    }
    if (attempt === 3) {
      throw new Error(
        version === undefined
          ? "Cannot reach the log keeper: it goes away as soon as it is asked something"
          : `Cannot replace a log keeper of version ${version}`,
      );
    }
  }
}

/** Undefined if it went away meanwhile: one that is dying can be connected to for an instant. */
async function versionOf(connection: KeeperConnection): Promise<number | undefined> {
  try {
    return (await connection.ask({ op: "hello", version: PROTOCOL_VERSION })).version ?? 0;
  } catch (err) {
    if (connection.isClosed) return undefined;
    connection.close();
    throw err;
  }
}

/** Ends the keeper, if there is one, and settles when its process is gone. What it follows is followed no more. */
export async function retireKeeper(root: string, clock: Clock): Promise<void> {
  const files = keeperFiles(root);
  const connection = await connectionTo({ files, clock });
  if (connection === undefined) return;
  await connection.ask({ op: "retire" });
  await connection.closed;
  for (;;) {
    // The kernel takes the lock from it when it is no more.
    using lock = lockFile(files.lock);
    if (lock !== undefined) return;
    await clock.sleep(TRY_MS);
  }
}

async function connectionTo({
  files,
  clock,
}: Pick<ConnectKeeperOptions, "files" | "clock">): Promise<KeeperConnection | undefined> {
  try {
    return await KeeperConnection.open(files, clock);
  } catch (err) {
    if (isErrno(err, "ENOENT", "ECONNREFUSED")) return undefined;
    throw err;
  }
}

async function startedKeeper(options: ConnectKeeperOptions): Promise<KeeperConnection> {
  const { files, clock, signal } = options;
  // Loads the sources once and keeps their compiled form: the one that stays does not carry a compiler along (17 MiB).
  if (entry.endsWith(".ts") && !existsSync(files.compileCache)) await runKeeper(files, []);
  await runKeeper(files, [join(files.directory, "..")]);
  for (let attempt = 1; ; attempt++) {
    const connection = await connectionTo({ files, clock });
    if (connection !== undefined) return connection;
    if (attempt === TRIES) {
      throw new Error(
        `Cannot reach the log keeper: there is one, but it does not listen on "${files.socket}"`,
      );
    }
    await clock.sleep(TRY_MS, signal);
  }
}

/** Settles when it says something, or has ended well. */
async function runKeeper(files: KeeperFiles, args: readonly string[]): Promise<void> {
  const complaints = openSync(files.complaints, "w", 0o640);
  try {
    const child = spawn(process.execPath, [...NODE_FLAGS, entry, ...args], {
      detached: true,
      cwd: "/",
      env: { NODE_COMPILE_CACHE: files.compileCache },
      stdio: ["ignore", "pipe", complaints],
    });
    const { stdout } = child;
    if (stdout === null) throw new Error("Cannot start the log keeper: it has no output");
    const first = Promise.race([once(stdout, "data"), once(child, "exit")]);
    const [what] = (await first) as [Buffer | number | null];
    stdout.destroy();
    child.unref();
    if (!Buffer.isBuffer(what) && what !== 0) {
      throw new Error(
        `Cannot start the log keeper: it ended with ${what ?? "a signal"}: ${lastWords(files)}`,
      );
    }
  } finally {
    closeSync(complaints);
  }
}

function lastWords({ complaints }: KeeperFiles): string {
  return readFileSync(complaints, "utf8").trim().slice(-1000);
}
