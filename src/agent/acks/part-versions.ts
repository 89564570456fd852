// A program may watch one file of a volume, or a directory in it, or what a subPath shows; then the versions that it names are of that part.
// For whoever asks whether it has the volume's newest content, they are put back into versions of the volume here.

import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { compareUtf8, versionOf } from "../../base/content-version.ts";
import { isPlainName } from "../../files/layout.ts";
import { dataTarget } from "../../files/survey.ts";
import { readVersionRecord } from "../../files/version-record.ts";

export interface VolumePart {
  /** The volume's directory. */
  readonly root: string;
  /** Below a version's directory: "app.json", "certs/ca". Never "". */
  readonly inner: string;
  /** As the program sees it; a single file is known by this path's last name. */
  readonly seenAt: string;
}

interface KnownVersion {
  readonly part: string;
  readonly whole: string;
}

/** A program that is further behind than this is behind. */
const MAX_KNOWN = 8;
const MAX_ATTEMPTS = 5;

export class PartVersions {
  /** By part, the newest last. */
  readonly #known = new Map<string, readonly KnownVersion[]>();

  /** What the volume shows there now is remembered. To be called whenever that may have changed. */
  look(part: VolumePart): void {
    const now = readPart(part);
    if (now === undefined) return;
    const key = keyOf(part);
    const others = (this.#known.get(key) ?? []).filter(({ whole }) => whole !== now.whole);
    this.#known.set(key, [...others, now].slice(-MAX_KNOWN));
  }

  /** The newest of the volume's versions that has this there; undefined if none is known. */
  wholeOf(part: VolumePart, version: string): string | undefined {
    const known = this.#known.get(keyOf(part));
    if (known === undefined) this.look(part);
    return this.#known.get(keyOf(part))?.findLast((one) => one.part === version)?.whole;
  }

  /** Nobody asks for parts of this volume any more. */
  forget(root: string): void {
    for (const key of this.#known.keys()) {
      if (key.startsWith(`${root}\0`)) this.#known.delete(key);
    }
  }
}

function keyOf({ root, inner, seenAt }: VolumePart): string {
  return [root, inner, basename(seenAt)].join("\0");
}

/** Undefined: there is nothing, or no whole version can be had of it now. */
function readPart({ root, inner, seenAt }: VolumePart): KnownVersion | undefined {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const target = dataTarget(root);
    if (target === undefined || !isPlainName(target)) return undefined;
    const directory = `${root}/${target}`;
    const whole = readVersionRecord(directory)?.version;
    const part = whole === undefined ? undefined : versionBelow(`${directory}/${inner}`, seenAt);
    // Only an unturned link proves that nothing was removed meanwhile.
    if (dataTarget(root) !== target) continue;
    return whole === undefined || part === undefined ? undefined : { part, whole };
  }
  return undefined;
}

function versionBelow(path: string, seenAt: string): string | undefined {
  try {
    if (lstatSync(path).isFile()) {
      return versionOf([{ path: basename(seenAt), data: readFileSync(path) }]);
    }
    const files = readdirSync(path, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => {
        const full = `${parentPath}/${name}`;
        return { path: full.slice(path.length + 1), data: readFileSync(full) };
      });
    return versionOf(files.toSorted((a, b) => compareUtf8(a.path, b.path)));
  } catch {
    return undefined; // A key that is gone, or a version that is being removed.
  }
}
