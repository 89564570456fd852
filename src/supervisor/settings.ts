// What a program runs with, as one value: variables from live sources and the files of watched directories. Versions are of the content, so that
// what came and went is no change.

import { compareUtf8, versionOf } from "../base/content-version.ts";

export type Files = ReadonlyMap<string, Uint8Array>;

export interface Settings {
  readonly variables: ReadonlyMap<string, string>;
  /** Of each directory that variables come from, by its path. */
  readonly environment: ReadonlyMap<string, Files>;
  /** Of each watched place, by its path. */
  readonly directories: ReadonlyMap<string, Files>;
  /** Of the variables: the program has to be started anew for other ones. */
  readonly environmentVersion: string;
  /** Of the directories: the program may be able to read them again. */
  readonly filesVersion: string;
  /** Of both. */
  readonly version: string;
}

export function settingsOf(
  parts: Pick<Settings, "variables" | "environment" | "directories">,
): Settings {
  const environmentVersion = versionOfFiles(
    new Map([...parts.variables].map(([name, value]) => [name, Buffer.from(value)])),
  );
  const filesVersion = versionOfFiles(
    new Map(
      [...parts.directories].flatMap(([directory, files]) =>
        [...files].map(([name, data]) => [`${directory}\0${name}`, data]),
      ),
    ),
  );
  const version = versionOfFiles(
    new Map([
      ["environment", Buffer.from(environmentVersion)],
      ["files", Buffer.from(filesVersion)],
    ]),
  );
  return { ...parts, environmentVersion, filesVersion, version };
}

/** The variables of one and the files of another. */
export function mixed(
  { variables, environment }: Settings,
  { directories }: Pick<Settings, "directories">,
): Settings {
  return settingsOf({ variables, environment, directories });
}

/** As @driftless/config and a node's agent number what is in a directory. */
export function versionOfFiles(files: Files): string {
  const sorted = [...files].toSorted(([a], [b]) => compareUtf8(a, b));
  return versionOf(sorted.map(([path, data]) => ({ path, data })));
}

/** Names of what differs, never values: "A" for variables, "/etc/app/conf" for files. */
export function changesBetween(before: Settings, after: Settings): readonly string[] {
  return [
    ...differing(before.variables, after.variables, (a, b) => a === b),
    ...[...after.directories].flatMap(([path, files]) =>
      differing(before.directories.get(path) ?? new Map(), files, isSameData).map((name) =>
        path.endsWith(`/${name}`) ? path : `${path}/${name}`,
      ),
    ),
  ];
}

function differing<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  isSame: (one: T, other: T) => boolean,
): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => {
    const [one, other] = [before.get(name), after.get(name)];
    return one === undefined || other === undefined || !isSame(one, other);
  });
}

function isSameData(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
