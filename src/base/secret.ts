// Bytes that nobody prints by accident. The bytes are in a private field, which no printer can see, and
// every way to turn the object into text gives the same placeholder.

import { inspect } from "node:util";

const placeholder = "[secret]";

/** Does not encrypt, copy or wipe: it only makes printing impossible without calling reveal(). */
export class Secret {
  static {
    Object.defineProperty(Secret.prototype, inspect.custom, { value: () => placeholder });
  }

  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The bytes themselves. Whoever calls this answers for where they go. */
  reveal(): Uint8Array {
    return this.#bytes;
  }

  toString(): string {
    return placeholder;
  }

  toJSON(): string {
    return placeholder;
  }
}
