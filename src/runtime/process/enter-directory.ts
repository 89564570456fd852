// The working directory of a container's program, which the launcher enters while it still has the agent's rights. Links are the container's to make, and
// those in /proc that stand for files of another process or thread would lead out of the container with such rights (CVE-2024-21626).

import { constants } from "node:fs";
import {
  AT_FDCWD,
  fchdir,
  O_PATH,
  openat2,
  RESOLVE_NO_MAGICLINKS,
} from "../../mounts/system-calls.ts";

/** Throws ELOOP for such links, and whatever else chdir would. */
export function enterDirectory(path: string): void {
  using directory = openat2({
    dir: AT_FDCWD,
    path,
    flags: O_PATH | constants.O_DIRECTORY,
    resolve: RESOLVE_NO_MAGICLINKS,
  });
  fchdir(directory);
}
