// The links in a volume's root that people and programs open: `app.yaml -> ..data/app.yaml`.

import { lchownSync, lstatSync, renameSync, symlinkSync, unlinkSync } from "node:fs";
import { isErrno } from "../base/errors.ts";
import { DATA_LINK, LINK_TMP } from "./layout.ts";
import { UNCHANGED } from "./ownership.ts";
import type { LinkWork } from "./survey.ts";
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

/** Creates what is missing and replaces what is wrong. Throws a WriteError naming the first that fails. */
export function makeLinks(directory: string, work: LinkWork, fsGroup: number | undefined): void {
  for (const name of work.create) {
    try {
      makeLink(`${directory}/${name}`, `${DATA_LINK}/${name}`, fsGroup);
    } catch (cause) {
      throw WriteError.from({ directory, path: name }, cause);
    }
  }
  for (const name of work.replace) {
    try {
      // By rename, so that the name is never missing.
      makeLink(`${directory}/${LINK_TMP}`, `${DATA_LINK}/${name}`, fsGroup);
      renameSync(`${directory}/${LINK_TMP}`, `${directory}/${name}`);
    } catch (cause) {
      throw WriteError.from({ directory, path: name }, cause);
    }
  }
}

/** After `..data` went back: links to keys that the version it shows now does not have are removed. */
export function undoLinks(directory: string, work: LinkWork): void {
  const removeQuietly = (path: string): void => {
    try {
      unlinkSync(path);
    } catch {
      // The write already fails with its own error; the next one mends the links.
    }
  };
  removeQuietly(`${directory}/${LINK_TMP}`);
  for (const name of [...work.create, ...work.replace]) {
    const kept = lstatSync(`${directory}/${DATA_LINK}/${name}`, { throwIfNoEntry: false });
    if (kept === undefined) removeQuietly(`${directory}/${name}`);
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
