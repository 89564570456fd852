// An ext4 of a test's own, on a loop device, that can lose power: it is shut down without a flush, and
// mounted again.

import { execFileSync } from "node:child_process";
import { truncateSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { ensureDebianPackages } from "../../tools/debian.ts";
import { buildC } from "../support/c-program.ts";

const DISK_BYTES = 64 * 2 ** 20;

export interface LoopDisk extends Disposable {
  readonly path: string;
  /** From now on nothing reaches the disk, and every write of a running program fails. */
  cutPower(): void;
  /** Mounts what had reached the disk. No program may have files of it open. */
  restorePower(): void;
}

/** Could not be mounted, for instance without root. */
export interface NoDisk extends Disposable {
  readonly reason: string;
}

export async function loopDisk(): Promise<LoopDisk | NoDisk> {
  const mkfs = await ensureDebianPackages([{ command: "mkfs.ext4", package: "e2fsprogs" }]);
  if (!mkfs.ok) return noDisk(mkfs.reason);
  const shutdown = await buildC(
    fileURLToPath(new URL("../support/fs-shutdown.c", import.meta.url)),
  );
  if (!shutdown.ok) return noDisk(shutdown.reason);
  const temp = tempDir();
  const path = temp.join("mount");
  const mount = (triesLeft = 200): void => {
    execFileSync("mount", ["-o", "loop", temp.join("image"), path], { stdio: "pipe" });
    if (isAlive(path) || triesLeft === 0) return;
    // A mount namespace that another process made meanwhile has a copy of our mount, and while it lives a
    // new mount is the same dead file system again.
    execFileSync("umount", [path]);
    execFileSync("sleep", ["0.1"]);
    mount(triesLeft - 1);
  };
  try {
    temp.write({ "mount/.keep": "", image: "" });
    truncateSync(temp.join("image"), DISK_BYTES);
    execFileSync("mkfs.ext4", ["-q", temp.join("image")]);
    mount();
  } catch (err) {
    temp[Symbol.dispose]();
    return noDisk(`cannot mount a loop device: ${String(err)}`);
  }
  return {
    path,
    cutPower: () => void execFileSync(shutdown.path, [path]),
    restorePower() {
      execFileSync("umount", [path]);
      mount();
    },
    [Symbol.dispose]() {
      execFileSync("umount", [path]);
      temp[Symbol.dispose]();
    },
  };
}

function noDisk(reason: string): NoDisk {
  return { reason, [Symbol.dispose]: () => undefined };
}

function isAlive(directory: string): boolean {
  try {
    writeFileSync(`${directory}/.alive`, "");
    return true;
  } catch {
    return false; // Shut down: every write is EIO.
  }
}
