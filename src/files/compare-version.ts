// Is this version directory what the payload asks for? Names, sizes, modes and owners are looked at;
// contents are read only when asked to, or when the machine has been restarted since they were
// written: a power cut may have emptied what was never synced.

import { lstatSync, readdirSync, readFileSync, type Stats } from "node:fs";
import { isErrno } from "../base/errors.ts";
import { VERSION_FILE } from "./layout.ts";
import { directoryMode, fileMode, recordAccess } from "./ownership.ts";
import type { Payload, PayloadFile } from "./payload.ts";
import { readVersionRecord, UNREADABLE } from "./version-record.ts";

export interface Difference {
  /**
   * `content`: another version is wanted. `metadata`: modes or owners. `damaged`: what is on disk is
   * not what was written there.
   */
  readonly reason: "content" | "metadata" | "damaged";
  /** The first file that differs, when one can be named. */
  readonly path: string | undefined;
}

export interface Comparison {
  readonly payload: Payload;
  readonly fsGroup: number | undefined;
  readonly bootId: string;
  /** Owner of files that ask for none: the writing process. */
  readonly uid: number;
  /** Read the contents, too. */
  readonly deep: boolean;
}

/** The first difference found, or undefined. `root` is the version's directory, which exists. */
export function compareVersion(root: string, wanted: Comparison): Difference | undefined {
  const record = readVersionRecord(root);
  if (record === undefined) return { reason: "damaged", path: VERSION_FILE };
  if (record.version !== wanted.payload.version) return { reason: "content", path: undefined };
  const deep = wanted.deep || record.writer.bootId !== wanted.bootId;
  return (
    directoryDifference(root, wanted) ??
    firstDefined(wanted.payload.files, (file) => fileDifference(root, file, { ...wanted, deep })) ??
    recordDifference(root, wanted)
  );
}

/** Every directory is there with its mode, and holds no more than it should. */
function directoryDifference(root: string, wanted: Comparison): Difference | undefined {
  const { payload, fsGroup } = wanted;
  const children = new Map<string, number>([["", 1]]); // 1: the record
  for (const path of payload.directories) children.set(path, 0);
  for (const path of [...payload.directories, ...payload.files.map((file) => file.path)]) {
    const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    children.set(parent, (children.get(parent) ?? 0) + 1);
  }
  return firstDefined(children, ([path, count]) => {
    const full = path === "" ? root : `${root}/${path}`;
    const stats = readable(() => lstatSync(full));
    if (!stats?.isDirectory()) return { reason: "damaged", path };
    // The files that should be there are looked at one by one, so a count is enough to find others.
    if (readable(() => readdirSync(full))?.length !== count) return { reason: "damaged", path };
    return accessDiffers(stats, { mode: directoryMode(fsGroup), uid: undefined, gid: fsGroup })
      ? { reason: "metadata", path }
      : undefined;
  });
}

function fileDifference(
  root: string,
  file: PayloadFile,
  wanted: Comparison,
): Difference | undefined {
  const { path } = file;
  const stats = readable(() => lstatSync(`${root}/${path}`));
  if (!stats?.isFile() || stats.size !== file.data.length) return { reason: "damaged", path };
  const mode = fileMode(file.mode, wanted.fsGroup);
  const gid = wanted.fsGroup ?? file.gid;
  if (accessDiffers(stats, { mode, uid: file.uid ?? wanted.uid, gid })) {
    return { reason: "metadata", path };
  }
  if (!wanted.deep) return undefined;
  const data = readable(() => readFileSync(`${root}/${path}`));
  return data?.equals(file.data) ? undefined : { reason: "damaged", path };
}

function recordDifference(root: string, wanted: Comparison): Difference | undefined {
  const stats = readable(() => lstatSync(`${root}/${VERSION_FILE}`));
  const { mode, uid = wanted.uid } = recordAccess(wanted.payload);
  const differs =
    stats === undefined ||
    accessDiffers(stats, { mode: fileMode(mode, wanted.fsGroup), uid, gid: wanted.fsGroup });
  return differs ? { reason: "metadata", path: VERSION_FILE } : undefined;
}

function accessDiffers(
  stats: Stats,
  wanted: { mode: number; uid: number | undefined; gid: number | undefined },
): boolean {
  if ((stats.mode & 0o7777) !== wanted.mode) return true;
  if (wanted.uid !== undefined && stats.uid !== wanted.uid) return true;
  return wanted.gid !== undefined && stats.gid !== wanted.gid;
}

/** Undefined for what cannot be read because it is damaged: writing it anew is the cure. */
function readable<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (err) {
    if (isErrno(err, ...UNREADABLE)) return undefined;
    throw err;
  }
}

function firstDefined<T, R>(items: Iterable<T>, look: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
