import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { Timetable } from "./timetable.ts";

describe("Timetable", () => {
  it("tells of everything once, at its last time and in order, with one timer", async () => {
    const act = fc.record({
      item: fc.integer({ min: 0, max: 20 }),
      dueMs: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.constant(undefined)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 60 }), async (acts) => {
        const clock = new FakeClock();
        const told: [number, number][] = [];
        const onDue = (item: number): void => void told.push([clock.monotonicMs(), item]);
        const timetable = new Timetable<number>({ clock, onDue });
        timetable.open();
        const expected = new Map<number, number>();
        for (const { item, dueMs } of acts) {
          if (dueMs === undefined) {
            timetable.delete(item);
            expected.delete(item);
          } else {
            timetable.set(item, dueMs);
            expected.set(item, dueMs);
          }
          assert.ok(clock.waiting <= 1);
        }
        await clock.step(50);
        assert.deepEqual(new Map(told.map(([atMs, item]) => [item, atMs])), expected);
        assert.equal(told.length, expected.size);
        assert.equal(clock.waiting, 0);
      }),
      { numRuns: 200 },
    );
  });

  it("tells of nothing while it is closed, and of what became due meanwhile when it opens", async () => {
    const clock = new FakeClock();
    const told: string[] = [];
    const timetable = new Timetable<string>({ clock, onDue: (item) => void told.push(item) });
    timetable.set("a", 10);
    await clock.step(20);
    assert.deepEqual(told, []);
    timetable.open();
    await clock.step(0);
    assert.deepEqual(told, ["a"]);
    timetable.set("b", 30);
    timetable.close();
    await clock.step(20);
    assert.deepEqual(told, ["a"]);
  });
});
