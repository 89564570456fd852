// Reads /proc/PID/mountinfo: https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html

import { readFileSync } from "node:fs";
import type { MountEntry } from "./mounts.ts";

export interface MountInfo extends MountEntry {
  readonly parentId: number;
  /** "shared:1" and the like. */
  readonly tags: readonly string[];
  readonly source: string;
  /** Of the file system: "rw,size=4k". */
  readonly superOptions: string;
}

/** Of this process's mount namespace, or of another process's. */
export function readMountInfo(pid: number | "self" = "self"): readonly MountInfo[] {
  return parseMountInfo(readFileSync(`/proc/${pid}/mountinfo`, "utf8"));
}

export function parseMountInfo(text: string): readonly MountInfo[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map(parseLine);
}

function parseLine(line: string): MountInfo {
  const fields = line.split(" ");
  const separator = fields.indexOf("-", 6);
  const [id, parentId, device, root, path, options] = fields;
  const [fsType, source, superOptions] = fields.slice(separator + 1);
  if (separator < 0 || options === undefined || fsType === undefined) {
    throw new Error(`Cannot read a line of mountinfo: ${JSON.stringify(line)}`);
  }
  return {
    id: Number(id),
    parentId: Number(parentId),
    device: device ?? "",
    root: unescaped(root ?? ""),
    path: unescaped(path ?? ""),
    isReadOnly: options.split(",").includes("ro"),
    tags: fields.slice(6, separator),
    fsType,
    source: unescaped(source ?? ""),
    superOptions: superOptions ?? "",
  };
}

/** Space, tab, newline and backslash are written as three octal digits of a byte. */
function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

/** The one that is seen at the path. Mounts may be in the list in any order: one stands on its parent. */
export function topmostAt(mounts: readonly MountInfo[], path: string): MountInfo | undefined {
  const here = mounts.filter((mount) => mount.path === path);
  return here.find(({ id }) => !here.some(({ parentId }) => parentId === id)) ?? here.at(-1);
}

/** The path itself and what is below it, the deepest first, and of several at a place the topmost first. */
export function mountsBelow(mounts: readonly MountInfo[], path: string): readonly MountInfo[] {
  const prefix = path === "/" ? "/" : `${path}/`;
  const parents = new Map(mounts.map(({ id, parentId }) => [id, parentId]));
  // A mount is deeper in the tree of mounts than the one that it stands on, wherever its path is.
  const depth = (id: number): number => {
    let steps = 0;
    for (let at = parents.get(id); at !== undefined && steps < mounts.length; steps++) {
      at = parents.get(at);
    }
    return steps;
  };
  return mounts
    .filter((mount) => mount.path === path || mount.path.startsWith(prefix))
    .map((mount) => ({ mount, depth: depth(mount.id) }))
    .sort((a, b) => b.depth - a.depth)
    .map(({ mount }) => mount);
}

/** The mount that shows this path, which has no symbolic links in it. */
export function mountOf(mounts: readonly MountInfo[], path: string): MountInfo | undefined {
  let best: MountInfo | undefined;
  for (const mount of mounts) {
    const isAbove = mount.path === "/" || mount.path === path || path.startsWith(`${mount.path}/`);
    if (isAbove && mount.path.length >= (best?.path.length ?? 0)) {
      best = mount;
    }
  }
  return best && topmostAt(mounts, best.path);
}
