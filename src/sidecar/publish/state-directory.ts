// What a sidecar knows beyond its own life: the last set that passed the gate, and whom it has told of which. Private to it, because the set may have
// secrets; every file is whole, or the one before.

import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { isErrno } from "../../base/errors.ts";
import type { Candidate } from "../publisher.ts";
import { ensureDirectory } from "./ensure-directory.ts";
import { formatSet, parseSet } from "./kept-set.ts";
import { replaceFile } from "./replace-file.ts";

/** Which version was told, and by which of the actions, named by what they do. */
export interface Told {
  readonly version: string;
  readonly done: readonly string[];
}

/** In an output: a name that readers of volumes leave alone. */
const INSIDE = "..driftless";
/** What is left of a gate that was killed with us. */
const SCRATCH = "candidate-";

/** A private directory, which goes when it is disposed. */
export interface Scratch extends Disposable {
  readonly path: string;
}

export function scratchIn(parent: string): Scratch {
  const path = mkdtempSync(join(parent, SCRATCH));
  return { path, [Symbol.dispose]: () => removeQuietly(path) };
}

/** What cannot be removed is no reason to end: the next life tries again. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // A disk that is broken says so with what is kept on it.
  }
}

export class StateDirectory {
  readonly #given: string;

  constructor(path: string) {
    this.#given = path;
  }

  /** Where it is, once it was opened. */
  get path(): string {
    return privateIn(this.#given);
  }

  /** Makes it, and sweeps what an earlier life left. Throws if it cannot be had. */
  open(): void {
    ensureDirectory(this.#given, 0o700);
    const { path } = this;
    ensureDirectory(path, 0o700);
    // What others have put there cannot be trusted. A link at a place that we were given is the giver's; one in the output, whoever can write there has put.
    const { uid, mode } = statSync(path);
    const isGiven = path === this.#given && !basename(path).startsWith(INSIDE);
    const isLink = !isGiven && lstatSync(path).isSymbolicLink();
    if (isLink || uid !== ownUser()) {
      throw new Error(isLink ? `${path} is a link` : `${path} belongs to user ${uid}`);
    }
    // There are secrets in it.
    if ((mode & 0o077) !== 0) chmodSync(path, 0o700);
    for (const name of readdirSync(path)) {
      if (name.startsWith(SCRATCH) || name.endsWith(".new")) {
        rmSync(join(path, name), { recursive: true, force: true });
      }
    }
  }

  /** The last good set; undefined if there is none, or none that is whole. */
  readGood(): Candidate | undefined {
    const bytes = this.#read("good");
    return bytes === undefined ? undefined : parseSet(bytes);
  }

  writeGood(candidate: Candidate): void {
    replaceFile(join(this.path, "good"), formatSet(candidate), { mode: 0o600 });
  }

  readTold(): Told | undefined {
    try {
      const told: unknown = JSON.parse(this.#read("told")?.toString() ?? "null");
      return isTold(told) ? told : undefined;
    } catch {
      return undefined; // Then nobody knows, and telling once more does no harm.
    }
  }

  /** When it throws, what was noted before is gone, too: it would be wrong once the version that it names comes back. */
  writeTold({ version, done }: Told): void {
    const text = `${JSON.stringify({ version, done })}\n`;
    const path = join(this.path, "told");
    try {
      replaceFile(path, [Buffer.from(text)], { mode: 0o600 });
    } catch (err) {
      rmSync(path, { force: true });
      throw err;
    }
  }

  scratch(): Scratch {
    return scratchIn(this.path);
  }

  #read(name: string): Buffer | undefined {
    try {
      return readFileSync(join(this.path, name));
    } catch (err) {
      if (isErrno(err, "ENOENT")) return undefined;
      throw err;
    }
  }
}

/**
 * Beside the output where that lives as long as the output does. An output that is a mount of its own usually outlives what it is mounted into, such as an
 * emptyDir a container's file system: then inside it, under a name that readers of volumes leave alone.
 */
export function defaultStateDirectory(output: string): string {
  const parent = dirname(output);
  const inside = join(output, INSIDE);
  try {
    accessSync(parent, constants.W_OK | constants.X_OK);
    const of = statSync(output, { throwIfNoEntry: false });
    const isMount = of !== undefined && of.dev !== statSync(parent).dev;
    return isMount ? inside : join(parent, `.${basename(output)}.driftless`);
  } catch {
    return inside;
  }
}

/** The list of files outside of the output. */
export function outsideManifestIn(stateDirectory: string): string {
  return join(privateIn(stateDirectory), "outside");
}

/** A directory that is somebody else's, such as the root of a mount, has ours in it: nobody else may choose what is kept. */
function privateIn(path: string): string {
  const uid = statSync(path, { throwIfNoEntry: false })?.uid;
  return uid === undefined || uid === ownUser() ? path : join(path, "driftless");
}

function ownUser(): number {
  return process.geteuid?.() ?? 0;
}

function isTold(value: unknown): value is Told {
  if (typeof value !== "object" || value === null) return false;
  const { version, done } = value as Record<string, unknown>;
  return (
    typeof version === "string" &&
    Array.isArray(done) &&
    done.every((one) => typeof one === "string")
  );
}
