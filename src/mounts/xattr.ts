// What the layers of an image need of a file system and Node cannot do: extended attributes, devices, and the marks by which an
// overlay knows that something of the layers below is not there. No symbolic link at the end of a path is followed.

import { closeSync, constants, openSync } from "node:fs";
import { call } from "./libc.ts";

/** Paths are bytes, as they are to the kernel: a name in a layer need not be text. */
export interface OverlayMarks {
  /** Hides the file or directory of this name in the layers below. Needs no rights but to write here. */
  whiteout(path: Uint8Array): void;
  /** Hides all that the layers below have in this directory. */
  opaque(directory: Uint8Array): void;
  isWhiteout(stats: { isCharacterDevice(): boolean; readonly rdev: number }): boolean;
  setAttribute(path: Uint8Array, name: string, value: Uint8Array): void;
  makeNode(path: Uint8Array, node: SpecialFile): void;
  /** Settles the whole file system that this directory is on: after it, a power cut takes nothing away. */
  syncFileSystem(directory: string): void;
}

interface SpecialFile {
  readonly kind: "character" | "block" | "fifo";
  readonly major: number;
  readonly minor: number;
}

const S_IFMT = { character: 0o020000, block: 0o060000, fifo: 0o010000 } as const;

/** For overlays that root mounts; unprivileged ones would read `user.overlay.opaque`. */
const OPAQUE = "trusted.overlay.opaque";

export const overlayMarks: OverlayMarks = {
  whiteout(path) {
    makeNode(path, { kind: "character", major: 0, minor: 0 });
  },
  opaque(directory) {
    setAttribute(directory, OPAQUE, Buffer.from("y"));
  },
  isWhiteout: (stats) => stats.isCharacterDevice() && stats.rdev === 0,
  setAttribute,
  makeNode,
  syncFileSystem(directory) {
    const fd = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      call("int syncfs(int fd)", [fd], { syscall: "syncfs", path: directory });
    } finally {
      closeSync(fd);
    }
  },
};

function setAttribute(path: Uint8Array, name: string, value: Uint8Array): void {
  call(
    "int lsetxattr(const void *path, const char *name, const void *value, size_t size, int flags)",
    [terminated(path), name, value, value.length, 0],
    { syscall: "lsetxattr", path: textOf(path) },
  );
}

function makeNode(path: Uint8Array, { kind, major, minor }: SpecialFile): void {
  call(
    "int mknod(const void *path, unsigned int mode, unsigned long long device)",
    [terminated(path), S_IFMT[kind] | 0o600, kind === "fifo" ? 0 : deviceNumber(major, minor)],
    { syscall: "mknod", path: textOf(path) },
  );
}

/** As the C library's makedev() packs it. */
function deviceNumber(major: number, minor: number): bigint {
  const [high, low] = [BigInt(major), BigInt(minor)];
  return (
    ((high & ~0xfffn) << 32n) | ((high & 0xfffn) << 8n) | ((low & ~0xffn) << 12n) | (low & 0xffn)
  );
}

function terminated(path: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(path.length + 1);
  bytes.set(path);
  return bytes;
}

function textOf(path: Uint8Array): string {
  return Buffer.from(path).toString("utf8");
}
