import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decide, type Situation, type Step, type Versions } from "./decide.ts";

function versions(environment: string, files: string): Versions {
  return {
    environmentVersion: environment,
    filesVersion: files,
    version: `${environment}/${files}`,
  };
}

const old = versions("env 1", "files 1");
const otherFiles = versions("env 1", "files 2");
const otherEnvironment = versions("env 2", "files 1");

const quiet: Situation = {
  child: "running",
  hasEndedWell: false,
  applied: old,
  isSure: true,
  wanted: old,
  good: old,
  refused: undefined,
  trial: "none",
  isEnding: false,
  isHeld: false,
  revives: false,
  onChange: "restart",
  ownsFiles: false,
};

const cases: Readonly<Record<string, readonly [Partial<Situation>, Step]>> = {
  "waits while everything is as it should be": [{}, "wait"],
  "waits at first until everything is known": [
    { child: "never", applied: undefined, wanted: undefined },
    "wait",
  ],
  "starts when everything is known": [{ child: "never", applied: undefined }, "start"],
  "does not start with what the gate refused": [
    { child: "never", applied: undefined, refused: old.version },
    "wait",
  ],
  "ends if it is asked to before anything was started": [
    { child: "never", applied: undefined, isEnding: true },
    "end",
  ],
  "restarts for other variables, whatever files need": [
    { wanted: otherEnvironment, onChange: "tell" },
    "restart",
  ],
  "restarts for other files": [{ wanted: otherFiles }, "restart"],
  "tells of other files": [{ wanted: otherFiles, onChange: "tell" }, "tell"],
  "tells again what it had, after telling something else has failed": [
    { isSure: false, onChange: "tell" },
    "tell",
  ],
  "does not try again what was refused": [
    { wanted: otherFiles, refused: otherFiles.version },
    "wait",
  ],
  "leaves a program alone that is about to end": [{ wanted: otherFiles, isHeld: true }, "wait"],
  "follows nothing any more when it has to end": [{ wanted: otherFiles, isEnding: true }, "wait"],
  "takes a version that is ready as good": [{ trial: "ready" }, "adopt"],
  "goes back to the variables that were good": [
    { applied: otherEnvironment, wanted: otherEnvironment, trial: "late" },
    "back",
  ],
  "cannot go back to files that are not its own": [
    { applied: otherFiles, wanted: otherFiles, trial: "late" },
    "report",
  ],
  "goes back to files that are its own": [
    { applied: otherFiles, wanted: otherFiles, trial: "late", ownsFiles: true },
    "back",
  ],
  "says only once that there is nothing to go back to": [
    { good: undefined, trial: "reported" },
    "wait",
  ],
  "goes on to the newest rather than back": [
    { applied: otherEnvironment, wanted: otherFiles, trial: "late" },
    "restart",
  ],
  "goes back when the program ended on trial": [
    { child: "ended", applied: otherEnvironment, wanted: otherEnvironment, trial: "running" },
    "back",
  ],
  "ends with a program that ended well on trial": [
    {
      child: "ended",
      applied: otherEnvironment,
      wanted: otherEnvironment,
      trial: "running",
      hasEndedWell: true,
    },
    "end",
  ],
  "ends with a program that ended by itself": [{ child: "ended" }, "end"],
  "starts it again if that is wanted": [{ child: "ended", revives: true }, "revive"],
  "starts it again with what is new": [
    { child: "ended", revives: true, wanted: otherFiles },
    "start",
  ],
  "does not start again what was asked to end": [
    { child: "ended", revives: true, isHeld: true },
    "end",
  ],
  "does not go back when it has to end": [
    { child: "ended", applied: otherEnvironment, trial: "running", isEnding: true },
    "end",
  ],
};

for (const [name, [difference, step]] of Object.entries(cases)) {
  test(`decide ${name}`, () => {
    assert.equal(decide({ ...quiet, ...difference }), step);
  });
}

const anyVersions = fc.constantFrom(undefined, old, otherFiles, otherEnvironment);
const anySituation: fc.Arbitrary<Situation> = fc.record({
  child: fc.constantFrom("never", "running", "ended"),
  hasEndedWell: fc.boolean(),
  applied: anyVersions,
  isSure: fc.boolean(),
  wanted: anyVersions,
  good: anyVersions,
  refused: fc.constantFrom(undefined, otherFiles.version, otherEnvironment.version),
  trial: fc.constantFrom("none", "running", "ready", "late", "reported"),
  isEnding: fc.boolean(),
  isHeld: fc.boolean(),
  revives: fc.boolean(),
  onChange: fc.constantFrom("restart", "tell"),
  ownsFiles: fc.boolean(),
});

test("decide never ends us while the program runs, and never touches one that is asked to end", () => {
  fc.assert(
    fc.property(anySituation, (situation) => {
      const step = decide(situation);
      if (situation.child === "running") assert.notEqual(step, "end");
      if (situation.isEnding) assert.ok(step === "end" || step === "wait");
    }),
  );
});

test("decide never goes back to what is applied already", () => {
  fc.assert(
    fc.property(anySituation, (situation) => {
      if (decide(situation) !== "back") return;
      assert.notEqual(situation.good?.version, situation.applied?.version);
    }),
  );
});
