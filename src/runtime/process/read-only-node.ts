// The Node program as launchers run it. A container can come by the file that its launcher runs ("/proc/self/exe" as a command, or as the interpreter
// of a script), and as root it could write to it: that would be the machine's own program (CVE-2019-5736). Through a read-only mount nobody can.

import { execPath } from "node:process";
import { MOUNT_ATTR_NODEV } from "../../mounts/system-calls.ts";
import { readOnlyFile } from "./read-only-file.ts";

/** A path to it for programs that this process starts, and those that they start, as long as this process lives. */
export function readOnlyNode(): string {
  return readOnlyFile(execPath, { attributes: MOUNT_ATTR_NODEV });
}
