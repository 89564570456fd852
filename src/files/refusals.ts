// What a writer refuses before it touches anything, each with a message that says what to do.

import { DATA_LINK } from "./layout.ts";
import type { Payload } from "./payload.ts";
import { isAnotherLiving, type ProcessIdentity } from "./process-identity.ts";
import type { Survey } from "./survey.ts";
import { readVersionRecord } from "./version-record.ts";
import { WriteError } from "./write-error.ts";

/** PATH_MAX without its NUL. */
const MAX_PATH_BYTES = 4095;
const VERSION_PATH_BYTES = "/..2026_08_20_18_59_46.4294967295/".length;

/** A path that is legal by itself may be too long for the kernel below a deep directory. */
export function refuseLongPaths(directory: string, payload: Payload): void {
  const room = MAX_PATH_BYTES - Buffer.byteLength(directory) - VERSION_PATH_BYTES;
  const long = payload.files.find(({ path }) => Buffer.byteLength(path) > room);
  if (long === undefined) return;
  throw new WriteError(
    { directory, path: long.path.slice(0, 60) },
    `the path of ${Buffer.byteLength(long.path)} bytes is too long for the system below this directory; ${room} bytes are left`,
  );
}

export function refuseObstacles(directory: string, seen: Survey): void {
  const [obstacle] = seen.obstacles;
  if (obstacle === undefined) return;
  const what = obstacle === DATA_LINK ? "the link to the version" : "the key of that name";
  throw new WriteError(
    { directory, path: obstacle },
    `a directory is in the way of ${what}; it may be somebody's mount point, so remove it yourself`,
  );
}

export function refuseLivingWriter(
  directory: string,
  leftovers: readonly string[],
  self: ProcessIdentity,
): void {
  for (const name of leftovers) {
    const writer = readVersionRecord(`${directory}/${name}`)?.writer;
    if (writer !== undefined && isAnotherLiving(writer, self)) {
      throw new WriteError(
        { directory, path: name },
        `process ${writer.pid} is writing this volume too; a volume has one writer, so stop one of them`,
      );
    }
  }
}
