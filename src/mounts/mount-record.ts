// What is mounted where a container sees a part of a volume, on disk, for whoever comes after us. It is written before a mount is
// put beneath another one, with both, and again when the upper one is gone: what was interrupted can be told from what others did.

import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { isErrno } from "../base/errors.ts";
import type { MountMark } from "./mount-mark.ts";

export interface MountNote {
  readonly shown: MountMark;
  /** Of the volume, when it was mounted. */
  readonly version: string | undefined;
  /** Is being put beneath it. */
  readonly next?: { readonly mark: MountMark; readonly version: string | undefined };
}

/** By the path that the container's maker gave. */
export type MountRecord = Map<string, MountNote>;

/** A longer file is written anew. */
const MAX_BYTES = 256 * 1024;

/** Empty if there is none: then all is as it was at the container's start. */
export function readRecord(path: string): MountRecord {
  const record: MountRecord = new Map();
  for (const line of linesOf(path)) {
    for (const [name, note] of Object.entries(parsed(line))) record.set(name, note);
  }
  return record;
}

/**
 * Adds what is new, a line at a time: a file that is replaced by rename is written to the disk at once, which takes longer than
 * everything else together. Its directory must be there: it goes with the pod. Not synced: containers do not outlive the machine.
 */
export function writeRecord(path: string, record: MountRecord, names: Iterable<string>): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_BYTES) {
    writeFileSync(`${path}.tmp`, lineOf(record, record.keys()), { mode: 0o600 });
    renameSync(`${path}.tmp`, path);
  } else {
    appendFileSync(path, lineOf(record, names), { mode: 0o600 });
  }
}

/** It begins a line of its own, also after one whose writer was killed. */
function lineOf(record: MountRecord, names: Iterable<string>): string {
  const notes = [...names].map((name) => [name, record.get(name)] as const);
  return `\n${JSON.stringify(Object.fromEntries(notes))}\n`;
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch (err) {
    if (isErrno(err, "ENOENT")) return [];
    throw err;
  }
}

/** Nothing was done after a line that is not whole. */
function parsed(line: string): Readonly<Record<string, MountNote>> {
  try {
    return line === "" ? {} : (JSON.parse(line) as Readonly<Record<string, MountNote>>);
  } catch {
    return {};
  }
}
