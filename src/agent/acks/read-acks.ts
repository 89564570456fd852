// Reads what the programs of a container say. The directory is the container's: whatever is in it may be a trap. Nothing is followed, nothing
// is waited for, little is read, and what does not look like the library's is not there.

import { closeSync, constants, fstatSync, opendirSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { isErrno } from "../../base/errors.ts";

/** What one file says; `version`s are 64 hex digits, and of what the process reads at `path`. */
export interface AckContent {
  readonly path: string;
  /** As the container numbers it. */
  readonly pid: number;
  readonly noticed: AckMark | undefined;
  readonly applied: AckMark | undefined;
  readonly rejected:
    | {
        readonly version: string | undefined;
        readonly stage: string;
        readonly reason: string;
        readonly atMs: number;
      }
    | undefined;
}

interface AckMark {
  readonly version: string;
  readonly atMs: number;
}

/** A file, by its name. */
export interface AckFile {
  /** Differs as soon as the file is another one. */
  readonly stamp: string;
  /** Undefined: nothing that makes sense. */
  readonly content: AckContent | undefined;
}

/** The library's longest: a path of 4 KiB and a reason of 1 KiB, every character of them escaped. */
const MAX_BYTES = 32_768;
const MAX_PATH_LENGTH = 4096;
const MAX_REASON_LENGTH = 1024;
/** The kernel's. */
const MAX_PID = 4_194_304;
const PLAIN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** At most `maxFiles`, of any sort. What has not changed since `before` is taken from there. Empty if there is no such directory. */
export function readAcks(
  directory: string,
  before: ReadonlyMap<string, AckFile>,
  maxFiles: number,
): ReadonlyMap<string, AckFile> {
  const found = new Map<string, AckFile>();
  for (const name of namesIn(directory, maxFiles)) {
    const file = readAck(join(directory, name), before.get(name));
    if (file !== undefined) found.set(name, file);
  }
  return found;
}

/** Names that begin with a dot are files in the making. */
export function isAckName(name: string): boolean {
  return name.endsWith(".json") && !name.startsWith(".");
}

function namesIn(directory: string, maxFiles: number): readonly string[] {
  try {
    using entries = opendirSync(directory);
    const names: string[] = [];
    for (let read = 0; read < maxFiles; read++) {
      const entry = entries.readSync();
      if (entry === null) break;
      if (entry.isFile() && isAckName(entry.name)) names.push(entry.name);
    }
    return names;
  } catch (err) {
    if (isErrno(err, "ENOENT", "ENOTDIR")) return [];
    throw err;
  }
}

/** Undefined: there is no plain file. */
function readAck(path: string, before: AckFile | undefined): AckFile | undefined {
  let fd: number;
  try {
    fd = openSync(path, PLAIN_FILE);
  } catch {
    return undefined; // It went, or is a link, or nothing that can be opened.
  }
  try {
    const stats = fstatSync(fd, { bigint: true });
    if (!stats.isFile()) return undefined;
    const stamp = `${stats.ino} ${stats.size} ${stats.ctimeNs}`;
    if (before?.stamp === stamp) return before;
    const bytes = Buffer.alloc(MAX_BYTES + 1);
    const length = readSync(fd, bytes, 0, bytes.length, 0);
    return { stamp, content: length > MAX_BYTES ? undefined : parseAck(bytes.subarray(0, length)) };
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}

/** Undefined if it is not what the library writes. */
export function parseAck(bytes: Buffer): AckContent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
  const { path, pid, noticed, applied, rejected } = fieldsOf(value);
  const isPath = typeof path === "string" && path.startsWith("/") && path.length <= MAX_PATH_LENGTH;
  if (!isPath || !isPid(pid)) return undefined;
  return {
    ...{ path, pid },
    noticed: markOf(noticed),
    applied: markOf(applied),
    rejected: rejectionOf(rejected),
  };
}

function isPid(pid: unknown): pid is number {
  return typeof pid === "number" && Number.isInteger(pid) && pid > 0 && pid <= MAX_PID;
}

function markOf(value: unknown): AckMark | undefined {
  const { version, at } = fieldsOf(value);
  const atMs = timeOf(at);
  return isVersion(version) && atMs !== undefined ? { version, atMs } : undefined;
}

function rejectionOf(value: unknown): AckContent["rejected"] {
  const { version, stage, reason, at } = fieldsOf(value);
  const atMs = timeOf(at);
  if (atMs === undefined || typeof reason !== "string") return undefined;
  return {
    version: isVersion(version) ? version : undefined,
    stage: typeof stage === "string" && /^[a-z]{1,16}$/.test(stage) ? stage : "unknown",
    reason: printable(reason),
    atMs,
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function isVersion(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

function timeOf(value: unknown): number | undefined {
  const isTime =
    typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
  const ms = isTime ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) ? ms : undefined;
}

/** It ends up on terminals. */
function printable(text: string): string {
  return text.slice(0, MAX_REASON_LENGTH).replace(/\p{Cc}+/gu, " ");
}
