// The output as a `..data` volume, as the kubelet makes them: the whole set is switched at one instant.

import { readdirSync, readFileSync } from "node:fs";
import { isErrno } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { AtomicWriter, type AtomicWriterOptions } from "../../files/atomic-writer.ts";
import { isPlainName, VERSION_FILE } from "../../files/layout.ts";
import { Payload } from "../../files/payload.ts";
import { dataTarget } from "../../files/survey.ts";
import type { Candidate } from "../publisher.ts";
import { ensureDirectory } from "./ensure-directory.ts";
import { foreignFile } from "./foreign-file.ts";
import type { Output } from "./output.ts";

/** A reader that has followed `..data` has so long to read what it leads to. */
const KEEP_PREVIOUS_MS = 10_000;

const FOREIGN =
  "a file that the sidecar did not write is in its place; remove it or choose another";

export type VolumeOutputOptions = Pick<
  AtomicWriterOptions,
  "directory" | "self" | "clock" | "random" | "logger"
>;

export class VolumeOutput implements Output {
  readonly #directory: string;
  readonly #logger: Logger;
  readonly #writer: AtomicWriter;
  /** Of the set that was written last: it is asked for again and again. */
  #last: { readonly candidate: Candidate; readonly payload: Payload } | undefined;

  constructor(options: VolumeOutputOptions) {
    this.#directory = options.directory;
    this.#logger = options.logger;
    this.#writer = new AtomicWriter({
      ...options,
      durable: true,
      keepPreviousMs: KEEP_PREVIOUS_MS,
    });
  }

  write(candidate: Candidate): "written" | "unchanged" {
    if (this.#last?.candidate !== candidate) {
      const obstacle = this.obstacle(candidate);
      if (obstacle !== undefined) throw new Error(obstacle);
      this.#last = { candidate, payload: payloadOf(candidate) };
    }
    ensureDirectory(this.#directory);
    const { outcome, difference } = this.#writer.write(this.#last.payload);
    if (difference?.reason === "damaged" || outcome === "repaired") {
      const { path } = difference ?? {};
      this.#logger.warn("output was mended", { output: this.#directory, path });
    }
    return outcome === "written" ? "written" : "unchanged";
  }

  obstacle({ files }: Candidate): string | undefined {
    const path = foreignFile(this.#directory, files.keys());
    return path === undefined ? undefined : `Cannot write "${path}": ${FOREIGN}`;
  }

  upkeep(): number | undefined {
    return this.#writer.sweep();
  }

  read(): ReadonlyMap<string, Uint8Array> {
    const target = dataTarget(this.#directory);
    if (target === undefined || !isPlainName(target)) return new Map();
    const root = `${this.#directory}/${target}`;
    try {
      const files = readdirSync(root, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && entry.name !== VERSION_FILE)
        .map(({ parentPath, name }) => `${parentPath}/${name}`);
      return new Map(files.map((file) => [file.slice(root.length + 1), readFileSync(file)]));
    } catch (err) {
      if (isErrno(err, "ENOENT")) return new Map();
      throw err;
    }
  }
}

/** Throws PayloadError for names that no volume can hold. */
export function payloadOf({ files }: Pick<Candidate, "files">): Payload {
  return Payload.from(
    [...files].map(([path, { data, mode, owner }]) => [
      path,
      { data, mode, uid: owner?.uid, gid: owner?.gid },
    ]),
  );
}
