// Chance that repeats itself: the same seed gives the same numbers. Whoever makes one prints the seed.

import type { Random } from "../random.ts";

/** The generator sfc32 by Chris Doty-Humphrey: 128 bits of state, good in all its bits. */
export function seededRandom(seed: number): Random {
  let a = 0;
  let b = seed >>> 0;
  let c = Math.floor(seed / 2 ** 32) >>> 0;
  let counter = 1;
  const uint32 = (): number => {
    const value = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + value) | 0;
    return value >>> 0;
  };
  // The first numbers still look like the seed: neighbouring seeds would start alike.
  for (let i = 0; i < 15; i++) {
    uint32();
  }
  return { uint32, next: () => uint32() / 2 ** 32 };
}
