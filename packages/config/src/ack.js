// The acknowledgement file: one per watch, in which an agent can read what the
// application runs on. Always replaced as a whole, so a reader never sees half of it.

import { createHash } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "./config-error.js";

/** @import { ConfigError } from "./config-error.js" */
/** @import { Environment } from "./environment.js" */

const maxReasonBytes = 1024;
// The limit of ext4, xfs, tmpfs and overlayfs.
const maxNameBytes = 255;

export class Acknowledgement {
  /** Free of others: no two watches write the same file. */
  #file;
  #temporary;
  #path;
  #environment;
  #onFailure;
  /** @type {{ version: string, at: string } | null} */
  #noticed = null;
  /** @type {{ version: string, at: string } | null} */
  #applied = null;
  /** @type {{ version: string | null, stage: string, reason: string, at: string } | null} */
  #rejected = null;
  /** @type {ConfigError | undefined} */
  #error;
  /** What the file says; "" when it was never written or the last write failed. */
  #written = "";
  #failed = false;

  /**
   * @param {object} needs
   * @param {string} needs.directory
   * @param {string} needs.path
   * @param {Pick<Environment, "date" | "pid" | "processName" | "threadId" | "claims">} needs.environment
   * @param {(message: string, cause: unknown) => void} needs.onFailure
   */
  constructor({ directory, path, environment, onFailure }) {
    this.#file = claim(directory, path, environment);
    // Writes are synchronous, so one temporary name per thread is enough, and leftovers are bounded.
    this.#temporary = join(directory, `.driftless-ack.${environment.processName}.tmp`);
    this.#path = path;
    this.#environment = environment;
    this.#onFailure = onFailure;
  }

  /**
   * To be called as soon as a version was read, before anybody judges it: an application that hangs with it has noticed it.
   * Never throws.
   * @param {string} version
   */
  notice(version) {
    if (version === this.#noticed?.version) return;
    this.#noticed = { version, at: this.#environment.date().toISOString() };
    this.#write();
  }

  /**
   * Never throws; a failure is reported once and tried again with the next call.
   * @param {string | undefined} version The version that is applied; undefined: as before.
   * @param {ConfigError | undefined} error The refusal that stands now.
   */
  record(version, error) {
    const at = this.#environment.date().toISOString();
    if (version !== undefined && version !== this.#applied?.version)
      this.#applied = { version, at };
    if (error !== this.#error) this.#rejected = error === undefined ? null : rejection(error, at);
    this.#error = error;
    this.#write();
  }

  #write() {
    const content = JSON.stringify({
      path: this.#path,
      pid: this.#environment.pid,
      noticed: this.#noticed,
      applied: this.#applied,
      rejected: this.#rejected,
    });
    if (content === this.#written) return;
    try {
      // Others may write to the directory: what they put at this name, a link or a pipe, is not written to.
      rmSync(this.#temporary, { force: true });
      writeFileSync(this.#temporary, `${content}\n`, { mode: 0o644, flag: "wx" });
      renameSync(this.#temporary, this.#file);
      this.#written = content;
      this.#failed = false;
    } catch (cause) {
      this.#written = "";
      if (!this.#failed) {
        this.#failed = true;
        this.#onFailure(
          `Cannot write the acknowledgement "${this.#file}": ${messageOf(cause)}`,
          cause,
        );
      }
    }
  }

  /** The file stays, and the next watch of the path may overwrite it. */
  release() {
    this.#environment.claims.delete(this.#file);
  }

  remove() {
    this.release();
    try {
      rmSync(this.#file, { force: true });
    } catch {
      // The directory is out of reach, as was reported when writing; the pid in the name tells that
      // the process is gone.
    }
  }
}

/**
 * @param {ConfigError} error
 * @param {string} at
 */
function rejection({ version, stage, message }, at) {
  // Cutting bytes may cut a character in two; what remains of it becomes U+FFFD and is taken off.
  const bytes = Buffer.from(message);
  const reason =
    bytes.length <= maxReasonBytes
      ? message
      : bytes
          .subarray(0, maxReasonBytes)
          .toString()
          .replace(/\ufffd$/, "");
  return { version: version ?? null, stage, reason, at };
}

/**
 * The plain name is for the first watch of a path in the main thread. Others, and all in other
 * threads, which cannot know of each other, add their thread and a number.
 * @param {string} directory
 * @param {string} path
 * @param {Pick<Environment, "pid" | "threadId" | "claims">} environment
 */
function claim(directory, path, { pid, threadId, claims }) {
  for (let number = 0; ; number += 1) {
    const isPlain = threadId === 0 && number === 0;
    const owner = isPlain ? `${pid}` : `${pid}.${threadId}-${number}`;
    const file = join(directory, nameOf(path, owner));
    if (claims.has(file)) continue;
    claims.add(file);
    return file;
  }
}

/**
 * @param {string} path
 * @param {string} owner
 */
function nameOf(path, owner) {
  const name = `${encodeURIComponent(path.toWellFormed())}.${owner}.json`;
  if (name.length <= maxNameBytes) return name;
  return `${createHash("sha256").update(path).digest("hex")}.${owner}.json`;
}
