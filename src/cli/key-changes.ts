// What `driftless set` is told to change: key=value, key=@file, and key- to remove one.

import { readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { isErrno } from "../base/errors.ts";
import { CliError, misuse } from "./cli-error.ts";
import { readAll } from "./read-all.ts";

export interface KeyChange {
  readonly key: string;
  /** Missing: the key goes. */
  readonly value?: Uint8Array;
}

/** In the order in which they were said. Throws CliError. */
export async function readKeyChanges(
  words: readonly string[],
  stdin: Readable,
): Promise<readonly KeyChange[]> {
  const given = words.map(splitWord);
  const seen = new Set<string>();
  for (const { key } of given) {
    if (seen.has(key)) throw misuse(`the key ${JSON.stringify(key)} is named twice`);
    seen.add(key);
  }
  if (given.filter(({ text }) => text === STDIN).length > 1) {
    throw misuse("the standard input can only be read once: @- is there twice");
  }
  const changes: KeyChange[] = [];
  for (const { key, text } of given) {
    changes.push(text === undefined ? { key } : { key, value: await givenValue(text, stdin) });
  }
  return changes;
}

const STDIN = "@-";

function splitWord(word: string): { readonly key: string; readonly text?: string } {
  const equals = word.indexOf("=");
  if (equals > 0) return { key: word.slice(0, equals), text: word.slice(equals + 1) };
  if (equals < 0 && word.length > 1 && word.endsWith("-")) return { key: word.slice(0, -1) };
  // What stands behind the sign may be a secret.
  const shown = equals < 0 ? JSON.stringify(word) : "a change without a key";
  throw misuse(`Cannot understand ${shown}: say key=value, key=@file, or key- to remove one`);
}

/** "@@text" is the text "@text". */
async function givenValue(text: string, stdin: Readable): Promise<Uint8Array> {
  if (!text.startsWith("@")) return Buffer.from(text);
  if (text.startsWith("@@")) return Buffer.from(text.slice(1));
  if (text === STDIN) return readAll(stdin);
  const file = text.slice(1);
  try {
    return readFileSync(file);
  } catch (err) {
    const how = isErrno(err, "ENOENT")
      ? "there is no such file. For a text that begins with @, say @@"
      : (err as Error).message;
    throw new CliError(`Cannot read ${JSON.stringify(file)}: ${how}`, { cause: err });
  }
}
