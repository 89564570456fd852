// Monotonic: a write that was sent after another was acknowledged gets a greater resourceVersion, and no two writes get
// the same: over restarts and crashes too.

import { isGuess } from "../model.ts";
import type { Validator } from "./validator.ts";

export const monotonic: Validator = function* ({ run, model }) {
  for (const { write, key, revision } of model.changes()) {
    const known = model.known(write.sentAfter);
    if (revision > known || isGuess(write)) continue;
    yield `broke Monotonic: ${write.verb} ${write.change.mark} of ${key} got ${revision}, but ${known} had been given before`;
  }
  const owners = new Map<number, string>();
  for (const { verb, key, change, outcome } of run.writes) {
    if (outcome.is !== "done") continue;
    const { revision } = outcome.object;
    const what = `${verb} ${change.mark} of ${key}`;
    const other = owners.get(revision);
    if (other !== undefined) yield `broke Monotonic: ${other} and ${what} both got ${revision}`;
    owners.set(revision, what);
  }
};
