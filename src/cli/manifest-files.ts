// -f: files, directories and the standard input.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { isErrno } from "../base/errors.ts";
import { CliError, misuse } from "./cli-error.ts";
import { type Manifest, manifestsOf } from "./manifest-documents.ts";
import { readAll } from "./read-all.ts";

export interface FilesAsked {
  /** Files, directories, or "-". */
  readonly filenames: readonly string[];
  /** Directories in directories too. */
  readonly isRecursive: boolean;
  readonly stdin: Readable;
}

/** In the order of their names, as kubectl does it. Throws CliError. */
export async function readManifests(asked: FilesAsked): Promise<readonly Manifest[]> {
  const { filenames, isRecursive, stdin } = asked;
  const manifests: Manifest[] = [];
  for (const name of filenames) {
    if (/^https?:\/\//.test(name)) {
      throw misuse(
        `Cannot read ${name}: addresses are not supported. Fetch it, and pass it with -f -`,
      );
    }
    if (name === "-") {
      manifests.push(...manifestsOf((await readAll(stdin)).toString("utf8"), "STDIN"));
      continue;
    }
    for (const file of filesAt(name, isRecursive)) {
      manifests.push(...manifestsOf(read(file), file));
    }
  }
  return manifests;
}

function filesAt(path: string, isRecursive: boolean): readonly string[] {
  if (!statOf(path).isDirectory()) return [path];
  const entries = readdirSync(path, { withFileTypes: true }).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  const found = entries.flatMap((entry) => {
    const file = join(path, entry.name);
    const isDirectory =
      entry.isDirectory() || (entry.isSymbolicLink() && statOf(file).isDirectory());
    if (isDirectory) return isRecursive && !entry.isSymbolicLink() ? filesAt(file, true) : [];
    return /\.(?:json|ya?ml)$/.test(entry.name) ? [file] : [];
  });
  return found;
}

function statOf(path: string): ReturnType<typeof statSync> & object {
  return told(path, () => statSync(path));
}

function read(file: string): string {
  return told(file, () => readFileSync(file, "utf8"));
}

function told<T>(path: string, look: () => T): T {
  try {
    return look();
  } catch (err) {
    if (isErrno(err, "ENOENT")) {
      throw new CliError(`the path ${JSON.stringify(path)} does not exist`, { cause: err });
    }
    throw new CliError(`Cannot read ${path}`, { cause: err });
  }
}
