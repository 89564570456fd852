// A file that others replace while we run: tokens and certificates rotate. It is read again when its inode, size or times
// are not what they were; a look costs one system call.

import { readFileSync, statSync } from "node:fs";

export class FollowedFile {
  readonly #path: string;
  #stamp = "";
  #text: string | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** The text as it is now; if the file cannot be read now, as it was. Throws if it never could be read. */
  read(): string {
    try {
      const { ino, size, mtimeNs, ctimeNs } = statSync(this.#path, { bigint: true });
      const stamp = `${ino}/${size}/${mtimeNs}/${ctimeNs}`;
      if (this.#text === undefined || stamp !== this.#stamp) {
        this.#text = readFileSync(this.#path, "utf8");
        this.#stamp = stamp;
      }
    } catch (err) {
      // Half-way through a rotation the old text is better than none: the server judges it.
      if (this.#text === undefined) throw err;
    }
    return this.#text;
  }
}
