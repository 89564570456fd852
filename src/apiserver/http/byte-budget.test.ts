import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ByteBudget } from "./byte-budget.ts";

describe("ByteBudget", () => {
  it("gives one holder no more than its share, and leaves room for others", () => {
    const budget = new ByteBudget({ maxBytes: 100, maxShare: 0.5 });
    deepEqual(
      [budget.take("a", 50), budget.take("a", 1), budget.take("b", 50), budget.take("b", 1)],
      [true, false, true, false],
    );
    budget.giveBack("a", 50);
    equal(budget.take("a", 10), true);
  });

  it("lets somebody who holds nothing have one thing, however large or full it is", () => {
    const budget = new ByteBudget({ maxBytes: 100, maxShare: 0.5 });
    deepEqual(
      [budget.take("a", 300), budget.take("b", 300), budget.take("a", 1)],
      [true, true, false],
    );
  });

  it("holds nothing when everything was given back", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(60)), { maxLength: 50 }),
        (asked) => {
          const budget = new ByteBudget({ maxBytes: 100, maxShare: 0.5 });
          const taken = asked.filter(([holder, bytes]) => budget.take(holder, bytes));
          for (const [holder, bytes] of taken) budget.giveBack(holder, bytes);
          equal(budget.held, 0);
        },
      ),
    );
  });
});
