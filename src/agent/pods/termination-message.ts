// What a container says of its own end: in a file of its own that is mounted into it, or else in the last lines of its log. Both are
// written by the container, so both are read as what they may be: huge, binary, or not files any more. Never more than the end of
// them is read, and nothing is followed or waited for.

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { Pod } from "../../api/types.ts";
import { isErrno } from "../../base/errors.ts";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import { allContainers } from "../all-containers.ts";
import { notes } from "./pod-containers.ts";

const MAX_FILE_BYTES = 4096;
const MAX_LOG_BYTES = 2048;
const MAX_LOG_LINES = 80;
/** Of all containers of a pod, so that its status stays small. */
const MAX_POD_BYTES = 12 * 1024;
/** 80 lines of usual length with their stamps; of longer ones there are fewer, and 2 KiB of text all the same. */
const LOG_TAIL_BYTES = 64 * 1024;

const FALLBACK = "FallbackToLogsOnError";

/** Of one that has ended. Does not throw: what cannot be read is told in the message. */
export function terminationMessage({ annotations, end, logPath }: ContainerStatus): string {
  const startError = annotations[notes.startError];
  if (startError !== undefined) return startError;
  const path = annotations[notes.terminationFile] ?? "";
  const usesLog = annotations[notes.terminationPolicy] === FALLBACK && end?.exitCode !== 0;
  try {
    const said = path === "" ? undefined : tailOf(path, MAX_FILE_BYTES);
    if (said !== undefined && (said.length > 0 || !usesLog)) return said.toString();
  } catch (err) {
    return `Error on reading termination log ${path}: ${wordsOf(err)}`;
  }
  return usesLog ? lastLines(logPath) : "";
}

/** How much of its message each container of the pod gets into the status. */
export function messageBytes(pod: Pod): number {
  return Math.floor(MAX_POD_BYTES / Math.max(1, allContainers(pod).length));
}

/** Not in the middle of a character. */
export function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--;
  return bytes.toString("utf8", 0, end);
}

function lastLines(logPath: string): string {
  try {
    const log = tailOf(logPath, LOG_TAIL_BYTES)?.toString("latin1") ?? "";
    const lines = log.split("\n").flatMap(contentOf).slice(-MAX_LOG_LINES);
    return Buffer.from(lines.join(""), "latin1").subarray(-MAX_LOG_BYTES).toString();
  } catch (err) {
    return `Error on reading termination message from logs: ${wordsOf(err)}`;
  }
}

/** The first line of a log's end may be cut: then it is none. */
const LOG_LINE = /^\d{4}-\S+ (?:stdout|stderr) ([FP])\S* (.*)$/s;

/** A part of a line has no end. */
function contentOf(line: string): readonly string[] {
  const [, tag, text = ""] = LOG_LINE.exec(line) ?? [];
  if (tag === undefined) return [];
  return [tag === "P" ? text : `${text}\n`];
}

/** Undefined: there is no such file. */
function tailOf(path: string, maxBytes: number): Buffer | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let fd: number;
  try {
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (err) {
    if (isErrno(err, "ENOENT")) return undefined;
    throw err;
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new Error("it is not a regular file");
    const bytes = Buffer.alloc(Math.min(maxBytes, stats.size));
    const read = readSync(fd, bytes, 0, bytes.length, Math.max(0, stats.size - bytes.length));
    return bytes.subarray(0, read);
  } finally {
    closeSync(fd);
  }
}

/** Only the kind of trouble: the file is the container's. */
function wordsOf(err: unknown): string {
  return err instanceof Error ? err.message : "unknown error";
}
