// The checks of histories, each proven by a history that breaks its promise.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { StoredValue, StoreEvent } from "../../src/storage/store.ts";
import {
  checkAgreement,
  checkNothingLost,
  checkOrder,
  checkState,
  replay,
  type Watched,
} from "./history.ts";

const a2 = stored("/a", 2n, "one");
const a3 = stored("/a", 3n, "two");
const put2: StoreEvent = event("put", "/a", 2n, { value: a2 });
const put3: StoreEvent = event("put", "/a", 3n, { value: a3, previous: a2 });
const delete4: StoreEvent = event("delete", "/a", 4n, { previous: a3 });
const written2 = { type: "put", key: "/a", revision: 2n, value: "one" } as const;
const written3 = { type: "put", key: "/a", revision: 3n, value: "two" } as const;

describe("a history", () => {
  it("of a correct watch passes all checks", () => {
    const watched = history([[put2, put3], 3n], [[], 3n], [[delete4], 5n]);
    checkOrder(watched);
    checkNothingLost(watched, [written2, written3]);
    checkState("watch", replay(watched, new Map()), []);
    checkAgreement(watched, watched);
  });

  it("shows events out of order, twice, and after the watch had passed them", () => {
    assert.throws(() => checkOrder(history([[put3, put2], 3n])), /event 2 came after 3/);
    assert.throws(() => checkOrder(history([[put2], 2n], [[put2], 2n])), /event 2 came after 2/);
    assert.throws(() => checkOrder(history([[], 3n], [[put2], 3n])), /event 2 came after 3/);
    assert.throws(() => checkOrder(history([[put3], 2n])), /event 3 in a batch that reaches to 2/);
  });

  it("shows a lost write, and one that is not as it was written", () => {
    const without = history([[put3], 3n]);
    assert.throws(() => checkNothingLost(without, [written2]), /put of \/a at 2 was lost/);
    const wrong = history([[put2], 2n]);
    const other = { ...written2, value: "other" };
    assert.throws(() => checkNothingLost(wrong, [other]), /not what was written/);
    // What the watch has not reached, or does not watch, is not lost.
    checkNothingLost(wrong, [written3, { ...written2, key: "elsewhere" }]);
  });

  it("shows a gap by the previous values", () => {
    assert.throws(() => replay(history([[put3], 3n]), new Map()), /something is missing/);
    assert.throws(() => replay(history([[put2, delete4], 4n]), new Map()), /something is missing/);
    const end = history([[put2], 2n]);
    assert.throws(() => checkState("watch", replay(end, new Map()), [a3]), /do not add up/);
  });

  it("shows that two watchers do not agree", () => {
    const one = history([[put2, put3], 3n]);
    const other = history([[put2], 3n]);
    assert.throws(() => checkAgreement(one, other), /do not agree/);
  });
});

function history(...batches: readonly (readonly [StoreEvent[], bigint])[]): Watched {
  return {
    name: "watch",
    prefix: "/",
    after: 1n,
    batches: batches.map(([events, revision]) => ({ events, revision })),
  };
}

function event(
  type: StoreEvent["type"],
  key: string,
  revision: bigint,
  { value, previous }: { value?: StoredValue; previous?: StoredValue },
): StoreEvent {
  return { type, key, revision, value, previous };
}

function stored(key: string, revision: bigint, text: string): StoredValue {
  return { key, value: Buffer.from(text), revision, createRevision: 2n };
}
