// The order of keys: bytewise, as of their UTF-8, which is the order of code points. JavaScript's own `<`
// compares UTF-16 units and puts what lies beyond U+FFFF before U+E000.

/** Negative when `a` comes first, positive when `b` does, 0 when they are equal. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const unitA = a.charCodeAt(i);
    const unitB = b.charCodeAt(i);
    if (unitA !== unitB) return rank(unitA) - rank(unitB);
  }
  return a.length - b.length;
}

/**
 * The first key, in order, that comes after all keys with this prefix. Undefined when there is none, as
 * for "".
 */
export function prefixEnd(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last < 0x10_ffff) {
      // Between these two lie the surrogates, which are no characters.
      return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
    }
  }
  return undefined;
}

/** Surrogates stand for code points beyond all others. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x1_0000 : unit;
}
