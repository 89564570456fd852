// Whether the machine has something to spare: tests that wait leave it idle, and others can run then.

import { cpus } from "node:os";

/** Of all processors, over the last sample: less is what a few busy tests leave between two steps. */
const spareShare = 0.3;
const sampleMs = 1000;

/** Settles with true as soon as the processors were idle enough for one sample; with false when `isOver`. */
export async function untilSpare(isOver: () => boolean): Promise<boolean> {
  for (let before = times(); !isOver(); ) {
    await new Promise((resolve) => setTimeout(resolve, sampleMs));
    const now = times();
    if ((now.idle - before.idle) / (now.all - before.all) >= spareShare) return !isOver();
    before = now;
  }
  return false;
}

function times(): { readonly idle: number; readonly all: number } {
  const each = cpus().map(({ times: { idle, irq, nice, sys, user } }) => ({
    idle,
    all: idle + irq + nice + sys + user,
  }));
  const sum = (of: "idle" | "all"): number => each.reduce((total, one) => total + one[of], 0);
  return { idle: sum("idle"), all: sum("all") };
}
