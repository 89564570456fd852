// A directory as the entries of an archive, in an order that is always the same.

import { createReadStream, lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import type { ByteString, TarHeader, TarType } from "./tar-format.ts";
import type { TarSource } from "./tar-writer.ts";

/** Sockets are left out: they mean nothing without the process that listens. Extended attributes are not read. */
export async function* directoryEntries(directory: string): AsyncGenerator<TarSource> {
  const root = Buffer.from(directory).toString("latin1");
  /** The first name of each file that has several. */
  const seen = new Map<string, ByteString>();
  function* walk(name: ByteString): Generator<TarSource> {
    const path = Buffer.from(name === "" ? root : `${root}/${name}`, "latin1");
    const stats = lstatSync(path);
    const type = typeOf(stats);
    if (type === undefined) return;
    const inode = `${stats.dev}:${stats.ino}`;
    const first = stats.nlink > 1 && type !== "directory" ? seen.get(inode) : undefined;
    if (first !== undefined) {
      const header = headerOf(stats, "hardlink", name);
      yield { ...header, linkName: first, content: [] };
      return;
    }
    seen.set(inode, name);
    const linkName = type === "symlink" ? readlinkSync(path, "latin1") : "";
    const content = type === "file" && stats.size > 0 ? createReadStream(path) : [];
    yield { ...headerOf(stats, type, name), linkName, content };
    if (type !== "directory") return;
    for (const child of readdirSync(path, { encoding: "latin1" }).sort()) {
      yield* walk(name === "" ? child : `${name}/${child}`);
    }
  }
  yield* walk("");
}

function headerOf(stats: Stats, type: TarType, name: ByteString): TarHeader {
  return {
    type,
    name: type === "directory" ? `${name === "" ? "." : name}/` : name,
    linkName: "",
    mode: stats.mode & 0o7777,
    uid: stats.uid,
    gid: stats.gid,
    sizeBytes: type === "file" ? stats.size : 0,
    mtimeMs: Math.floor(stats.mtimeMs),
    major: majorOf(stats.rdev),
    minor: minorOf(stats.rdev),
    attributes: new Map(),
  };
}

function typeOf(stats: Stats): TarType | undefined {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  if (stats.isSymbolicLink()) return "symlink";
  if (stats.isFIFO()) return "fifo";
  if (stats.isCharacterDevice()) return "character";
  return stats.isBlockDevice() ? "block" : undefined;
}

function majorOf(device: number): number {
  const number = BigInt(device);
  return Number(((number >> 8n) & 0xfffn) | ((number >> 32n) & ~0xfffn));
}

function minorOf(device: number): number {
  const number = BigInt(device);
  return Number((number & 0xffn) | ((number >> 12n) & ~0xffn));
}
