// Tests as a table: a sentence, what is judged, and what is said about it. An error is told without its path's start.

import assert from "node:assert/strict";
import { it } from "node:test";
import type { JsonObject } from "../../json.ts";

export type Cases = Readonly<Record<string, readonly [JsonObject, readonly string[]]>>;

export function judges(cases: Cases, judge: (value: JsonObject) => readonly string[]): void {
  for (const [sentence, [value, errors]] of Object.entries(cases)) {
    void it(sentence, () => {
      assert.deepEqual(judge(value), errors);
    });
  }
}
