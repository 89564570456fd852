// One reader of a watch. It holds no queue, only what it was given last: whoever is slow finds the
// newest version, with the changes against what it has seen.

import { changeSet } from "./changes.js";

/** @import { Change } from "./index.d.ts" */
/** @import { FileSnapshot } from "./snapshot.js" */

/**
 * @template T
 * @typedef {object} Published A value that became current.
 * @property {number} sequence Counts publications, from 1.
 * @property {number} reloads How many of them were reloads: those are given even when nothing changed.
 * @property {string | undefined} before The version that `change` is against.
 * @property {FileSnapshot} snapshot
 * @property {Change<T>} change
 */

/**
 * @template T
 * @typedef {object} Feed
 * @property {() => boolean} isClosed
 * @property {() => Published<T>} newest
 * @property {(cursor: Cursor<T>) => void} onReturn The reader wants more: it is done with what it had.
 * @property {(cursor: Cursor<T>) => void} onLeave
 * @property {() => () => void} keepAlive
 */

/**
 * @template T
 * @implements {AsyncIterator<Change<T>, undefined>}
 */
export class Cursor {
  #feed;
  /** @type {Published<T> | undefined} */
  #given;
  /** @type {((result: IteratorResult<Change<T>, undefined>) => void)[]} Calls of next() that wait. */
  #waiting = [];
  /** @type {(() => void) | undefined} Set exactly while a call of next() waits. */
  #release;
  #isDone = false;
  /** The last publication after which the reader came back for more. */
  confirmed = 0;

  /** @param {Feed<T>} feed */
  constructor(feed) {
    this.#feed = feed;
  }

  /** @returns {Promise<IteratorResult<Change<T>, undefined>>} */
  next() {
    if (this.#isDone || this.#feed.isClosed())
      return Promise.resolve({ done: true, value: undefined });
    this.confirmed = this.#given?.sequence ?? 0;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.offer();
      this.#feed.onReturn(this);
    });
  }

  /** @returns {Promise<IteratorResult<Change<T>, undefined>>} */
  return() {
    this.end();
    this.#feed.onLeave(this);
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  /** Gives the newest publication to a waiting reader that has not seen it. */
  offer() {
    const newest = this.#feed.newest();
    const given = this.#given;
    const isNews =
      given === undefined ||
      given.change.version !== newest.change.version ||
      given.reloads !== newest.reloads;
    if (isNews) {
      const resolve = this.#waiting.shift();
      if (resolve !== undefined) {
        this.#given = newest;
        resolve({ done: false, value: changeAgainst(given, newest) });
      }
    } else if (this.#waiting.length > 0) {
      // There and back again: the reader is done with this content already.
      this.#given = newest;
      this.confirmed = newest.sequence;
    }
    this.#holdWhileWaiting();
  }

  end() {
    this.#isDone = true;
    for (const resolve of this.#waiting.splice(0)) resolve({ done: true, value: undefined });
    this.#given = undefined;
    this.#holdWhileWaiting();
  }

  #holdWhileWaiting() {
    if (this.#waiting.length > 0) {
      this.#release ??= this.#feed.keepAlive();
    } else {
      this.#release?.();
      this.#release = undefined;
    }
  }
}

/**
 * @template T
 * @param {Published<T> | undefined} given
 * @param {Published<T>} newest
 * @returns {Change<T>}
 */
function changeAgainst(given, newest) {
  if (given !== undefined && given.change.version === newest.before) return newest.change;
  const kind = given === undefined ? "initial" : newest.change.kind;
  return Object.freeze({
    ...newest.change,
    kind,
    ...changeSet(given?.snapshot, newest.snapshot),
  });
}
