// The images of this machine, below `<data directory>/images`. They come from archives and directories: nothing is pulled from a registry. One
// writer at a time, between processes too; who reads needs no lock, since layers and records appear whole.

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { OverlayMarks } from "../../mounts/xattr.ts";
import { lockFile } from "../file-lock.ts";
import type { Image, ImageConfig } from "../image.ts";
import { ImageMissingError } from "../runtime.ts";
import { ArchiveFiles } from "./archive-files.ts";
import { digestOf } from "./digest.ts";
import { directoryEntries } from "./directory-entries.ts";
import { type ArchivedLayer, type ConfigDocument, imageInArchive } from "./image-archive.ts";
import { fullName, type ImageName, parseImageName } from "./image-name.ts";
import { type ImageRecord, ImageRecords } from "./image-record.ts";
import { LayerStore } from "./layer-store.ts";
import { writeTar } from "./tar-writer.ts";
import { UnpackBudget } from "./unpack-layer.ts";

export interface ImageStoreOptions {
  /** The data directory. */
  readonly root: string;
  readonly clock: Clock;
  readonly marks: OverlayMarks;
  readonly pid: number;
  /** As images call it: "amd64". */
  readonly architecture: string;
  readonly limits: ImageLimits;
}

export interface ImageLimits {
  /** Of an image, unpacked. */
  readonly maxBytes: number;
  readonly maxEntries: number;
}

export interface RemoveOptions {
  /** Whether something runs on this layer's directory: then it stays until the next removal. */
  readonly isLayerInUse: (path: string) => boolean;
}

/** Larger than what people run, smaller than what hurts: the largest images with models inside have some 30 GiB and 500,000 files. */
export const DEFAULT_LIMITS: ImageLimits = { maxBytes: 64 * 2 ** 30, maxEntries: 2_000_000 };

const HOST_IMAGE_NAME = "host";
const DEFAULT_PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const NO_CONFIG: ImageConfig = {
  entrypoint: [],
  cmd: [],
  env: [DEFAULT_PATH],
  user: "",
  workingDir: "",
  stopSignal: "",
};
const LOCK_TIMEOUT_MS = 60_000;
const LOCK_RETRY_MS = 100;

export class ImageStore {
  readonly #options: ImageStoreOptions;
  readonly #directory: string;
  readonly #records: ImageRecords;
  readonly #layers: LayerStore;

  constructor(options: ImageStoreOptions) {
    const { root, marks, pid } = options;
    this.#options = options;
    this.#directory = join(root, "images");
    this.#records = new ImageRecords(this.#directory);
    this.#layers = new LayerStore({ directory: this.#directory, marks, pid });
  }

