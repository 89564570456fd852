// Snapshot: a list, however many pages it came in and whatever was written meanwhile, is exactly what there was at its
// version, which is the version that was asked for.

import { type ListRecord, viewText } from "../record.ts";
import { differences } from "./same-state.ts";
import type { Validator } from "./validator.ts";

export const snapshot: Validator = function* ({ run, model }) {
  for (const list of run.lists) {
    const what = `the list of ${viewText(list.view)} at ${list.version} in ${list.pages} pages`;
    const wrong = wrongVersion(list);
    if (wrong !== undefined) yield `broke Snapshot: ${what} ${wrong}`;
    for (const difference of differences(list.items, model.stateAt(list.view, list.version))) {
      yield `broke Snapshot: in ${what} ${difference}`;
    }
    const unordered = list.items.find(({ key }, i) => key <= (list.items[i - 1]?.key ?? ""));
    if (unordered !== undefined)
      yield `broke Snapshot: in ${what} ${unordered.key} is out of order`;
  }
};

function wrongVersion({ asked, version }: ListRecord): string | undefined {
  if (asked.match === "exact" && version !== asked.version) {
    return `was asked for at exactly ${asked.version}`;
  }
  if (asked.match === "notOlder" && version < asked.version) {
    return `was asked for not older than ${asked.version}`;
  }
  return undefined;
}
