// What stands where a volume would put a link, and is somebody else's. The writer of volumes puts its link in the place of whatever is there, which is right in a volume
// that is its own: it mends what was broken. An output may be any directory, though, and what it had before must not be lost.

import { lstatSync } from "node:fs";
import { dataTarget, isOurLink } from "../../files/survey.ts";

/** The first of `paths` whose place is taken. Directories are left to the writer, which never removes one. */
export function foreignFile(directory: string, paths: Iterable<string>): string | undefined {
  const names = new Set([...paths].map((path) => path.split("/", 1)[0] ?? path));
  return [...names].find((name) => isForeign(directory, name));
}

function isForeign(directory: string, name: string): boolean {
  const place = lstatSync(`${directory}/${name}`, { throwIfNoEntry: false });
  if (place === undefined || place.isDirectory() || isOurLink(directory, { name })) return false;
  // What the live version has was a link of ours, and somebody broke it.
  const target = dataTarget(directory);
  const live = target === undefined ? undefined : `${directory}/${target}/${name}`;
  return live === undefined || lstatSync(live, { throwIfNoEntry: false }) === undefined;
}
