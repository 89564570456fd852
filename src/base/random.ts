// Chance as an argument, so that a test can repeat a run from its seed. This file is the only home of
// Math.random.

import { randomInt } from "node:crypto";

export interface Random {
  /** A number in [0, 1), good enough for jitter. Not for anything that an attacker may want to guess. */
  next(): number;
  /** A whole number in [0, 2^32). From the system it cannot be guessed; from a seed it can. */
  uint32(): number;
}

export const systemRandom: Random = {
  next: () => Math.random(),
  uint32: () => randomInt(2 ** 32),
};
