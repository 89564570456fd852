import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemClock } from "./clock.ts";

describe("systemClock", () => {
  it("rejects a sleep with the reason of the signal that ended it", async () => {
    const controller = new AbortController();
    const sleeping = systemClock.sleep(1e8, controller.signal);

    controller.abort(new Error("told to stop"));

    await assert.rejects(sleeping, /told to stop/);
  });
});
