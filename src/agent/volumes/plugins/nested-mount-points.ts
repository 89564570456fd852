// Other volumes that containers mount inside this one. It is read-only for them, so that the directories to mount on have to be
// there before.

import { lstatSync, mkdirSync } from "node:fs";
import { posix } from "node:path";
import type { Pod } from "../../../api/types.ts";
import { compareUtf8 } from "../../../base/content-version.ts";
import { isErrno } from "../../../base/errors.ts";
import { type AnyContainer, allContainers } from "../../all-containers.ts";

/** Relative to the volume. One that lies in another of them is left out: that other volume has it. */
export function nestedMountPoints(volume: string, pod: Pod): readonly string[] {
  return [...new Set(allContainers(pod).flatMap((container) => nestedIn(container, volume)))];
}

/** Nothing on the way may be a link: it would lead into a version, which goes away with the next. */
export function makeMountPoints(root: string, mountPoints: readonly string[]): void {
  for (const mountPoint of mountPoints) {
    let path = root;
    for (const name of mountPoint.split("/")) {
      path = `${path}/${name}`;
      makeDirectory(path, mountPoint);
    }
  }
}

function nestedIn({ volumeMounts }: AnyContainer, volume: string): readonly string[] {
  const mounts = (volumeMounts ?? []).map(({ name, mountPath }) => ({
    name,
    path: cleaned(mountPath),
  }));
  const all = mounts.map(({ path }) => path).toSorted(compareUtf8);
  return mounts
    .filter(({ name }) => name === volume)
    .flatMap(({ path: own }) => {
      if (own.startsWith("../")) throw new Error(`invalid container mount point ${own}`);
      const found: string[] = [];
      for (const path of all) {
        const isNested = path.startsWith(`${own}/`);
        if (isNested && !found.some((other) => path === other || path.startsWith(`${other}/`))) {
          found.push(path);
        }
      }
      return found.map((path) => path.slice(own.length + 1));
    });
}

/** Without its slash at the end, which the original's form never has. */
function cleaned(path: string): string {
  const normal = posix.normalize(path);
  return normal.length > 1 && normal.endsWith("/") ? normal.slice(0, -1) : normal;
}

function makeDirectory(path: string, mountPoint: string): void {
  try {
    mkdirSync(path, 0o755);
  } catch (cause) {
    if (isErrno(cause, "EEXIST") && lstatSync(path).isDirectory()) return;
    const why = isErrno(cause, "EEXIST")
      ? `"${mountPoint}" is in the way of a key of this volume; mount it elsewhere`
      : (cause as Error).message;
    throw new Error(`unable to create nested volume mountpoints: ${why}`, { cause });
  }
}
