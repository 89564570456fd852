// Making and unmaking one version: a directory that nobody sees until `..data` points to it.

import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { isErrno } from "../base/errors.ts";
import { VERSION_FILE } from "./layout.ts";
import { directoryMode, fileMode, recordAccess, UNCHANGED } from "./ownership.ts";
import type { Payload, ProjectedFile } from "./payload.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import { formatVersionRecord } from "./version-record.ts";
import { WriteError } from "./write-error.ts";

export interface VersionDirectory {
  /** The volume. */
  readonly directory: string;
  /** Of the version, below the volume. Must not exist yet. */
  readonly name: string;
  readonly payload: Payload;
  readonly fsGroup: number | undefined;
  readonly durable: boolean;
  readonly writer: ProcessIdentity;
}

// O_EXCL: the directory is ours alone, so a file that is there already is somebody else at work.
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/**
 * Writes the whole payload, then its record. With `durable`, everything is on stable storage when
 * this returns, except the entry in the volume's root. When it throws, nothing is left behind.
 */
export function createVersion(version: VersionDirectory): void {
  const root = `${version.directory}/${version.name}`;
  try {
    mkdirSync(root, directoryMode(undefined));
  } catch (cause) {
    throw WriteError.from({ directory: version.directory, path: version.name }, cause);
  }
  try {
    setDirectoryAccess(root, version.name, version);
    for (const directory of version.payload.directories) makeDirectory(root, directory, version);
    for (const file of version.payload.files) writeFile(root, file.path, file, version);
    writeFile(root, VERSION_FILE, recordFile(version), version);
    if (version.durable) {
      for (const directory of version.payload.directories) {
        syncDirectory(version.directory, `${version.name}/${directory}`);
      }
      syncDirectory(version.directory, version.name);
    }
  } catch (err) {
    discardVersion(root, version.payload);
    throw err;
  }
}

/**
 * Removes what createVersion made or began to make. By name and not by listing, because listing
 * needs a file descriptor, and the lack of one may be what went wrong. Throws nothing: what it
 * cannot remove is swept by the next write.
 */
export function discardVersion(root: string, payload: Payload): void {
  try {
    for (const { path } of payload.files) ignoreMissing(() => unlinkSync(`${root}/${path}`));
    ignoreMissing(() => unlinkSync(`${root}/${VERSION_FILE}`));
    for (const path of payload.directories.toReversed()) {
      ignoreMissing(() => rmdirSync(`${root}/${path}`));
    }
    rmdirSync(root);
  } catch {
    // The error that brought us here is the one to report; the next write sweeps the rest.
  }
}

/** Makes the entries of a directory below the volume survive a power cut; "" for its root. */
export function syncDirectory(directory: string, path: string): void {
  try {
    const fd = openSync(`${directory}/${path}`, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (cause) {
    throw WriteError.from({ directory, path }, cause);
  }
}

function recordFile(version: VersionDirectory): ProjectedFile {
  const record = formatVersionRecord({
    version: version.payload.version,
    writer: version.writer,
  });
  return { data: Buffer.from(record), ...recordAccess(version.payload) };
}

function makeDirectory(root: string, path: string, version: VersionDirectory): void {
  try {
    mkdirSync(`${root}/${path}`, directoryMode(undefined));
  } catch (cause) {
    throw WriteError.from({ directory: version.directory, path }, cause);
  }
  setDirectoryAccess(`${root}/${path}`, path, version);
}

/** After mkdir, which obeys the umask; chmod does not. */
function setDirectoryAccess(full: string, path: string, version: VersionDirectory): void {
  try {
    const mode = directoryMode(version.fsGroup);
    if (version.fsGroup !== undefined) lchownSync(full, UNCHANGED, version.fsGroup);
    chmodSync(full, mode);
    // Without CAP_FSETID the kernel drops the setgid bit and says nothing.
    if (version.fsGroup !== undefined && (lstatSync(full).mode & 0o7777) !== mode) {
      throw new Error("the setgid bit for the volume's group does not stick; run with CAP_FSETID");
    }
  } catch (cause) {
    throw WriteError.from({ directory: version.directory, path }, cause);
  }
}

function writeFile(
  root: string,
  path: string,
  file: ProjectedFile,
  version: VersionDirectory,
): void {
  try {
    const fd = openSync(`${root}/${path}`, CREATE, 0o600);
    try {
      writeAll(fd, file.data);
      // Owner first: chown clears bits that chmod then sets.
      const gid = version.fsGroup ?? file.gid;
      if (file.uid !== undefined || gid !== undefined) {
        fchownSync(fd, file.uid ?? UNCHANGED, gid ?? UNCHANGED);
      }
      fchmodSync(fd, fileMode(file.mode, version.fsGroup));
      if (version.durable) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (cause) {
    throw WriteError.from({ directory: version.directory, path }, cause);
  }
}

function writeAll(fd: number, data: Uint8Array): void {
  for (let done = 0; done < data.length; ) done += writeSync(fd, data, done);
}

function ignoreMissing(remove: () => void): void {
  try {
    remove();
  } catch (err) {
    if (!isErrno(err, "ENOENT", "ENOTDIR")) throw err;
  }
}
