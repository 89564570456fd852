import { deepEqual, equal, match } from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { ConfigUse } from "../types.ts";
import { type JudgedObject, judgeUse } from "./use-state.ts";

const at = "2026-11-16T12:00:00.000000Z";
const one = { hash: "one", at };
const two = { hash: "two", at };

function use(fields: Partial<ConfigUse>): ConfigUse {
  return { kind: "ConfigMap", name: "app", how: "volume", container: "web", ...fields };
}

function drift(reason: string): Pick<ConfigUse, "drift"> {
  return { drift: { reason, message: `because of ${reason}` } };
}

const both = { wanted: two, onDisk: two };
const old = { wanted: two, onDisk: one };

const cases: readonly (readonly [string, Partial<ConfigUse>, JudgedObject, string])[] = [
  ["has what the object has", both, { version: "two" }, "InSync"],
  ["has what the view wants, and nobody knows better", both, { version: undefined }, "InSync"],
  ["has what a view wants that is not about this content", both, { version: "three" }, "Behind"],
  ["has an older content", old, { version: "two" }, "Behind"],
  ["has the content that came back, by a view from before", old, { version: "one" }, "Behind"],
  ["has nothing yet", { wanted: two }, { version: "two" }, "Behind"],
  ["has nothing, and nobody knows of anything", {}, { version: undefined }, "Unknown"],
  ["has nothing of an object that is gone", {}, { version: "gone" }, "Behind"],
  ["does without an object that is gone", {}, { version: "gone", isOptional: true }, "InSync"],
  ["has the rest of an object that is gone", { onDisk: one }, { version: "gone" }, "Behind"],
  ["has what an object had that is gone now", both, { version: "gone" }, "Behind"],
  ["is on a node that is away", both, { version: "two", nodeAway: "not ready" }, "Unknown"],
  ["NodeAway", { ...both, ...drift("NodeAway") }, { version: "two" }, "Unknown"],
  ["NodeAway of an old content", { ...both, ...drift("NodeAway") }, { version: "3" }, "Unknown"],
  ["EnvFrozen", { ...old, ...drift("EnvFrozen") }, { version: "two" }, "Frozen"],
  ["ArgsFrozen", { ...old, ...drift("ArgsFrozen") }, { version: "two" }, "Frozen"],
  ["SubPathFrozen", { ...old, ...drift("SubPathFrozen") }, { version: "two" }, "Frozen"],
  ["ImmutableRecreated", { ...old, ...drift("ImmutableRecreated") }, { version: "two" }, "Frozen"],
  ["frozen at an older one still", { ...old, ...drift("EnvFrozen") }, { version: "3" }, "Frozen"],
  ["frozen at what came back", { ...old, ...drift("EnvFrozen") }, { version: "one" }, "Behind"],
  ["GateRejected", { ...old, ...drift("GateRejected") }, { version: "two" }, "Rejected"],
  ["an older one rejected", { ...old, ...drift("GateRejected") }, { version: "3" }, "Behind"],
  ["RolloutHeld", { ...old, ...drift("RolloutHeld") }, { version: "two" }, "Behind"],
  ["WriteFailed", { ...old, ...drift("WriteFailed") }, { version: "two" }, "Behind"],
  ["TamperedOnDisk", { ...both, ...drift("TamperedOnDisk") }, { version: "two" }, "Behind"],
  ["NotConfirmed", { ...both, ...drift("NotConfirmed") }, { version: "two" }, "Behind"],
  ["a reason of tomorrow", { ...both, ...drift("MoonPhase") }, { version: "two" }, "Behind"],
  [
    "confirmed the last one, and not yet this",
    { ...both, applied: one, confirmedBy: "Library" },
    { version: "two" },
    "Behind",
  ],
  [
    "was started with the last one, and reads this",
    { ...both, applied: one, confirmedBy: "Start" },
    { version: "two" },
    "InSync",
  ],
  [
    "is being told",
    { ...both, reload: { action: "signal:HUP", result: "Pending", hash: "two" } },
    { version: "two" },
    "Behind",
  ],
  [
    "was told of the last one in vain",
    { ...both, reload: { action: "signal:HUP", result: "Failing", hash: "one" } },
    { version: "two" },
    "InSync",
  ],
];

describe("judgeUse", () => {
  for (const [what, fields, object, state] of cases) {
    it(`says ${state} of a consumer: ${what}`, () => {
      equal(judgeUse(use(fields), object).state, state);
    });
  }

  it("says what is the matter of everything that is not in sync", () => {
    for (const [what, fields, object] of cases) {
      const { state, message } = judgeUse(use(fields), object);
      equal(message === "", state === "InSync", what);
    }
  });

  it("takes reason and words from the drift", () => {
    const judged = judgeUse(use({ ...old, ...drift("WriteFailed") }), { version: "two" });
    deepEqual(judged, {
      state: "Behind",
      reason: "WriteFailed",
      message: "because of WriteFailed",
      since: at,
      isConfirmed: false,
    });
  });

  it("names why a process could not be told", () => {
    const reload = {
      action: "exec:reload",
      result: "Failing",
      hash: "two",
      message: "exit code 3",
    };
    match(
      judgeUse(use({ ...both, reload }), { version: "two" }).message,
      /could not be told \(exec:reload\): exit code 3/,
    );
  });

  it("calls confirmed only what was applied of what is there", () => {
    const confirmed = (fields: Partial<ConfigUse>): boolean =>
      judgeUse(use(fields), { version: "two" }).isConfirmed;
    equal(confirmed({ ...both, applied: two, confirmedBy: "Library" }), true);
    equal(confirmed({ ...both, applied: one, confirmedBy: "Library" }), false);
    equal(confirmed(both), false);
    equal(confirmed({ ...both, applied: two, ...drift("NodeAway") }), false);
  });

  it("G5 is never InSync with another content than the object's, nor with a drift, nor on a node that is away", () => {
    const hash = fc.constantFrom("one", "two", "three");
    const version = fc.option(
      hash.map((each) => ({ hash: each })),
      { nil: undefined },
    );
    const reason = fc.constantFrom(undefined, "EnvFrozen", "NodeAway", "NotConfirmed", "X");
    fc.assert(
      fc.property(
        fc.record({ wanted: version, onDisk: version, applied: version }),
        fc.record({ reason, now: fc.oneof(hash, fc.constantFrom("gone")), isAway: fc.boolean() }),
        (versions, { reason: why, now, isAway }) => {
          const drifted = why === undefined ? {} : drift(why);
          const object = { version: now, nodeAway: isAway ? "away" : undefined };
          const { state } = judgeUse(use({ ...versions, ...drifted }), object);
          if (state !== "InSync") return;
          equal(versions.onDisk?.hash, now);
          equal(why, undefined);
          equal(isAway, false);
        },
      ),
    );
  });
});
