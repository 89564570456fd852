// What a volume must look like, checked from outside the writer and with none of its code: by
// listing, lstat and readlink. Tests of every kind (scripts, crashes, full disks) end here.

import assert from "node:assert/strict";
import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import type { Payload, PayloadFile } from "../payload.ts";

export interface SeenFile {
  readonly path: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly data: Buffer;
}

const VERSION_NAME = /^\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\.\d{1,10}$/;

/** Everything that a reader finds through `..data`, without the version record. */
export function readThroughData(directory: string): SeenFile[] {
  return readTree(`${directory}/${readlinkSync(`${directory}/..data`)}`, "").filter(
    (file) => file.path !== "..version",
  );
}

/** Everything that a reader finds through the names in the root, hidden ones left out. */
export function readThroughLinks(directory: string): SeenFile[] {
  return readdirSync(directory)
    .filter((name) => !name.startsWith(".."))
    .sort(compareBytes)
    .flatMap((name) =>
      statSync(`${directory}/${name}`).isDirectory()
        ? readTree(`${directory}/${name}`, name)
        : [readSeen(`${directory}/${name}`, name)],
    );
}

/**
 * The volume shows this payload, whole, and there is nothing else in it: one version directory, the
 * links of the keys, no leftovers. `foreign` are names that others put there and that stay.
 */
export function assertExactly(
  directory: string,
  payload: Payload,
  options: { foreign?: readonly string[]; fsGroup?: number; versions?: number } = {},
): void {
  const root = readdirSync(directory).sort(compareBytes);
  const versions = root.filter((name) => VERSION_NAME.test(name));
  const foreign = options.foreign ?? [];
  assert.deepEqual(
    root.filter((name) => !versions.includes(name) && !foreign.includes(name)),
    ["..data", ...payload.names].sort(compareBytes),
    "the root has the links of the keys, ..data and nothing else",
  );
  assert.equal(versions.length, options.versions ?? 1, "no version is left over");
  assert.ok(versions.includes(readlinkSync(`${directory}/..data`)), "..data names a version");
  for (const name of payload.names) {
    assert.equal(readlinkSync(`${directory}/${name}`), `..data/${name}`);
  }
  assertShows(directory, payload, options);
}

/** The volume shows this payload, whole; leftovers are allowed. */
export function assertShows(
  directory: string,
  payload: Payload,
  options: { fsGroup?: number } = {},
): void {
  const seen = readThroughData(directory);
  const differs = differenceTo(payload, seen, options);
  assert.equal(differs, undefined, `the volume shows the payload: ${differs}`);
}

/** Why `seen` is not `payload`; undefined when it is. */
export function differenceTo(
  payload: Payload,
  seen: readonly SeenFile[],
  options: { fsGroup?: number } = {},
): string | undefined {
  const sorted = seen.toSorted((a, b) => compareBytes(a.path, b.path));
  const paths = sorted.map((file) => file.path).join();
  const wantedPaths = payload.files.map((file) => file.path).join();
  if (paths !== wantedPaths) return `paths are ${paths} instead of ${wantedPaths}`;
  for (const [index, wanted] of payload.files.entries()) {
    const why = fileDifference(wanted, sorted[index], options.fsGroup);
    if (why !== undefined) return `${wanted.path}: ${why}`;
  }
  return undefined;
}

function fileDifference(
  wanted: PayloadFile,
  seen: SeenFile | undefined,
  fsGroup: number | undefined,
): string | undefined {
  if (seen === undefined) return "missing";
  if (!seen.data.equals(wanted.data)) return `content of ${seen.data.length} bytes differs`;
  const mode = fsGroup === undefined ? wanted.mode : wanted.mode | 0o440;
  if (seen.mode !== mode) return `mode is ${octal(seen.mode)} instead of ${octal(mode)}`;
  if (wanted.uid !== undefined && seen.uid !== wanted.uid) return `owner is ${seen.uid}`;
  if (fsGroup !== undefined && seen.gid !== fsGroup) return `group is ${seen.gid}`;
  return undefined;
}

function readTree(root: string, prefix: string): SeenFile[] {
  return readdirSync(root)
    .sort(compareBytes)
    .flatMap((name) => {
      const path = prefix === "" ? name : `${prefix}/${name}`;
      return lstatSync(`${root}/${name}`).isDirectory()
        ? readTree(`${root}/${name}`, path)
        : [readSeen(`${root}/${name}`, path)];
    });
}

function readSeen(full: string, path: string): SeenFile {
  const { mode, uid, gid } = statSync(full);
  return { path, mode: mode & 0o7777, uid, gid, data: readFileSync(full) };
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

export function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}
