// A small tmpfs of a test's own, for full disks and exhausted inodes that are real.

import { execFileSync } from "node:child_process";
import { tempDir } from "../../src/base/testing/temp-dir.ts";

export interface MountedTmpfs extends Disposable {
  readonly path: string;
}

/** Could not be mounted, for instance without root. */
export interface NotMounted extends Disposable {
  readonly reason: string;
}

export function tmpfs(options: string): MountedTmpfs | NotMounted {
  const directory = tempDir();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "driftless-test", directory.path], {
      stdio: ["ignore", "ignore", "pipe"],
    });
  } catch (err) {
    directory[Symbol.dispose]();
    return { reason: `cannot mount a tmpfs: ${String(err)}`, [Symbol.dispose]: () => undefined };
  }
  return {
    path: directory.path,
    [Symbol.dispose]() {
      execFileSync("umount", ["--lazy", directory.path]);
      directory[Symbol.dispose]();
    },
  };
}
