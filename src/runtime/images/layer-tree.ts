// A directory into which a layer is unpacked. Whatever an archive says, nothing outside is touched: names are walked part by part from the
// layer's own root, links on the way are followed as if that root were "/", and what is made is made at a path without links.
// Nobody else writes here while that happens.

import { lstatSync, mkdirSync, readlinkSync, rmSync, type Stats, unlinkSync } from "node:fs";
import { isErrno } from "../../base/errors.ts";
import type { ByteString } from "./tar-format.ts";
import { quoted, TarError } from "./tar-reader.ts";

/** As many as the kernel follows. */
const MAX_LINKS = 40;
const MAX_NAME_BYTES = 255;

export interface Place {
  /** Relative to the root of the layer, without links but for the last part: "usr/bin/sh". "" is the root. */
  readonly name: ByteString;
  readonly path: Buffer;
}

export class LayerTree {
  readonly #root: ByteString;
  /** Relative names known to be real directories, so that each is looked at once. */
  readonly #directories = new Set<ByteString>([""]);

  constructor(root: string) {
    this.#root = Buffer.from(root).toString("latin1");
  }

  /** Where this name is. The directories above it are made if they are missing. The last part is not followed. */
  place(name: ByteString): Place {
    const parts = partsOf(name);
    const last = parts.pop();
    if (last === undefined) return this.#at("");
    const parent = this.#directory(parts, name);
    return this.#at(parent === "" ? last : `${parent}/${last}`);
  }

  /** The directory of this name itself, made if it is missing. */
  directory(name: ByteString): Place {
    return this.#at(this.#directory(partsOf(name), name));
  }

  stats({ path }: Place): Stats | undefined {
    try {
      return lstatSync(path);
    } catch (err) {
      if (isErrno(err, "ENOENT")) return undefined;
      throw err;
    }
  }

  /** Takes away what is there, so that something else can be. */
  clear(place: Place): void {
    const stats = this.stats(place);
    if (stats === undefined) return;
    if (place.name === "")
      throw new TarError("Cannot unpack: the root of a layer must be a directory");
    if (!stats.isDirectory()) {
      unlinkSync(place.path);
      return;
    }
    rmSync(place.path, { recursive: true });
    for (const name of this.#directories) {
      if (name === place.name || name.startsWith(`${place.name}/`)) this.#directories.delete(name);
    }
  }

  /** Follows links inside the layer. Returns a name without links. */
  #directory(parts: readonly ByteString[], whole: ByteString): ByteString {
    const ahead = [...parts].reverse();
    const done: ByteString[] = [];
    let links = 0;
    for (let part = ahead.pop(); part !== undefined; part = ahead.pop()) {
      if (part === "..") {
        done.pop();
        continue;
      }
      const here = this.#at([...done, part].join("/"));
      const target = this.#linkAt(here, whole);
      if (target === undefined) {
        done.push(part);
        continue;
      }
      if (++links > MAX_LINKS) throw new TarError(`Cannot unpack ${quoted(whole)}: too many links`);
      if (target.startsWith("/")) done.length = 0;
      ahead.push(...target.split("/").filter(isPart).reverse());
    }
    return done.join("/");
  }

  /** Makes a directory if there is nothing, or returns where the link there points to. */
  #linkAt(place: Place, whole: ByteString): ByteString | undefined {
    if (this.#directories.has(place.name)) return undefined;
    const stats = this.stats(place);
    if (stats?.isSymbolicLink() === true) return readlinkSync(place.path, "latin1");
    if (stats === undefined) {
      mkdirSync(place.path, 0o755);
    } else if (!stats.isDirectory()) {
      throw new TarError(
        `Cannot unpack ${quoted(whole)}: ${quoted(place.name)} is not a directory`,
      );
    }
    this.#directories.add(place.name);
    return undefined;
  }

  #at(name: ByteString): Place {
    const path = name === "" ? this.#root : `${this.#root}/${name}`;
    return { name, path: Buffer.from(path, "latin1") };
  }
}

/** Refuses names that lead upwards: no honest archive has them. A slash at the beginning means the root of the layer. */
export function partsOf(name: ByteString): ByteString[] {
  const parts = name.split("/").filter(isPart);
  if (parts.includes(".."))
    throw new TarError(`Cannot unpack ${quoted(name)}: it leads out of the layer`);
  if (name.includes("\0") || parts.some((part) => part.length > MAX_NAME_BYTES)) {
    throw new TarError(`Cannot unpack ${quoted(name.slice(0, 300))}: no file can have this name`);
  }
  return parts;
}

function isPart(part: ByteString): boolean {
  return part !== "" && part !== ".";
}
