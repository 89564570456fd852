// All promises at once.

import { Model } from "../model.ts";
import type { RunRecord } from "../record.ts";
import { acknowledged } from "./acknowledged.ts";
import { bookmarked } from "./bookmarked.ts";
import { expired } from "./expired.ts";
import { genuine } from "./genuine.ts";
import { initialState } from "./initial-state.ts";
import { monotonic } from "./monotonic.ts";
import { noGap } from "./no-gap.ts";
import { ordered } from "./ordered.ts";
import { readYourWrites } from "./read-your-writes.ts";
import { resumable } from "./resumable.ts";
import { snapshot } from "./snapshot.ts";
import { transitions } from "./transitions.ts";
import { unique } from "./unique.ts";
import type { Validator } from "./validator.ts";

const all: readonly Validator[] = [
  ordered,
  unique,
  noGap,
  resumable,
  genuine,
  transitions,
  initialState,
  snapshot,
  readYourWrites,
  monotonic,
  acknowledged,
  bookmarked,
  expired,
];

/** Enough to see what is wrong; one fault can break a promise a thousand times. */
const SHOWN_PER_PROMISE = 5;

/** What was broken, the first few of each promise. */
export function broken(run: RunRecord, finalRevision: number): readonly string[] {
  const evidence = { run, model: new Model(run), finalRevision };
  return all.flatMap((validator) => {
    const found = [...validator(evidence)];
    const more = found.length - SHOWN_PER_PROMISE;
    return more > 0 ? [...found.slice(0, SHOWN_PER_PROMISE), `… and ${more} more of these`] : found;
  });
}
