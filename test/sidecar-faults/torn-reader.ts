// Reads what others publish until it has read each target so often and seen so many of its versions, and prints what it saw as JSON. A target with "finds"
// is read until that was found.
//
//   node torn-reader.ts '{ "targets": [{ "name", "kind", "directory", "files", "finds" }], "reads": 1000, "versions": 30 }'
//
//   set    all files in one go through snapshot() of @driftless/config: all eight must be of one version
//   files  one file after the other through plain paths: each must be there, not empty, and wholly of one version

import { readFileSync } from "node:fs";
import { snapshot } from "../../packages/config/src/index.js";
import { isOneFile, isOneVersion } from "../torn/torn-payload.ts";

export interface Target {
  readonly name: string;
  readonly kind: "files" | "set";
  readonly directory: string;
  /** Below it; for "files". */
  readonly files: readonly string[];
  readonly finds?: "empty" | "missing" | "torn";
}

export interface Seen {
  reads: number;
  versions: number;
  /** Of more than one version, or half. */
  torn: number;
  empty: number;
  missing: number;
  /** The first few. */
  readonly errors: string[];
}

export interface Task {
  readonly targets: readonly Target[];
  readonly reads: number;
  readonly versions: number;
}

const MAX_ERRORS = 5;
/** So many rounds at full speed, then a moment for whoever publishes. */
const ROUNDS = 10;
const PAUSE_MS = 1;

const { targets, reads, versions } = JSON.parse(process.argv[2] ?? "") as Task;
const seen = new Map<string, Seen>();
const last = new Map<string, string>();
const still = new Int32Array(new SharedArrayBuffer(4));

function read({ name, kind, directory, files }: Target, of: Seen): void {
  if (kind === "set") {
    const taken = snapshot(directory);
    note(name, taken.version, of);
    if (!isOneVersion(taken.keys.map((key) => taken.text(key)))) of.torn++;
    return;
  }
  const file = files[of.reads % files.length] ?? "";
  const text = readFileSync(`${directory}/${file}`, "utf8");
  note(`${name}/${file}`, text, of);
  if (text === "") of.empty++;
  else if (!isOneFile(text)) of.torn++;
}

function note(what: string, version: string, of: Seen): void {
  if (last.get(what) !== version) of.versions++;
  last.set(what, version);
}

function isDone({ finds }: Target, of: Seen): boolean {
  if (finds !== undefined) return of[finds] > 0;
  return of.reads >= reads && of.versions >= versions;
}

let left = targets;
for (let round = 1; left.length > 0; round++) {
  left = left.filter((target) => {
    const none = { reads: 0, versions: 0, torn: 0, empty: 0, missing: 0, errors: [] };
    const of: Seen = seen.get(target.name) ?? none;
    seen.set(target.name, of);
    try {
      read(target, of);
    } catch (err) {
      if ((err as NodeJS.ErrnoException).code === "ENOENT") of.missing++;
      if (of.errors.length < MAX_ERRORS) of.errors.push(String(err));
    }
    of.reads++;
    return !isDone(target, of);
  });
  if (round % ROUNDS === 0) Atomics.wait(still, 0, 0, PAUSE_MS);
}
process.stdout.write(JSON.stringify(Object.fromEntries(seen)));
