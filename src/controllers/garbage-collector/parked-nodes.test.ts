import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import { ParkedNodes } from "./parked-nodes.ts";

describe("ParkedNodes", () => {
  it("gives back each that was parked, once", () => {
    const parked = new ParkedNodes(() => true);
    parked.add("a", "default/a");
    parked.add("a", "default/a");
    parked.add("b", "default/b");
    deepEqual(parked.takeAll(), ["default/a", "default/b"]);
    deepEqual(parked.takeAll(), []);
  });

  it("does not grow with what comes and goes", () => {
    const there = new Set(["stays"]);
    const parked = new ParkedNodes((uid) => there.has(uid));
    parked.add("stays", "default/stays");
    for (let i = 0; i < 10_000; i++) {
      there.add(`${i}`);
      parked.add(`${i}`, `default/${i}`);
      there.delete(`${i}`);
    }
    ok(parked.size <= 1000);
    equal(parked.takeAll()[0], "default/stays");
  });

  it("keeps all that are there, however many", () => {
    const parked = new ParkedNodes(() => true);
    for (let i = 0; i < 5000; i++) parked.add(`${i}`, `default/${i}`);
    equal(parked.takeAll().length, 5000);
  });
});
