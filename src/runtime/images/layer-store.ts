// Unpacked layers by their content, shared by all images that have them: `layers/sha256/<diff id>`. A layer is there whole or not at all: it is
// unpacked elsewhere and gets its name by a rename, after all of it is on the disk.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { OverlayMarks } from "../../mounts/xattr.ts";
import { decompressed, limited } from "./decompressed.ts";
import { DigestError, DigestingStream, drain, hexOf } from "./digest.ts";
import { type UnpackBudget, unpackLayer } from "./unpack-layer.ts";

export interface LayerStoreOptions {
  /** `<data directory>/images` */
  readonly directory: string;
  readonly marks: OverlayMarks;
  /** Of this process: what it leaves half done is known by it. */
  readonly pid: number;
}

export interface AddLayerOptions {
  /** Compressed or not. */
  readonly archive: AsyncIterable<Uint8Array>;
  /** What it has to be; whatever it is, if missing. */
  readonly digest?: string | undefined;
  readonly diffId?: string;
  readonly budget: UnpackBudget;
  readonly maxBytes: number;
}

export interface AddedLayer {
  readonly diffId: string;
  readonly sizeBytes: number;
}

export class LayerStore {
  readonly #options: LayerStoreOptions;

  constructor(options: LayerStoreOptions) {
    this.#options = options;
  }

  path(diffId: string): string {
    return join(this.#layers, hexOf(diffId));
  }

  /** If it is there: how large it is. */
  size(diffId: string): number | undefined {
    if (!existsSync(this.path(diffId))) return undefined;
    return Number(readFileSync(`${this.path(diffId)}.size`, "utf8"));
  }

  /** Throws DigestError or TarError, and then nothing is left of it. */
  async add(options: AddLayerOptions): Promise<AddedLayer> {
    const { archive, digest, diffId, budget, maxBytes } = options;
    using scratch = this.scratch();
    const directory = join(scratch.path, "layer");
    mkdirSync(directory);
    const blob = new DigestingStream(archive);
    const plain = new DigestingStream(limited(decompressed(blob), maxBytes));
    const bytes = plain[Symbol.asyncIterator]();
    try {
      // Without a way to stop it: it is read to its end, or there is no digest.
      const toEnd = { [Symbol.asyncIterator]: () => ({ next: () => bytes.next() }) };
      const { marks } = this.#options;
      const sizeBytes = await unpackLayer({ archive: toEnd, directory, marks, budget });
      await drain(bytes);
      const found = plain.digest();
      refuseOther(digest, digest === undefined ? undefined : blob.digest());
      refuseOther(diffId, found);
      this.#keep(found, directory, sizeBytes);
      return { diffId: found, sizeBytes };
    } finally {
      await bytes.return?.(undefined);
    }
  }

  /** A directory for work that goes away with it, or with the next call of this after its process was killed. */
  scratch(): Disposable & { readonly path: string } {
    const directory = join(this.#options.directory, "tmp");
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const path = mkdtempSync(join(directory, `${this.#options.pid}-`));
    return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
  }

  /** Removes what killed processes have left. */
  sweep(): void {
    const directory = join(this.#options.directory, "tmp");
    for (const name of existsSync(directory) ? readdirSync(directory) : []) {
      const [pid] = name.split("-");
      if (!existsSync(`/proc/${pid}`))
        rmSync(join(directory, name), { recursive: true, force: true });
    }
  }

  /** Removes layers that nobody needs; those that are kept say so. */
  collect(isNeeded: (diffId: string, path: string) => boolean): void {
    if (!existsSync(this.#layers)) return;
    for (const name of readdirSync(this.#layers)) {
      if (name.endsWith(".size") || isNeeded(`sha256:${name}`, join(this.#layers, name))) continue;
      // Renamed first: half a layer must not be taken for one.
      using scratch = this.scratch();
      renameSync(join(this.#layers, name), join(scratch.path, name));
      rmSync(join(this.#layers, `${name}.size`), { force: true });
    }
  }

  get #layers(): string {
    return join(this.#options.directory, "layers", "sha256");
  }

  #keep(diffId: string, directory: string, sizeBytes: number): void {
    const target = this.path(diffId);
    mkdirSync(this.#layers, { recursive: true, mode: 0o755 });
    if (existsSync(target)) return;
    writeFileSync(`${target}.size`, String(sizeBytes));
    this.#options.marks.syncFileSystem(directory);
    renameSync(directory, target);
  }
}

function refuseOther(expected: string | undefined, found: string | undefined): void {
  if (expected === undefined || expected === found) return;
  throw new DigestError(`Cannot use the layer ${expected}: its content is ${found}`);
}
