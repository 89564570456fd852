// The mounts that this process sees, but for those of other tests, which come and go beside this one.

import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";

/** Mount points, sorted; of those below the directory for temporary files only the ones below `own`. */
export function mountsSeen(own: readonly string[]): readonly string[] {
  const isOthers = (path: string): boolean =>
    (path.startsWith(`${tmpdir()}/`) || path.startsWith("/run/netns/")) &&
    !own.some((directory) => path.startsWith(directory));
  return readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "")
    .filter((path) => path !== "" && !isOthers(path))
    .sort();
}
