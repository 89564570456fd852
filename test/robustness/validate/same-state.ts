// Compares objects that were shown with those that should have been.

import { contentText } from "../content.ts";
import type { State } from "../model.ts";
import type { Key, SeenObject } from "../record.ts";

/** What is wrong, one sentence each. */
export function* differences(
  shown: readonly SeenObject[],
  due: ReadonlyMap<Key, State>,
): Generator<string> {
  const left = new Map(due);
  for (const { key, revision, content } of shown) {
    const state = left.get(key);
    if (state === undefined) {
      yield due.has(key) ? `${key} is there twice` : `${key} is there at ${revision}`;
      continue;
    }
    left.delete(key);
    const expected = contentText(state.content);
    if (state.revision !== revision || expected !== content) {
      yield `${key} is ${content} at ${revision}, not ${expected} at ${state.revision}`;
    }
  }
  for (const [key, { revision }] of left) yield `${key} of ${revision} is missing`;
}
