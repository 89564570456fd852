// Makes a directory of a layer's archive: the upper directory of an overlay. What a layer takes away from those below it comes as files with
// names like ".wh.NAME"; here it becomes what the kernel's overlay knows.

import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  futimesSync,
  lchownSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  openSync,
  symlinkSync,
  utimesSync,
  writeSync,
} from "node:fs";
import type { OverlayMarks } from "../../mounts/xattr.ts";
import { LayerTree, type Place, partsOf } from "./layer-tree.ts";
import type { TarHeader } from "./tar-format.ts";
import { quoted, readTar, type TarEntry, TarError } from "./tar-reader.ts";

/** Against archives that are small and become huge. Shared by the layers of an image. */
export class UnpackBudget {
  #bytes: number;
  #entries: number;

  constructor(of: { readonly maxBytes: number; readonly maxEntries: number }) {
    this.#bytes = of.maxBytes;
    this.#entries = of.maxEntries;
  }

  spend(bytes: number): void {
    this.#bytes -= bytes;
    this.#entries -= 1;
    if (this.#bytes < 0 || this.#entries < 0) {
      throw new TarError("Cannot unpack the image: it is larger than an image may be");
    }
  }
}

export interface UnpackOptions {
  /** Not compressed. Read to its end. */
  readonly archive: AsyncIterable<Uint8Array>;
  /** Exists and is empty. */
  readonly directory: string;
  readonly marks: OverlayMarks;
  readonly budget: UnpackBudget;
}

const WHITEOUT = ".wh.";
const OPAQUE = ".wh..wh..opq";
/** Book-keeping of a file system that images no longer come from. */
const META = ".wh..wh.";

/** Returns how many bytes of content there are. It throws at the first entry that it cannot make, and leaves what it has made. */
export async function unpackLayer(options: UnpackOptions): Promise<number> {
  const { archive, directory, budget } = options;
  const unpacking = new Unpacking(options);
  let bytes = 0;
  chmodSync(directory, 0o755);
  for await (const entry of readTar(archive)) {
    budget.spend(entry.sizeBytes);
    bytes += entry.sizeBytes;
    await unpacking.add(entry);
  }
  unpacking.finish();
  return bytes;
}

class Unpacking {
  readonly #tree: LayerTree;
  readonly #marks: OverlayMarks;
  /** Set at the end, the deepest first: making something in a directory changes its time. */
  readonly #directoryTimes = new Map<string, { readonly place: Place; readonly mtimeMs: number }>();

  constructor({ directory, marks }: UnpackOptions) {
    this.#tree = new LayerTree(directory);
    this.#marks = marks;
  }

  async add(entry: TarEntry): Promise<void> {
    const last = partsOf(entry.name).at(-1) ?? "";
    if (last.startsWith(WHITEOUT)) {
      this.#hide(entry, last);
      return;
    }
    const place = this.#tree.place(entry.name);
    switch (entry.type) {
      case "directory":
        this.#makeDirectory(place, entry);
        return;
      case "file":
        await this.#makeFile(place, entry);
        return;
      case "hardlink":
        this.#makeHardLink(place, entry);
        return;
      case "symlink":
        this.#tree.clear(place);
        symlinkSync(Buffer.from(entry.linkName, "latin1"), place.path);
        lchownSync(place.path, entry.uid, entry.gid);
        lutimesSync(place.path, entry.mtimeMs / 1000, entry.mtimeMs / 1000);
        return;
      case "character":
      case "block":
      case "fifo":
        this.#tree.clear(place);
        this.#marks.makeNode(place.path, { ...entry, kind: entry.type });
        lchownSync(place.path, entry.uid, entry.gid);
        chmodSync(place.path, entry.mode);
        lutimesSync(place.path, entry.mtimeMs / 1000, entry.mtimeMs / 1000);
    }
  }

  finish(): void {
    const times = [...this.#directoryTimes.values()];
    for (const { place, mtimeMs } of times.sort(
      (a, b) => b.place.name.length - a.place.name.length,
    )) {
      if (this.#tree.stats(place)?.isDirectory() === true) {
        utimesSync(place.path, mtimeMs / 1000, mtimeMs / 1000);
      }
    }
  }

  #hide({ name }: TarHeader, last: string): void {
    const parent = name.slice(0, name.lastIndexOf(last));
    if (last === OPAQUE) {
      this.#marks.opaque(this.#tree.directory(parent).path);
      return;
    }
    if (last.startsWith(META)) return;
    const hidden = last.slice(WHITEOUT.length);
    if (hidden === "" || hidden === "." || hidden === "..") {
      throw new TarError(`Cannot unpack ${quoted(name)}: it hides nothing`);
    }
    const place = this.#tree.place(`${parent}${hidden}`);
    const stats = this.#tree.stats(place);
    // What this layer has itself stays: a whiteout speaks of the layers below, wherever it stands in the archive.
    if (stats === undefined) this.#marks.whiteout(place.path);
    else if (stats.isDirectory()) this.#marks.opaque(place.path);
  }

  #makeDirectory(place: Place, entry: TarEntry): void {
    const stats = this.#tree.stats(place);
    if (stats?.isDirectory() !== true) {
      this.#tree.clear(place);
      mkdirSync(place.path, 0o700);
      if (stats !== undefined && this.#marks.isWhiteout(stats)) this.#marks.opaque(place.path);
    }
    lchownSync(place.path, entry.uid, entry.gid);
    // After the owner: changing that takes the set-id bits away.
    chmodSync(place.path, entry.mode);
    this.#setAttributes(place, entry);
    this.#directoryTimes.set(place.name, { place, mtimeMs: entry.mtimeMs });
  }

  async #makeFile(place: Place, entry: TarEntry): Promise<void> {
    this.#tree.clear(place);
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const fd = openSync(place.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      for await (const bytes of entry.content) {
        for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      }
      fchownSync(fd, entry.uid, entry.gid);
      fchmodSync(fd, entry.mode);
      this.#setAttributes(place, entry);
      futimesSync(fd, entry.mtimeMs / 1000, entry.mtimeMs / 1000);
    } finally {
      closeSync(fd);
    }
  }

  /** To something of this layer: an overlay copies a file up before it links to it. */
  #makeHardLink(place: Place, { name, linkName }: TarEntry): void {
    const target = this.#tree.place(linkName);
    if (target.name === place.name) return;
    const stats = this.#tree.stats(target);
    if (stats === undefined || stats.isDirectory()) {
      throw new TarError(`Cannot unpack ${quoted(name)}: there is no file ${quoted(linkName)}`);
    }
    this.#tree.clear(place);
    linkSync(target.path, place.path);
  }

  /** File capabilities and what users have set; not those by which overlays or security modules would be told lies. */
  #setAttributes({ path }: Place, { attributes }: TarHeader): void {
    for (const [name, value] of attributes) {
      const isUsers = name.startsWith("user.") && !name.startsWith("user.overlay.");
      if (name === "security.capability" || isUsers) this.#marks.setAttribute(path, name, value);
    }
  }
}
