// A volume's directory, the tmpfs over it if it has one, and the marker that says that it was whole once. Shared by everything that
// the agent makes volumes of.

import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Mounts, TmpfsOptions } from "../../../mounts/mounts.ts";
import { removeTree } from "../../../mounts/remove-tree.ts";
import type { AgentPaths, VolumePlace } from "../../agent-paths.ts";
import { removeIfEmpty } from "../../remove-if-empty.ts";

export interface VolumeDirectoryParts {
  readonly paths: AgentPaths;
  readonly mounts: Mounts;
}

/** Whether the marker says so and what it speaks of is there: after a restart of the machine a tmpfs is not. */
export function isWhole(
  place: VolumePlace,
  { paths, mounts }: VolumeDirectoryParts,
  { inMemory }: { readonly inMemory: boolean },
): boolean {
  if (!existsSync(paths.readyMarker(place))) return false;
  const path = paths.volume(place);
  return inMemory ? isTmpfs(path, mounts) : isDirectory(path);
}

/** Makes what is missing. Only root gets as far as the volume itself: containers have it mounted. */
export function makeVolumeDirectory(
  place: VolumePlace,
  { paths, mounts }: VolumeDirectoryParts,
  { mode, tmpfs }: { readonly mode: number; readonly tmpfs: TmpfsOptions | undefined },
): void {
  const path = paths.volume(place);
  mkdirSync(dirname(path), { recursive: true, mode: 0o750 });
  mkdirSync(path, { recursive: true });
  if (tmpfs === undefined) {
    chmodSync(path, mode); // mkdir obeys the umask.
  } else if (!isTmpfs(path, mounts)) {
    mounts.tmpfs(path, tmpfs);
  }
}

export function markReady(place: VolumePlace, { paths }: VolumeDirectoryParts): void {
  const marker = paths.readyMarker(place);
  mkdirSync(dirname(marker), { recursive: true, mode: 0o750 });
  writeFileSync(marker, "");
}

/**
 * Removes a volume by its place alone; does nothing if it is not there. Containers that still use its tmpfs keep it. Nothing is
 * removed while something that is not ours is mounted in it: that would be removed too.
 */
export async function removeVolume(
  place: VolumePlace,
  { paths, mounts }: VolumeDirectoryParts,
): Promise<void> {
  const path = paths.volume(place);
  const mounted = mounts.below(path);
  const foreign = mounted.find((mount) => mount.path !== path || mount.fsType !== "tmpfs");
  if (foreign !== undefined) {
    throw new Error(
      `Cannot remove volume "${path}": "${foreign.path}" is a mount point that the agent did not make; unmount it`,
    );
  }
  // The marker first: what is half removed must not count as whole.
  const marker = dirname(paths.readyMarker(place));
  rmSync(marker, { recursive: true, force: true });
  for (const { path: target } of mounted) mounts.unmount(target);
  await removeTree(path);
  removeIfEmpty(dirname(path));
  removeIfEmpty(dirname(marker));
}

function isTmpfs(path: string, mounts: Mounts): boolean {
  return mounts.at(path)?.fsType === "tmpfs";
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
