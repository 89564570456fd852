import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { INITIAL_VERDICTS, ProbeTally, type Verdict } from "./probe-tally.ts";

describe("ProbeTally", () => {
  it("starts not ready, alive, and with an open question about the start", () => {
    assert.deepEqual(INITIAL_VERDICTS, {
      Startup: "unknown",
      Readiness: "failure",
      Liveness: "success",
    });
  });

  const cases: readonly {
    readonly name: string;
    readonly initial: Verdict;
    readonly thresholds: readonly [success: number, failure: number];
    /** Answers, and what the verdict is after each. */
    readonly story: string;
  }[] = [
    {
      name: "turns with the third failure in a row, and back with one success",
      initial: "failure",
      thresholds: [1, 3],
      story: "+S +S +S -S -S -F -F -F +S +S +S -S -S -F",
    },
    {
      name: "turns with the third success in a row, and back with one failure",
      initial: "failure",
      thresholds: [3, 1],
      story: "+F +F +S +S +S -F +F +F +S",
    },
    {
      name: "begins to count again after an answer of the other kind",
      initial: "success",
      thresholds: [1, 3],
      story: "-S -S +S -S -S +S -S -S -F",
    },
    {
      name: "leaves the start open until there are enough failures",
      initial: "unknown",
      thresholds: [1, 3],
      story: "-U -U -F",
    },
  ];
  for (const { name, initial, thresholds, story } of cases) {
    it(name, () => {
      const [successThreshold, failureThreshold] = thresholds;
      const tally = new ProbeTally({ initial, successThreshold, failureThreshold });
      const seen = story.split(" ").map(([sign]) => {
        tally.take(sign === "+" ? "success" : "failure");
        return `${sign}${tally.verdict.slice(0, 1).toUpperCase()}`;
      });
      assert.equal(seen.join(" "), story);
    });
  }

  it("says what the last answers that were enough said, whatever came", () => {
    const answer = fc.constantFrom("success" as const, "failure" as const);
    const threshold = fc.integer({ min: 1, max: 5 });
    const initial = fc.constantFrom<Verdict>("success", "failure", "unknown");
    fc.assert(
      fc.property(
        fc.array(answer, { maxLength: 60 }),
        threshold,
        threshold,
        initial,
        (answers, successThreshold, failureThreshold, first) => {
          const tally = new ProbeTally({ initial: first, successThreshold, failureThreshold });
          const enough = answers.map((one) => tally.take(one));
          assert.equal(
            tally.verdict,
            expected(answers, successThreshold, failureThreshold) ?? first,
          );
          const wants = (one: Verdict): number =>
            one === "success" ? successThreshold : failureThreshold;
          for (const [i, one] of answers.entries()) {
            const tail = answers.slice(Math.max(0, i + 1 - wants(one)), i + 1);
            const isEnough = tail.length === wants(one) && tail.every((other) => other === one);
            assert.equal(enough[i], isEnough);
          }
        },
      ),
    );
  });
});

/** The slow way: the latest moment at which as many in a row as wanted were the same. */
function expected(
  answers: readonly ("success" | "failure")[],
  successThreshold: number,
  failureThreshold: number,
): Verdict | undefined {
  const text = answers.map((one) => (one === "success" ? "s" : "f")).join("");
  const success = text.lastIndexOf("s".repeat(successThreshold));
  const failure = text.lastIndexOf("f".repeat(failureThreshold));
  const successEnd = success === -1 ? -1 : success + successThreshold;
  const failureEnd = failure === -1 ? -1 : failure + failureThreshold;
  if (successEnd === failureEnd) return undefined;
  return successEnd > failureEnd ? "success" : "failure";
}
