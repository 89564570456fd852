// Keeps the file watchers of one watch where they belong. A watcher sticks to an inode, not to a
// path: when another directory appears under the same path, the old watcher is deaf and is replaced.

import { statSync } from "node:fs";
import { basename } from "node:path";
import { messageOf } from "./config-error.js";
import { inodeOf } from "./plain.js";
import { codeOf } from "./volume.js";

/** @import { Environment } from "./environment.js" */
/** @import { Place } from "./survey.js" */

export class FileEvents {
  /** @type {Map<string, { inode: string, names: Set<string> | undefined, close: () => void }>} */
  #watchers = new Map();
  #environment;
  #onEvent;
  #onFailure;
  /** True while some place could not be watched: events are then missing and polling has to do. */
  isDegraded = false;

  /**
   * @param {object} needs
   * @param {Pick<Environment, "watch">} needs.environment
   * @param {(name: string | null) => void} needs.onEvent
   * @param {(message: string, cause: unknown) => void} needs.onFailure Once per loss, not per try.
   */
  constructor({ environment, onEvent, onFailure }) {
    this.#environment = environment;
    this.#onEvent = onEvent;
    this.#onFailure = onFailure;
  }

  /**
   * Watches exactly these places.
   * @param {readonly Place[]} places
   * @returns {boolean} true when a watcher is new: what happened before it is unknown, look again
   */
  arm(places) {
    const wanted = merge(places);
    for (const [path, { close }] of this.#watchers) {
      if (wanted.has(path)) continue;
      close();
      this.#watchers.delete(path);
    }
    let isNew = false;
    /** @type {unknown} */
    let failure;
    for (const [path, names] of wanted) {
      try {
        isNew = this.#watch(path, names) || isNew;
      } catch (cause) {
        failure ??= cause;
      }
    }
    if (failure === undefined) this.isDegraded = false;
    else this.#degrade(failure);
    return isNew;
  }

  close() {
    for (const { close } of this.#watchers.values()) close();
    this.#watchers.clear();
  }

  /**
   * @param {string} path
   * @param {Set<string> | undefined} names
   */
  #watch(path, names) {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    const inode = stats === undefined ? "" : inodeOf(stats);
    const present = this.#watchers.get(path);
    if (present !== undefined && present.inode === inode) {
      present.names = names;
      return false;
    }
    present?.close();
    this.#watchers.delete(path);
    if (stats === undefined) return true;

    const watcher = { inode, names, close: () => {} };
    try {
      watcher.close = this.#environment.watch(path, {
        event: (name) => {
          // About the place itself, and perhaps the last: it was moved or removed. What is there
          // next may even have the same inode number, so the watcher is put up anew in any case.
          if (name === basename(path)) watcher.inode = "";
          if (name === null || watcher.names === undefined || watcher.names.has(name)) {
            this.#onEvent(name);
          }
        },
        error: (cause) => {
          watcher.close();
          if (this.#watchers.get(path) === watcher) this.#watchers.delete(path);
          this.#degrade(cause);
        },
      });
    } catch (cause) {
      if (codeOf(cause) === "ENOENT") return true; // Gone since the stat: not a lack of watchers.
      throw cause;
    }
    this.#watchers.set(path, watcher);
    return true;
  }

  /** @param {unknown} cause */
  #degrade(cause) {
    if (this.isDegraded) return;
    this.isDegraded = true;
    const code = codeOf(cause);
    const advice =
      code === "ENOSPC" || code === "EMFILE"
        ? "raise fs.inotify.max_user_watches and fs.inotify.max_user_instances; "
        : "";
    this.#onFailure(
      `Cannot watch for file events: ${messageOf(cause)}; ${advice}polling every second instead`,
      cause,
    );
  }
}

/** @param {readonly Place[]} places */
function merge(places) {
  /** @type {Map<string, Set<string> | undefined>} */
  const merged = new Map();
  for (const { path, names } of places) {
    const known = merged.get(path);
    const all = names === undefined || (merged.has(path) && known === undefined);
    merged.set(path, all ? undefined : new Set([...(known ?? []), ...(names ?? [])]));
  }
  return merged;
}
