// A disk for a node that is small enough to be filled: a tmpfs under its whole data directory.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fillDisk } from "../support/fill-disk.ts";
import { type MountedTmpfs, tmpfs } from "../support/tmpfs.ts";

export class SmallDisk implements Disposable {
  readonly dataDir: string;
  readonly #disk: MountedTmpfs;

  private constructor(disk: MountedTmpfs) {
    this.#disk = disk;
    this.dataDir = join(disk.path, "data");
  }

  static make(): SmallDisk {
    const disk = tmpfs("size=64m,mode=700");
    if ("reason" in disk) throw new Error(disk.reason);
    return new SmallDisk(disk);
  }

  /** Takes every byte, until it is disposed of. */
  fill(): Disposable {
    return fillDisk(this.#disk.path);
  }

  /** Nothing else tells whose they are: a file system of its own does not show where it is mounted. */
  killContainers(): void {
    const directory = join(this.dataDir, "containers");
    for (const id of readdirSync(directory)) {
      try {
        const text = readFileSync(join(directory, id, "init.json"), "utf8");
        process.kill((JSON.parse(text) as { readonly pid: number }).pid, "SIGKILL");
      } catch {
        // It has ended, or never began.
      }
    }
  }

  [Symbol.dispose](): void {
    this.#disk[Symbol.dispose]();
  }
}
