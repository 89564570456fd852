// snapshot(): tries until one attempt was undisturbed. Attempts follow each other at once at first,
// because the gap between two swaps may be shorter than any sleep.

import { resolve } from "node:path";
import { messageOf } from "./config-error.js";
import { systemEnvironment } from "./environment.js";
import { readPlain } from "./plain.js";
import { sortBytewise, versionOf } from "./version.js";
import { locate, readPinned } from "./volume.js";

/** @import { Environment } from "./environment.js" */
/** @import { Snapshot } from "./index.d.ts" */
/** @import { Content, Location } from "./volume.js" */

// A volume under a storm of swaps; a plain directory that somebody fills; a volume without `..data`,
// which is being removed or built. All of it blocks the thread, so the last two are kept short.
const patienceMs = { volume: 5000, plain: 1000, vanished: 100 };
const attemptsAtOnce = 1000;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** @implements {Snapshot} */
export class FileSnapshot {
  /** @type {ReadonlyMap<string, Buffer>} Never handed out: callers get copies. */
  #files;

  /**
   * @param {string} path
   * @param {ReadonlyMap<string, Buffer>} files
   */
  constructor(path, files) {
    this.#files = unpooled(files);
    this.path = path;
    this.version = versionOf(files);
    /** @type {readonly string[]} */
    this.keys = Object.freeze(sortBytewise(files.keys()));
    Object.freeze(this);
  }

  /** @param {string} key */
  has(key) {
    return this.#files.has(key);
  }

  /** @param {string} key */
  text(key) {
    const bytes = this.#get(key);
    try {
      return utf8.decode(bytes);
    } catch {
      // No cause: nothing of the content may travel with the error.
      throw new Error(
        `Cannot read "${key}" of "${this.path}" as text: it is not UTF-8; use bytes("${key}")`,
      );
    }
  }

  /** @param {string} key */
  bytes(key) {
    return new Uint8Array(this.#get(key));
  }

  /**
   * Whether a key has the same content in both, without copying it.
   * @param {FileSnapshot} a
   * @param {FileSnapshot} b
   * @param {string} key
   */
  static sameContent(a, b, key) {
    return a.#get(key).equals(b.#get(key));
  }

  /** @param {string} key */
  #get(key) {
    const bytes = this.#files.get(key);
    if (bytes === undefined) throw new Error(`Cannot read "${key}" of "${this.path}": no such key`);
    return bytes;
  }
}
Object.freeze(FileSnapshot.prototype);

/**
 * Small reads are slices of a pool that Node shares among all buffers, and one slice keeps all of
 * its pool in memory. A snapshot may live long, so it gets memory of its own, once for all of them.
 * @param {ReadonlyMap<string, Buffer>} files
 */
function unpooled(files) {
  const isPooled = (/** @type {Buffer} */ bytes) => bytes.buffer.byteLength > bytes.byteLength;
  let size = 0;
  for (const bytes of files.values()) if (isPooled(bytes)) size += bytes.byteLength;
  const own = Buffer.allocUnsafeSlow(size);
  /** @type {Map<string, Buffer>} */
  const result = new Map();
  let at = 0;
  for (const [key, bytes] of files) {
    if (isPooled(bytes)) {
      result.set(key, own.subarray(at, at + bytes.byteLength));
      at += bytes.copy(own, at);
    } else result.set(key, bytes);
  }
  return result;
}

/** @type {typeof import("./index.d.ts").snapshot} */
export const snapshot = (path) => takeSnapshot(path, systemEnvironment).snapshot;

/**
 * @param {string} path
 * @param {Pick<Environment, "now" | "pause">} environment
 * @param {Location} [known] Where the path is in a volume, for whoever knows: finding out costs more
 *   than reading a small file.
 */
export function takeSnapshot(path, environment, known) {
  const absolute = resolve(path);
  try {
    const location = known ?? locate(absolute);
    const { files, isFile } =
      location === undefined
        ? undisturbed(() => readPlain(absolute), patienceMs.plain, environment)
        : undisturbed(() => readPinned(location), patienceMs.volume, environment);
    return {
      snapshot: new FileSnapshot(absolute, files),
      isFile,
      isVolume: location !== undefined,
    };
  } catch (cause) {
    throw new Error(`Cannot read "${absolute}": ${reasonOf(cause, absolute)}`, { cause });
  }
}

/**
 * What the system says ends in the call and its path; the path is known already.
 * @param {unknown} cause
 * @param {string} path
 */
function reasonOf(cause, path) {
  const message = messageOf(cause);
  const ending = /, \w+ '(.*)'$/su.exec(message);
  return ending?.[1] === path ? message.slice(0, ending.index) : message;
}

/**
 * @param {() => Content | "moved" | "vanished"} attempt One look at the files, however disturbed.
 * @param {number} limitMs
 * @param {Pick<Environment, "now" | "pause">} environment
 * @returns {Content}
 */
export function undisturbed(attempt, limitMs, { now, pause }) {
  const startMs = now();
  for (let attempts = 1, vanishedMs = 0; ; attempts += 1) {
    const result = attempt();
    if (result !== "moved" && result !== "vanished") return result;
    if (result === "vanished") {
      if (vanishedMs >= patienceMs.vanished) {
        throw new Error("its ..data link is gone; the volume is being removed or built anew");
      }
      vanishedMs += 1;
      pause(1);
    } else if (attempts > attemptsAtOnce) pause(1);
    if (now() - startMs > limitMs) {
      throw new Error(
        `it changed during each of ${attempts} attempts in ${limitMs} ms; write it less often, or split it`,
      );
    }
  }
}
