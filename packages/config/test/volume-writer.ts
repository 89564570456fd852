// Writes a volume the way a kubelet does, step by step: new directory, files, `..data_tmp`, rename,
// visible links, and at the end the removal of the old version.

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

export type Files = Readonly<Record<string, string | Uint8Array>>;

export class VolumeWriter {
  readonly directory: string;
  #count = 0;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Returns the path of the new version's own directory. */
  write(files: Files): string {
    const { directory } = this;
    this.#count += 1;
    mkdirSync(directory, { recursive: true });
    const link = join(directory, "..data");
    const old = existsSync(link) ? readlinkSync(link) : undefined;
    // Never the same name twice, also not from two writers of one directory.
    const name = `..2026_08_20_18_59_46.${process.hrtime.bigint()}${this.#count}`;
    mkdirSync(join(directory, name));
    for (const [key, content] of Object.entries(files)) {
      const path = join(directory, name, key);
      if (key.includes("/")) mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
    rmSync(join(directory, "..data_tmp"), { force: true });
    symlinkSync(name, join(directory, "..data_tmp"));
    renameSync(join(directory, "..data_tmp"), link);
    this.#link(new Set(Object.keys(files).map((key) => key.split("/")[0] ?? key)));
    if (old !== undefined) rmSync(join(directory, old), { recursive: true });
    return join(directory, name);
  }

  #link(visible: ReadonlySet<string>): void {
    for (const name of visible) {
      const path = join(this.directory, name);
      if (!lstatSync(path, { throwIfNoEntry: false })) symlinkSync(`..data/${name}`, path);
    }
    for (const name of readdirSync(this.directory)) {
      if (!name.startsWith("..") && !visible.has(name)) unlinkSync(join(this.directory, name));
    }
  }
}
