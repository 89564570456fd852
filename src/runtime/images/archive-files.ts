// The files of an archive, to be read in any order: an image's archive has its table of contents where it likes. The archive itself is
// indexed and stays where it is; only a compressed one is unpacked first, since nobody can jump in it.

import { createReadStream, createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { compressionOf, decompressed, limited } from "./decompressed.ts";
import { partsOf } from "./layer-tree.ts";
import { quoted, readTar, TarError } from "./tar-reader.ts";

interface Extent {
  readonly offset: number;
  readonly sizeBytes: number;
}

export interface OpenArchiveOptions {
  readonly file: string;
  /** Where to unpack a compressed archive; the caller removes it. */
  readonly scratchFile: string;
  readonly maxBytes: number;
}

/** Of table of contents, manifests and configurations; registries allow 4 MiB. */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;
const MAX_ENTRIES = 100_000;
const MAX_LINKS = 8;

export class ArchiveFiles {
  readonly #file: string;
  readonly #extents = new Map<string, Extent>();
  /** Old `docker save` writes a layer that two images share as a link. */
  readonly #links = new Map<string, string>();

  static async open({ file, scratchFile, maxBytes }: OpenArchiveOptions): Promise<ArchiveFiles> {
    if ((await compressionOfFile(file)) === "none") return indexed(file);
    const plain = limited(decompressed(createReadStream(file)), maxBytes);
    await pipeline(plain, createWriteStream(scratchFile, { mode: 0o600, flags: "wx" }));
    return indexed(scratchFile);
  }

  constructor(file: string) {
    this.#file = file;
  }

  add(name: string, extent: Extent): void {
    this.#extents.set(name, extent);
  }

  link(name: string, target: string): void {
    this.#links.set(name, target);
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  stream(name: string): AsyncIterable<Uint8Array> {
    const { offset, sizeBytes } = this.#extent(name);
    if (sizeBytes === 0) return emptyStream();
    const options = { start: offset, end: offset + sizeBytes - 1, highWaterMark: 256 * 1024 };
    return createReadStream(this.#file, options) as AsyncIterable<Uint8Array>;
  }

  /** All of a small file. */
  async bytes(name: string): Promise<Buffer> {
    const { sizeBytes } = this.#extent(name);
    if (sizeBytes > MAX_DOCUMENT_BYTES) {
      throw new TarError(
        `Cannot read ${quoted(name)} of the archive: ${sizeBytes} bytes are too many`,
      );
    }
    const parts: Uint8Array[] = [];
    for await (const part of this.stream(name)) parts.push(part);
    return Buffer.concat(parts);
  }

  #extent(name: string): Extent {
    const extent = this.#find(name);
    if (extent !== undefined) return extent;
    throw new TarError(`Cannot read ${quoted(name)} of the archive: it is not there`);
  }

  #find(name: string): Extent | undefined {
    let at = name;
    for (let links = 0; links < MAX_LINKS; links++) {
      const target = this.#links.get(at);
      if (target === undefined) break;
      at = target;
    }
    return this.#extents.get(at);
  }
}

async function indexed(file: string): Promise<ArchiveFiles> {
  const files = new ArchiveFiles(file);
  let entries = 0;
  for await (const { type, name, linkName, offset, sizeBytes } of readTar(createReadStream(file))) {
    if (++entries > MAX_ENTRIES)
      throw new TarError("Cannot read the archive: it has too many files");
    const path = partsOf(name).join("/");
    if (type === "file") files.add(path, { offset, sizeBytes });
    if (type === "hardlink") files.link(path, partsOf(linkName).join("/"));
    if (type === "symlink") files.link(path, resolved(path, linkName));
  }
  return files;
}

/** Relative to where the link is; ".." at the root stays there. Names only: no file is touched. */
function resolved(path: string, target: string): string {
  const parts = target.startsWith("/") ? [] : path.split("/").slice(0, -1);
  for (const part of target.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

async function compressionOfFile(file: string): Promise<ReturnType<typeof compressionOf>> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
  return compressionOf(buffer.subarray(0, bytesRead));
}

async function* emptyStream(): AsyncGenerator<Uint8Array> {
  // Nothing to yield.
}
