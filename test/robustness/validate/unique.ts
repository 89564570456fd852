// Unique: no client is told of the same change twice, also not by the connection that follows a lost one.

import { isEvent, partsOf } from "./parts-of-stream.ts";
import type { Validator } from "./validator.ts";

export const unique: Validator = function* ({ run }) {
  for (const { name, streams } of run.watchers) {
    let told = new Set<string>();
    for (const stream of streams) {
      if (stream.start.from !== "seen") told = new Set();
      const changes = partsOf(stream)
        .live.filter(isEvent)
        .map(({ key, revision }) => `${key} at ${revision}`);
      yield* twice(changes, told).map(
        (change) => `broke Unique: ${name} was told twice of ${change}`,
      );
    }
  }
};

/** Those that are in `told` already. All are put there. */
function twice(changes: readonly string[], told: Set<string>): readonly string[] {
  return changes.filter((change) => told.size === told.add(change).size);
}
