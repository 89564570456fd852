// Which files are meant by names on the command line: files themselves, and in directories whatever may hold manifests.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe } from "../../base/errors.ts";
import { ManifestError } from "./manifest-file.ts";

export interface FoundFile {
  readonly name: string;
  readonly text: string;
}

/** Through all directories below, but for hidden ones and what package managers fill. Throws ManifestError. */
export function findFiles(name: string): readonly FoundFile[] {
  return told(name, () => {
    if (!statSync(name).isDirectory()) return [{ name, text: textOf(name, readFileSync(name)) }];
    return below(name).flatMap((file) => {
      const bytes = readFileSync(file);
      return mayBeManifest(bytes.toString()) ? [{ name: file, text: textOf(file, bytes) }] : [];
    });
  });
}

/** To the letter: what is replaced in it is written back whole. */
function textOf(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (err) {
    throw new ManifestError(`${name}: it is not UTF-8, which manifests have to be`, { cause: err });
  }
}

function below(directory: string): readonly string[] {
  const entries = readdirSync(directory, { withFileTypes: true });
  return entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return isSkipped(entry.name) ? [] : below(path);
      return entry.isFile() && /\.(?:json|ya?ml)$/.test(entry.name) ? [path] : [];
    });
}

function isSkipped(name: string): boolean {
  return name.startsWith(".") || name === "node_modules" || name === "vendor";
}

/** Directories hold other YAML as well, some of it with templates in it. */
function mayBeManifest(text: string): boolean {
  return /^\s*[-{]*\s*"?apiVersion"?\s*:/m.test(text) && /"?kind"?\s*:/.test(text);
}

function told<T>(name: string, look: () => T): T {
  try {
    return look();
  } catch (err) {
    if (err instanceof ManifestError) throw err;
    throw new ManifestError(`${name}: it cannot be read: ${describe(err)}`, { cause: err });
  }
}
