// An ext4 of a test's own that can lose power. It lies in a file of another file system; freezing that one stops every
// write at one instant, and a copy of the file is then exactly what a disk would hold whose power went at that
// instant. (Shutting ext4 down instead is no power cut: a program goes on meanwhile, and a sync that is under way can
// be told that it succeeded although it was not.)

import { execFileSync } from "node:child_process";
import { copyFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { ensureDebianPackages } from "../../tools/debian.ts";

const DISK_BYTES = 64 * 2 ** 20;
/** For the disk, and those before it: a mount namespace that another process made meanwhile keeps them for a while. */
const OUTER_BYTES = 32 * DISK_BYTES;

export interface LoopDisk extends Disposable {
  readonly path: string;
  /**
   * Keeps what had reached the disk at one instant, and nothing after. `end` is called while the disk stands still:
   * it kills whoever writes, so that nobody does anything that would be forgotten.
   */
  cutPower(end?: () => void): void;
  /** Mounts what was kept. No program may have files of it open. */
  restorePower(): void;
}

/** Could not be mounted, for instance without root. */
export interface NoDisk extends Disposable {
  readonly reason: string;
}

export async function loopDisk(): Promise<LoopDisk | NoDisk> {
  const mkfs = await ensureDebianPackages([{ command: "mkfs.ext4", package: "e2fsprogs" }]);
  if (!mkfs.ok) return noDisk(mkfs.reason);
  const temp = tempDir();
  const [outer, path, saved] = [temp.join("outer"), temp.join("mount"), temp.join("saved")];
  const mounted: string[] = [];
  const umount = (): void => {
    const last = mounted.pop();
    // Lazily: a mount namespace that another process made meanwhile has a copy of it.
    if (last !== undefined) execFileSync("umount", ["-l", last]);
  };
  const mount = (image: string, on: string): void => {
    execFileSync("mount", ["-o", "loop", image, on], { stdio: "pipe" });
    mounted.push(on);
  };
  const dispose = (): void => {
    while (mounted.length > 0) umount();
    temp[Symbol.dispose]();
  };
  // Each time another file: a copy of the old mount, wherever it is, must not be found again.
  let generation = 0;
  const image = (): string => `${outer}/image-${generation}`;
  try {
    temp.write({ "mount/.keep": "", "outer/.keep": "" });
    mount(emptyDisk(temp.join("outer-image"), OUTER_BYTES), outer);
    mount(emptyDisk(image(), DISK_BYTES), path);
  } catch (err) {
    dispose();
    return noDisk(`cannot mount a loop device: ${String(err)}`);
  }
  return {
    path,
    cutPower(end) {
      execFileSync("fsfreeze", ["--freeze", outer]);
      try {
        copyFileSync(image(), saved);
        end?.();
      } finally {
        execFileSync("fsfreeze", ["--unfreeze", outer]);
      }
    },
    restorePower() {
      umount();
      rmSync(image());
      generation++;
      copyFileSync(saved, image());
      mount(image(), path);
    },
    [Symbol.dispose]: dispose,
  };
}

function emptyDisk(file: string, bytes: number): string {
  writeFileSync(file, "");
  truncateSync(file, bytes);
  execFileSync("mkfs.ext4", ["-q", file]);
  return file;
}

function noDisk(reason: string): NoDisk {
  return { reason, [Symbol.dispose]: () => undefined };
}
