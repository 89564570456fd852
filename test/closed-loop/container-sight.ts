// What a container really has, seen from outside through /proc by whoever asks: its files as its own mounts show them, the environment and the command
// line that its first process was started with.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { isErrno } from "../../src/base/errors.ts";
import type { DeclaredUse, Sight } from "./config-users.ts";

/** By key. */
export type Content = ReadonlyMap<string, string>;

/** The process that a pid is now, by when it began; undefined if there is none, or only what is left of one. */
export function lifeOf(pid: number): string | undefined {
  try {
    // One that ends lets go of its files first, and is no zombie before all others of its namespace are gone.
    readlinkSync(`/proc/${pid}/root`);
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" || state === "X" ? undefined : `${pid} ${rest[18]}`;
  } catch {
    return undefined;
  }
}

/** Undefined if it changed while it was looked at. */
export function sightOf(pid: number, { object, sight }: DeclaredUse): Content | undefined {
  const root = `/proc/${pid}/root`;
  switch (sight.in) {
    case "file":
      return new Map(present([[sight.key, readOrNothing(root + sight.path)]]));
    case "files":
      return filesSeen(root + sight.path, sight.files ?? object);
    case "environ":
      return variablesSeen(words(`/proc/${pid}/environ`), sight);
    case "cmdline": {
      const all = words(`/proc/${pid}/cmdline`);
      return new Map(present([[sight.key, all[all.indexOf(sight.after) + 1]]]));
    }
  }
}

function filesSeen(
  path: string,
  wanted: Readonly<Record<string, string>> | string,
): Content | undefined {
  const before = readlinkSync(`${path}/..data`);
  const files =
    typeof wanted === "string"
      ? namesIn(path)
          .filter((name) => name.startsWith(`${wanted}_`))
          .map((name) => [name, name] as const)
      : Object.entries(wanted);
  const found = present(files.map(([file, key]) => [key, readOrNothing(`${path}/${file}`)]));
  return readlinkSync(`${path}/..data`) === before ? new Map(found) : undefined;
}

function namesIn(path: string): readonly string[] {
  return readdirSync(path).filter((name) => !name.startsWith(".."));
}

function variablesSeen(
  environ: readonly string[],
  sight: Sight & { readonly in: "environ" },
): Content {
  const all = environ.map((one): readonly [string, string] => {
    const at = one.indexOf("=");
    return [one.slice(0, at), one.slice(at + 1)];
  });
  if ("prefix" in sight) {
    const { prefix } = sight;
    const own = all.filter(([name]) => name.startsWith(prefix));
    return new Map(own.map(([name, value]) => [name.slice(prefix.length), value]));
  }
  const values = new Map(all);
  return new Map(
    present(Object.entries(sight.variables).map(([name, key]) => [key, values.get(name)])),
  );
}

function words(file: string): readonly string[] {
  return readFileSync(file, "utf8").split("\0");
}

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (err) {
    // A directory is what is mounted in place of a key that was not there.
    if (isErrno(err, "ENOENT") || isErrno(err, "EISDIR")) return undefined;
    throw err;
  }
}

function present(
  all: readonly (readonly [string, string | undefined])[],
): readonly (readonly [string, string])[] {
  return all.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
}
