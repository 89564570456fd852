// Owners that are known to be gone, so that the thousandth dependent of one does not ask for it again. A uid never comes back, so
// nothing here ever becomes wrong; those that were not asked for lately are forgotten.

import { type Identity, identityText } from "./identity.ts";

const MAX_KNOWN = 500;

export class AbsentOwners {
  /** The one that was used last is at the end. */
  readonly #known = new Set<string>();

  add(owner: Identity): void {
    const text = identityText(owner);
    this.#known.delete(text);
    this.#known.add(text);
    for (const oldest of this.#known) {
      if (this.#known.size <= MAX_KNOWN) break;
      this.#known.delete(oldest);
    }
  }

  has(owner: Identity): boolean {
    const text = identityText(owner);
    if (!this.#known.delete(text)) return false;
    this.#known.add(text);
    return true;
  }
}
