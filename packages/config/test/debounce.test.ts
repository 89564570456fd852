import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Debounce } from "../src/debounce.js";
import { FakeClock } from "./fake-clock.ts";

const wait = { minMs: 50, maxMs: 200 };

describe("Debounce", () => {
  it("runs once, when nothing happened for the minimum", () => {
    const clock = new FakeClock();
    let runs = 0;
    const debounce = new Debounce(clock, () => {
      runs += 1;
    });
    debounce.hit(wait);
    clock.advance(49);
    debounce.hit(wait);
    clock.advance(49);
    assert.equal(runs, 0);
    clock.advance(1);
    assert.equal(runs, 1);
    clock.advance(1000);
    assert.equal(runs, 1);
  });

  it("runs at the maximum when events never stop, and starts anew after it", () => {
    const clock = new FakeClock();
    const runsAt: number[] = [];
    const debounce = new Debounce(clock, () => void runsAt.push(clock.now()));
    for (let ms = 0; ms <= 500; ms += 10) {
      debounce.hit(wait);
      clock.advance(10);
    }
    assert.deepEqual(runsAt, [200, 400]);
  });

  it("runs at once without a minimum", () => {
    let runs = 0;
    const debounce = new Debounce(new FakeClock(), () => {
      runs += 1;
    });
    debounce.hit({ minMs: 0, maxMs: 0 });
    assert.equal(runs, 1);
  });

  it("does not run after it was stopped", () => {
    const clock = new FakeClock();
    const debounce = new Debounce(clock, () => assert.fail("ran"));
    debounce.hit(wait);
    debounce.stop();
    clock.advance(1000);
  });
});
