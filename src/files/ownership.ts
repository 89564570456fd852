// Who may read a version. The rules are the kubelet's for read-only config volumes: with an fsGroup
// everything belongs to that group, files gain 0440, directories 0550 and setgid. Ours differ in
// two ways, both on purpose: a failed chown is an error (the kubelet logs it and goes on), and a
// link's owner is never changed, because in a sticky directory such as a tmpfs root the kernel lets
// nobody but the owner follow it (fs.protected_symlinks).

import type { Payload } from "./payload.ts";

/** To chown(2): leave as it is. */
export const UNCHANGED = -1;

const GROUP_FILE_BITS = 0o440;
const GROUP_DIRECTORY_BITS = 0o2550;
const DIRECTORY_MODE = 0o755;

export function fileMode(mode: number, fsGroup: number | undefined): number {
  return fsGroup === undefined ? mode : mode | GROUP_FILE_BITS;
}

/** Directories inside a volume, whatever the umask. */
export function directoryMode(fsGroup: number | undefined): number {
  return fsGroup === undefined ? DIRECTORY_MODE : DIRECTORY_MODE | GROUP_DIRECTORY_BITS;
}

/** The mode that a volume's root needs for its group, given the mode it has. */
export function rootModeForGroup(mode: number): number {
  return mode | GROUP_DIRECTORY_BITS;
}

/**
 * The version record is a hash of the contents, so it is shown to nobody who could not read all of
 * the files: a hash of a short secret can be guessed. Its owner can read it in any case: the writer has to.
 */
export function recordAccess(payload: Payload): { mode: number; uid: number | undefined } {
  const mode = payload.files.reduce((bits, file) => bits & file.mode, 0o444);
  const uid = payload.files[0]?.uid;
  const shared = payload.files.every((file) => file.uid === uid);
  return { mode: mode | 0o400, uid: shared ? uid : undefined };
}
