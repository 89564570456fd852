// The readers of one watch, and what they say about its newest value: whether it is in use.

/** @import { Cursor, Published } from "./cursor.js" */

/** @template T */
export class Readers {
  /** @type {Set<Cursor<T>>} Readers that have asked at least once and not left. */
  #cursors = new Set();
  /**
   * @type {string | undefined} The version that the application runs on. Set when a value is
   * published and when a reader comes back for more, never because a reader has left: it may have
   * left because it could not use the value.
   */
  applied;

  /** @param {Published<T>} newest */
  publish(newest) {
    for (const cursor of this.#cursors) cursor.offer();
    this.#confirm(newest);
  }

  /**
   * @param {Cursor<T>} cursor
   * @param {Published<T>} newest
   */
  returned(cursor, newest) {
    this.#cursors.add(cursor);
    this.#confirm(newest);
  }

  /** @param {Cursor<T>} cursor */
  left(cursor) {
    this.#cursors.delete(cursor);
  }

  end() {
    for (const cursor of this.#cursors) cursor.end();
    this.#cursors.clear();
  }

  /** @param {Published<T>} newest */
  #confirm({ sequence, change }) {
    const isDone = [...this.#cursors].every(({ confirmed }) => confirmed >= sequence);
    if (isDone) this.applied = change.version;
  }
}