  /** Throws ImageMissingError, or InvalidImageNameError for what is no name. */
  async get(name: string): Promise<Image> {
    if (name === HOST_IMAGE_NAME) return { name, id: "host", layers: ["/"], config: NO_CONFIG };
    const record = this.#find(parseImageName(name));
    if (record === undefined) {
      throw new ImageMissingError(
        `There is no image ${JSON.stringify(name)} on this machine, and none is pulled. Bring it with "driftless image import ${name} FILE" (an archive of docker save or an OCI layout), or use "image: host" for the machine's own programs`,
      );
    }
    const layers = record.diffIds.map((diffId) => this.#layers.path(diffId)).reverse();
    const missing = layers.find((path) => !existsSync(path));
    if (missing !== undefined) {
      throw new ImageMissingError(
        `The image ${JSON.stringify(name)} is damaged: "${missing}" is missing. Import it again with "driftless image import ${name} FILE"`,
      );
    }
    return { name, id: record.id, layers, config: record.config };
  }

  /** Without the machine's own root, which is always there. */
  list(): readonly ImageRecord[] {
    return this.#records.list();
  }

  /** From an OCI layout or what `docker save` writes, compressed or not. What had this name before loses it. */
  async importArchive(name: string, file: string): Promise<ImageRecord> {
    const wanted = importName(name);
    using _lock = await this.#lock();
    const { architecture, limits } = this.#options;
    using scratch = this.#layers.scratch();
    const scratchFile = join(scratch.path, "archive");
    const files = await ArchiveFiles.open({ file, scratchFile, maxBytes: limits.maxBytes });
    const image = await imageInArchive(files, { name: wanted, architecture });
    const sizeBytes = await this.#addLayers(files, image.layers);
    return this.#put({
      name: wanted,
      id: image.id,
      manifestDigest: image.manifestDigest,
      diffIds: image.layers.map(({ diffId }) => diffId),
      config: configOf(image.config),
      sizeBytes,
    });
  }

  /** A copy of a directory, as an image of one layer. What had this name before loses it. */
  async importDirectory(
    name: string,
    directory: string,
    given: Partial<ImageConfig>,
  ): Promise<ImageRecord> {
    const wanted = importName(name);
    using _lock = await this.#lock();
    const { limits } = this.#options;
    const { diffId, sizeBytes } = await this.#layers.add({
      archive: writeTar(directoryEntries(directory)),
      budget: new UnpackBudget(limits),
      maxBytes: limits.maxBytes,
    });
    const config = { ...NO_CONFIG, ...given, env: withPath(given.env ?? []) };
    const id = digestOf(Buffer.from(JSON.stringify({ config, diffId })));
    return this.#put({
      name: wanted,
      id,
      manifestDigest: "",
      diffIds: [diffId],
      config,
      sizeBytes,
    });
  }

  /** The name, and all layers that no image and nothing that runs needs. Throws ImageMissingError. */
  async remove(name: string, { isLayerInUse }: RemoveOptions): Promise<ImageRecord> {
    const record = name === HOST_IMAGE_NAME ? undefined : this.#find(parseImageName(name));
    if (record === undefined) {
      throw new ImageMissingError(
        `Cannot remove the image ${JSON.stringify(name)}: there is none of this name`,
      );
    }
    using _lock = await this.#lock();
    this.#records.remove(record.name);
    const needed = new Set(this.#records.list().flatMap(({ diffIds }) => diffIds));
    this.#layers.collect((diffId, path) => needed.has(diffId) || isLayerInUse(path));
    return record;
  }

  async #addLayers(files: ArchiveFiles, layers: readonly ArchivedLayer[]): Promise<number> {
    const { limits } = this.#options;
    const budget = new UnpackBudget(limits);
    let sizeBytes = 0;
    for (const { file, digest, diffId } of layers) {
      const known = this.#layers.size(diffId);
      if (known !== undefined) {
        sizeBytes += known;
        continue;
      }
      const archive = files.stream(file);
      const { maxBytes } = limits;
      const added = await this.#layers.add({ archive, digest, diffId, budget, maxBytes });
      sizeBytes += added.sizeBytes;
    }
    return sizeBytes;
  }

  #put(image: Omit<ImageRecord, "version" | "importedAt">): ImageRecord {
    const importedAt = new Date(this.#options.clock.now()).toISOString();
    const record: ImageRecord = { version: 1, ...image, importedAt };
    this.#records.put(record);
    return record;
  }

  /** By its name; by a digest, whatever tag it has here. */
  #find(name: ImageName): ImageRecord | undefined {
    if (name.digest === "") return this.#records.get(fullName(name));
    return this.#records.list().find((record) => {
      const { repository } = parseImageName(record.name);
      const digests = [record.manifestDigest, record.id];
      return repository === name.repository && digests.includes(name.digest);
    });
  }

  /** Removes what killed processes have left, too: nobody else is at work now. */
  async #lock(): Promise<Disposable> {
    const { clock } = this.#options;
    // Closed to others: layers have programs that run as their owner, and devices.
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const startedMs = clock.monotonicMs();
    while (clock.monotonicMs() - startedMs < LOCK_TIMEOUT_MS) {
      const lock = lockFile(join(this.#directory, "lock"));
      if (lock !== undefined) {
        this.#layers.sweep();
        return lock;
      }
      await clock.sleep(LOCK_RETRY_MS);
    }
    throw new Error(
      `Cannot change the images in "${this.#directory}": another import or removal has been at work for ${LOCK_TIMEOUT_MS / 1000} s`,
    );
  }
}

function importName(given: string): string {
  const name = parseImageName(given);
  if (given === HOST_IMAGE_NAME) {
    throw new Error('Cannot import an image as "host": that is the machine\'s own root');
  }
  if (name.digest !== "") {
    throw new Error(`Cannot import an image as ${given}: its content makes the digest; give a tag`);
  }
  return fullName(name);
}

function configOf({ config }: ConfigDocument): ImageConfig {
  const { Entrypoint, Cmd, Env, User = "", WorkingDir = "", StopSignal = "" } = config ?? {};
  return {
    entrypoint: Entrypoint ?? [],
    cmd: Cmd ?? [],
    env: withPath(Env ?? []),
    user: User,
    workingDir: WorkingDir,
    stopSignal: StopSignal,
  };
}

/** As other runtimes do: a program without a PATH finds nothing. */
function withPath(env: readonly string[]): readonly string[] {
  return env.some((one) => one.startsWith("PATH=")) ? env : [DEFAULT_PATH, ...env];
}
