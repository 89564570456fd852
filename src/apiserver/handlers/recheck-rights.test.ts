import { equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import type { ServerParts } from "./context.ts";
import { recheckRights } from "./recheck-rights.ts";

describe("recheckRights", () => {
  const random = { next: () => 0, uint32: () => 0 };

  it("calls back within a minute when the right is gone, once, and never before", async () => {
    const clock = new FakeClock();
    const parts = { clock, random } as unknown as ServerParts;
    let isAllowed = true;
    let lost = 0;
    const demandStill = async (): Promise<void> => {
      if (!isAllowed) throw new Error("not any more");
    };
    using _rights = recheckRights({ parts, demandStill }, () => lost++);
    for (let i = 0; i < 5; i++) await clock.step(60_000);
    equal(lost, 0);
    isAllowed = false;
    for (let i = 0; i < 5; i++) await clock.step(60_000);
    equal(lost, 1);
  });

  it("asks no more when the stream is over", async () => {
    const clock = new FakeClock();
    const parts = { clock, random } as unknown as ServerParts;
    let asked = 0;
    const demandStill = async (): Promise<void> => {
      asked++;
    };
    recheckRights({ parts, demandStill }, () => undefined)[Symbol.dispose]();
    await clock.step(600_000);
    equal(asked, 0);
  });
});
