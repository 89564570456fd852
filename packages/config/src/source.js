// Reads the path of one watch and compares with what it was before: a path that loses its volume,
// or turns from a file into a directory, is a loss to be told and not a new value.

import { ConfigError, messageOf } from "./config-error.js";
import { takeSnapshot } from "./snapshot.js";

/** @import { Environment } from "./environment.js" */
/** @import { Location } from "./volume.js" */

export class Source {
  #path;
  #environment;
  #wasVolume = false;
  /** @type {boolean | undefined} As of the first read, and for good. */
  #isFile;
  /** @type {Location | undefined} As of the last look; undefined when that was no volume. */
  location;

  /**
   * @param {string} path
   * @param {Pick<Environment, "now" | "pause">} environment
   */
  constructor(path, environment) {
    this.#path = path;
    this.#environment = environment;
  }

  /** Throws a ConfigError of the stage "read". */
  read() {
    try {
      const taken = this.#take();
      const isEmpty = taken.snapshot.keys.length === 0;
      if (this.#wasVolume && !taken.isVolume && isEmpty) {
        throw this.#loss("the volume is gone and its directory is empty");
      }
      this.#isFile ??= taken.isFile;
      if (this.#isFile !== taken.isFile) {
        const [before, now] = taken.isFile ? ["directory", "file"] : ["file", "directory"];
        throw this.#loss(`it was a ${before} at the start and is a ${now} now`);
      }
      this.#wasVolume = taken.isVolume;
      return taken;
    } catch (cause) {
      const refusal = { path: this.#path, version: undefined, cause };
      throw new ConfigError(messageOf(cause), { stage: "read", ...refusal });
    }
  }

  #take() {
    if (this.location !== undefined) {
      try {
        return takeSnapshot(this.#path, this.#environment, this.location);
      } catch {
        this.location = undefined; // It was there at the last look; the long way says what is wrong.
      }
    }
    return takeSnapshot(this.#path, this.#environment);
  }

  /** @param {string} why */
  #loss(why) {
    return new Error(`Cannot read "${this.#path}": ${why}`);
  }
}
