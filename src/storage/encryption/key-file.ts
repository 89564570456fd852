// The file with the keys: text, a line `id base64` for each, the first of which writes and all of which read. Empty
// lines and those that begin with "#" say nothing. A change replaces the file as a whole, under a lock of the
// kernel: of two changes at once neither loses the other's key.

import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { isErrno } from "../../base/errors.ts";
import { openForLocking, sqliteCode, syncPath } from "../sqlite/database.ts";
import { EncryptionKey } from "./encryption-key.ts";
import { badKeyFile } from "./encryption-refused-error.ts";

/** First the one that writes. */
export type Keys = readonly [EncryptionKey, ...EncryptionKey[]];

const HEAD = `# The keys with which Driftless encrypts Secrets in its store. The first one writes, all of them read.
# Keep a copy of this file, but not with the backups: without it nobody can read their Secrets, with it everybody can.
`;

/**
 * Undefined when there is no such file. Throws an EncryptionRefusedError for one that others can read, and for one
 * that is not whole.
 */
export function readKeyFile(file: string): Keys | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, "r");
  } catch (err) {
    if (isErrno(err, "ENOENT")) return undefined;
    throw badKeyFile(file, "it cannot be opened", err);
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw badKeyFile(file, "it is not a file");
    const mode = stat.mode & 0o777;
    if ((mode & 0o077) !== 0) {
      const octal = mode.toString(8).padStart(4, "0");
      throw badKeyFile(file, `others can use it, with mode ${octal}; run: chmod 600 "${file}"`);
    }
    return parseKeys(file, readFileSync(descriptor, "utf8"));
  } finally {
    closeSync(descriptor);
  }
}

/** Makes a file with one new key, unless there is a file already. */
export function createKeyFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  using _ = lockKeyFile(file);
  if (!existsSync(file)) writeKeyFile(file, [EncryptionKey.generate()]);
}

/** Replaces the keys by those that `change` makes of them. Returns those. */
export function changeKeyFile(file: string, change: (keys: Keys) => Keys): Keys {
  if (!existsSync(file)) {
    throw badKeyFile(file, "there is no such file; the server makes it at its first start");
  }
  using _ = lockKeyFile(file);
  const keys = readKeyFile(file);
  if (keys === undefined) throw badKeyFile(file, "it was removed meanwhile");
  const changed = change(keys);
  writeKeyFile(file, changed);
  return changed;
}

function parseKeys(file: string, text: string): Keys {
  const keys: EncryptionKey[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    try {
      keys.push(EncryptionKey.fromLine(trimmed));
    } catch (err) {
      const why = err instanceof Error ? err.message : String(err);
      throw badKeyFile(file, `line ${index + 1} is damaged: ${why}`);
    }
  }
  const [first, ...others] = keys;
  if (first === undefined) throw badKeyFile(file, "there is no key in it");
  return [first, ...others];
}

/** A key must be on disk before anything is encrypted with it. */
function writeKeyFile(file: string, keys: Keys): void {
  const unfinished = `${file}.new`;
  rmSync(unfinished, { force: true });
  const lines = keys.map((key) => `${key.toLine()}\n`);
  writeFileSync(unfinished, HEAD + lines.join(""), { mode: 0o600, flag: "wx", flush: true });
  renameSync(unfinished, file);
  syncPath(dirname(file));
}

function lockKeyFile(file: string): Disposable {
  const lock = openForLocking(`${file}.lock`);
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return { [Symbol.dispose]: () => lock.close() };
  } catch (err) {
    lock.close();
    if (sqliteCode(err) !== "busy") throw err;
    throw badKeyFile(file, "another process changes it now; try again", err);
  }
}
