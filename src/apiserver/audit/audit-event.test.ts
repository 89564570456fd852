import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MicroTimes } from "./audit-event.ts";

describe("MicroTimes", () => {
  it("writes times to the microsecond, in any order", () => {
    const times = new MicroTimes();
    const ms = Date.UTC(2026, 10, 16, 2, 53, 51);
    assert.equal(times.of(ms), "2026-11-16T02:53:51.000000Z");
    assert.equal(times.of(ms + 999.999), "2026-11-16T02:53:51.999999Z");
    assert.equal(times.of(ms + 1000.001), "2026-11-16T02:53:52.000001Z");
    assert.equal(times.of(ms + 7.25), "2026-11-16T02:53:51.007250Z");
  });
});
