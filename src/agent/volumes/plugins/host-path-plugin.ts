// A file or a directory of the machine, as it is. The agent looks whether it is what the pod takes it for, and may create it; it never
// removes it.

import { closeSync, constants, mkdirSync, openSync, type Stats, statSync } from "node:fs";
import type { Volume } from "../../../api/types.ts";
import { isErrno } from "../../../base/errors.ts";
import type { VolumeContent, VolumePlugin, VolumeToMount } from "../volume-plugin.ts";

/** By `type`: what it is called in errors, what makes it if it is missing, and the type that it must have. */
const CHECKS: Readonly<Record<string, HostPathCheck>> = {
  Directory: { type: "Directory", words: "directory" },
  DirectoryOrCreate: { type: "Directory", words: "directory", make: makeDirectory },
  File: { type: "File", words: "file" },
  FileOrCreate: { type: "File", words: "file", make: makeFile },
  Socket: { type: "Socket", words: "socket file" },
  CharDevice: { type: "CharDevice", words: "character device" },
  BlockDevice: { type: "BlockDevice", words: "block device" },
};

interface HostPathCheck {
  readonly type: FileType;
  readonly words: string;
  readonly make?: (path: string) => void;
}

type FileType = "Directory" | "File" | "Socket" | "CharDevice" | "BlockDevice";

export class HostPathPlugin implements VolumePlugin {
  readonly name = "kubernetes.io/host-path";
  readonly requiresRemount = false;

  supports({ hostPath }: Volume): boolean {
    return hostPath !== undefined;
  }

  references(): readonly [] {
    return [];
  }

  // oxlint-disable-next-line require-await -- what it throws must be a rejection
  async setUp({ spec: { name, hostPath } }: VolumeToMount): Promise<VolumeContent> {
    if (!hostPath) throw new Error(`Volume "${name}" is no hostPath volume`);
    const { path, type = "" } = hostPath;
    checkHostPath(path, type);
    return {
      path,
      isReadOnly: false,
      hasChanged: false,
      versions: [],
      version: undefined,
      refreshAfterMs: undefined,
    };
  }

  /** It was there before the pod, and stays. */
  async tearDown(): Promise<void> {}
}

/** Throws with the original's text. Without a type nothing is looked at and nothing made. */
function checkHostPath(path: string, type: string): void {
  if (path.split("/").includes("..")) {
    throw new Error(`invalid HostPath \`${path}\`: must not contain '..'`);
  }
  if (type === "") return;
  const check = Object.hasOwn(CHECKS, type) ? CHECKS[type] : undefined;
  if (!check) throw new Error(`${type} is an invalid volume type`);
  if (check.make && statSync(path, { throwIfNoEntry: false }) === undefined) {
    check.make(path);
    return;
  }
  const found = fileType(path, check.words);
  if (found !== check.type) {
    throw new Error(`hostPath type check failed: ${path} is not a ${check.words}, it's a ${found}`);
  }
}

/** Follows links, as the mount will. */
function fileType(path: string, expected: string): FileType {
  try {
    return typeOf(statSync(path));
  } catch (cause) {
    const why = isErrno(cause, "ENOENT")
      ? `path ${JSON.stringify(path)} does not exist`
      : (cause as Error).message;
    const what = `${path} is not a ${expected}, unable to determine its type: ${why}`;
    throw new Error(`hostPath type check failed, ${what}`, { cause });
  }
}

function typeOf(stats: Stats): FileType {
  if (stats.isDirectory()) return "Directory";
  if (stats.isFile()) return "File";
  if (stats.isSocket()) return "Socket";
  if (stats.isCharacterDevice()) return "CharDevice";
  if (stats.isBlockDevice()) return "BlockDevice";
  throw new Error("only recognise file, directory, socket, block device and character device");
}

function makeDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o755 });
}

/** Its directory must be there: the original makes none either. */
function makeFile(path: string): void {
  closeSync(openSync(path, constants.O_RDONLY | constants.O_CREAT, 0o644));
}
