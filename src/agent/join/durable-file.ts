// Small private files that are whole or not there, also after a power cut.

import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Only its owner can read it. Synchronous on purpose: what is read from two places in one turn, such as a key and its
 * certificate, is not exchanged in between. When it returns, the file outlives a power cut.
 */
export function writeDurably(file: string, text: string): void {
  const temporary = `${file}.new`;
  const fd = openSync(temporary, "w", 0o600);
  try {
    fchmodSync(fd, 0o600); // The mode above counts only for a file that did not exist.
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, file);
  syncDirectory(dirname(file));
}

/** Does nothing if it is not there. */
export function removeDurably(file: string): void {
  rmSync(file, { force: true });
  syncDirectory(dirname(file));
}

function syncDirectory(directory: string): void {
  const fd = openSync(directory, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
