// Keys are stored as UTF-8. A string with half a surrogate pair has none: the half would be replaced, and two
// keys would become one.

/** Throws for what cannot be a key, or a part of one. */
export function refuseIllFormed(...keys: readonly (string | undefined)[]): void {
  for (const key of keys) {
    if (key?.isWellFormed() === false) {
      throw new Error(`Cannot use the key ${JSON.stringify(key)}: it has half a surrogate pair`);
    }
  }
}
