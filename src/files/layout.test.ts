import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { seededRandom } from "../base/testing/seeded-random.ts";
import { creatorOf, isVersionDirectoryName, VersionNames } from "./layout.ts";

const noonMs = Date.UTC(2026, 7, 20, 12);

describe("VersionNames", () => {
  it("never gives a name twice, however many a second and wherever the clock jumps", () => {
    const names = new VersionNames(1234, seededRandom(1));
    const given = new Set<string>();
    const times = [noonMs, noonMs + 500, noonMs - 3_600_000, noonMs + 1000, noonMs + 999, noonMs];
    for (const nowMs of times) for (let i = 0; i < 1500; i++) given.add(names.next(nowMs));

    assert.equal(given.size, times.length * 1500);
    assert.ok([...given].every((name) => isVersionDirectoryName(name) && creatorOf(name) === 1234));
  });

  it("goes back to the time of the day when the clock has caught up", () => {
    const names = new VersionNames(1, seededRandom(1));
    for (let i = 0; i < 5000; i++) names.next(noonMs);

    assert.match(names.next(noonMs + 60_000), /^\.\.2026_08_20_12_01_00\./);
  });
});
