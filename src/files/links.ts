// The links in a volume's root that people and programs open: `app.yaml -> ..data/app.yaml`.

import { lchownSync, lstatSync, renameSync, symlinkSync, unlinkSync } from "node:fs";
import { isErrno } from "../base/errors.ts";
import { DATA_LINK, LINK_TMP } from "./layout.ts";
import { UNCHANGED } from "./ownership.ts";
import { isOurLink, type LinkWork } from "./survey.ts";
import { WriteError } from "./write-error.ts";

/** A symbolic link that belongs to the volume's group, if it has one. */
export function makeLink(path: string, target: string, fsGroup: number | undefined): void {
  symlinkSync(target, path);
  if (fsGroup === undefined) return;
  try {
    lchownSync(path, UNCHANGED, fsGroup);
  } catch (err) {
    unlinkSync(path);
    throw err;
  }
}

/**
 * Creates what is missing and replaces what is wrong. Throws a WriteError naming the first that fails;
 * `made` has the names that were made by then.
 */
export function makeLinks(
  work: LinkWork,
  volume: { readonly directory: string; readonly fsGroup: number | undefined },
  made: string[] = [],
): void {
  const { directory, fsGroup } = volume;
  const attempt = (name: string, act: (path: string, target: string) => void): void => {
    try {
      act(`${directory}/${name}`, `${DATA_LINK}/${name}`);
      made.push(name);
    } catch (cause) {
      throw WriteError.from({ directory, path: name }, cause);
    }
  };
  for (const name of work.create) {
    attempt(name, (path, target) => {
      try {
        makeLink(path, target, fsGroup);
      } catch (err) {
        if (!isErrno(err, "EEXIST") || !isOurLink(directory, { name })) throw err;
      }
    });
  }
  for (const name of work.replace) {
    attempt(name, (path, target) => {
      // By rename, so that the name is never missing.
      const tmp = `${directory}/${LINK_TMP}`;
      makeLink(tmp, target, fsGroup);
      try {
        renameSync(tmp, path);
      } catch (err) {
        unlinkQuietly(tmp);
        throw err;
      }
    });
  }
}

/** After `..data` went back: of the links that were made, those to keys that it does not have go again. */
export function undoLinks(directory: string, made: readonly string[]): void {
  for (const name of made) {
    try {
      const kept = lstatSync(`${directory}/${DATA_LINK}/${name}`, { throwIfNoEntry: false });
      if (kept === undefined && isOurLink(directory, { name })) unlinkSync(`${directory}/${name}`);
    } catch {
      // The write already fails with its own error; the next one mends the links.
    }
  }
}

/** For temporary links: what cannot be removed is swept by the next write. */
export function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already, or the next write's to sweep.
  }
}

/** Removes links; returns those that could not be removed, with why. One that is gone already is fine. */
export function removeLinks(directory: string, names: readonly string[]): WriteError[] {
  const failed: WriteError[] = [];
  for (const name of names) {
    try {
      unlinkSync(`${directory}/${name}`);
    } catch (cause) {
      if (!isErrno(cause, "ENOENT")) failed.push(WriteError.from({ directory, path: name }, cause));
    }
  }
  return failed;
}
