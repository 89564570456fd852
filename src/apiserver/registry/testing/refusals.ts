// Tables of what a kind refuses: a good object, and changes that spoil it.

import assert from "node:assert/strict";
import { it } from "node:test";
import type { JsonObject } from "../../../api/json.ts";
import { created, merged, updated } from "./writes.ts";

/** What is wrong, the change that makes it so, and the errors that it gets. */
export type Refusal = readonly [what: string, change: JsonObject, ...errors: readonly string[]];

export function itAccepts(good: JsonObject): void {
  void it(`accepts a good ${good["kind"] as string}`, () => {
    assert.deepEqual(created(good).errors, []);
  });
}

/** Of new objects. */
export function itRefuses(good: JsonObject, refusals: readonly Refusal[]): void {
  for (const [what, change, ...errors] of refusals) {
    void it(`refuses ${what}`, () => {
      assert.deepEqual(created(merged(good, change)).errors, errors);
    });
  }
}

/** Of updates from the good object. No errors: the update is allowed. */
export function itJudgesUpdates(good: JsonObject, refusals: readonly Refusal[]): void {
  for (const [what, change, ...errors] of refusals) {
    void it(`${errors.length === 0 ? "lets" : "refuses that"} an update ${what}`, () => {
      assert.deepEqual(updated(good, merged(good, change)).errors, errors);
    });
  }
}
