// Old logs beside the one that is written: `0.log.20261116-055856`, as the kubelet names them. The newest stays as it is for who
// still reads it; older ones are compressed, and the oldest go.

import { createReadStream, createWriteStream, existsSync, readdirSync, rmSync } from "node:fs";
import { rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { nextFileStamp, type WallTime } from "./wall-time.ts";

const STAMP = /^\d{8}-\d{6}(?<suffix>\.gz|\.tmp)?$/;

/** A name for what is at `logPath` now, newer than those of all others. One that is taken is never given. */
export function rotatedName(logPath: string, time: WallTime): string {
  const newest = rotatedLogs(logPath).at(-1)?.slice(`${logPath}.`.length).replace(/\.gz$/, "");
  const now = time.fileStamp();
  // A log that fills up twice in a second, or after the clock was set back, borrows the next one: names stay in order and keep their form.
  const stamp = newest === undefined || now > newest ? now : nextFileStamp(newest);
  return `${logPath}.${stamp}`;
}

/** Oldest first, as paths. */
function rotatedLogs(logPath: string): readonly string[] {
  const directory = dirname(logPath);
  return stampsOf(logPath)
    .filter((stamp) => !stamp.endsWith(".tmp"))
    .sort()
    .map((stamp) => join(directory, `${basename(logPath)}.${stamp}`));
}

/** Oldest first, each once, whether it is compressed or not. */
export function rotationStamps(logPath: string): readonly string[] {
  const stamps = stampsOf(logPath)
    .filter((stamp) => !stamp.endsWith(".tmp"))
    .map((stamp) => stamp.replace(/\.gz$/, ""));
  return [...new Set(stamps)].sort();
}

/** Of a rotated log, by its file's name; undefined for any other file. */
export function rotationStampOf(logPath: string, name: string): string | undefined {
  const prefix = `${basename(logPath)}.`;
  const stamp = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return STAMP.test(stamp) ? stamp.replace(/\.gz$/, "") : undefined;
}

/** Removes all but the newest `count`, and what a compression left that was cut off. */
export function removeOldLogs(logPath: string, count: number): void {
  const excess = rotatedLogs(logPath).toReversed().slice(count);
  for (const path of excess) rmSync(path, { force: true });
}

/** Compresses all but the newest. Does nothing about those that go meanwhile. */
export async function compressOldLogs(logPath: string): Promise<void> {
  for (const stamp of stampsOf(logPath)) {
    if (stamp.endsWith(".tmp")) rmSync(`${logPath}.${stamp}`, { force: true });
  }
  for (const path of rotatedLogs(logPath).slice(0, -1)) {
    if (!path.endsWith(".gz") && existsSync(path)) await compress(path);
  }
}

async function compress(path: string): Promise<void> {
  // Loaded when it is needed: most logs never grow that long, and the keeper is to stay small.
  const { createGzip } = await import("node:zlib");
  const half = `${path}.tmp`;
  try {
    await pipeline(createReadStream(path), createGzip(), createWriteStream(half, { mode: 0o640 }));
    if (existsSync(path)) await rename(half, `${path}.gz`);
    rmSync(path, { force: true });
    rmSync(half, { force: true });
  } catch (err) {
    rmSync(half, { force: true });
    // A container that floods its log is faster: it was removed, and that is all that there is to say.
    if (existsSync(path)) throw err;
  }
}

function stampsOf(logPath: string): string[] {
  const prefix = `${basename(logPath)}.`;
  return readdirSync(dirname(logPath))
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .filter((stamp) => STAMP.test(stamp));
}
