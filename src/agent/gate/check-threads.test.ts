import { deepEqual, equal, ok } from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import type { ContentCheck, Refusal } from "../../checks/check-protocol.ts";
import { CHECK_LIMIT_MS } from "../../checks/check-thread.ts";
import { CheckThreads } from "./check-threads.ts";

const check: ContentCheck = {
  namespace: "n",
  policy: "p",
  name: "c",
  keys: [],
  format: undefined,
  schema: undefined,
};
/** Each x doubles the time. */
const forEver: ContentCheck = { ...check, name: "slow", schema: { pattern: "^(x+x+)+y$" } };
const content = (value: string): ReadonlyMap<string, Uint8Array> =>
  new Map([["key", Buffer.from(value)]]);

describe("CheckThreads", () => {
  let clock: FakeClock;
  let threads: CheckThreads;

  beforeEach(() => {
    clock = new FakeClock();
    threads = new CheckThreads(clock);
  });

  afterEach(async () => {
    await threads[Symbol.asyncDispose]();
  });

  /** Lets the limit pass when the thread has begun. */
  const tooLong = async (checking: Promise<Refusal | undefined>): Promise<Refusal | undefined> => {
    while (threads.underWay.length === 0) await clock.step(0);
    await clock.step(CHECK_LIMIT_MS);
    return checking;
  };

  it("say what is against a content, one after the other", async () => {
    const json = { ...check, format: "JSON" as const };
    const results = await Promise.all(
      ["{}", "{", "[]"].map((value) => threads.check([json], content(value))),
    );
    deepEqual(
      results.map((refusal) => refusal?.detail),
      [undefined, "line 1, column 2: a mistake in the syntax", undefined],
    );
    equal(clock.waiting, 0, "a limit is left");
  });

  it("refuse what a hostile pattern never ends with, name the check, and go on", async () => {
    const refusal = await tooLong(threads.check([forEver], content("x".repeat(100))));
    deepEqual(refusal, {
      policy: "p",
      check: "slow",
      key: "key",
      kind: "TimedOut",
      detail: "it did not end in 5 s",
    });
    equal(await threads.check([{ ...check, format: "JSON" }], content("{}")), undefined);
  });

  it("let nobody wait behind a namespace whose checks have failed to end before, whatever it calls them", async () => {
    await tooLong(threads.check([forEver], content("x".repeat(100))));
    const renamed = { ...forEver, policy: "q", name: "other" };
    const again = threads.check([renamed], content("x".repeat(101)));
    const honest = {
      ...check,
      namespace: "m",
      policy: "q",
      name: "other",
      format: "JSON" as const,
    };
    equal(await threads.check([honest], content("{}")), undefined);
    equal((await tooLong(again))?.kind, "TimedOut");
  });

  it("refuse a text that unfolds into more than there is room for, and go on", async () => {
    const bomb = `a: &a [${"x,".repeat(250_000)}x]\nb: [${Array.from({ length: 900 }, () => "*a").join()}]\n`;
    ok(bomb.length > 500_000 && bomb.length < 1_048_576);
    // Copies of all that the aliases stand for.
    const schema = { properties: { b: { uniqueItems: true } } };
    const bombed = threads.check([{ ...check, format: "YAML", schema }], content(bomb));
    const refusal = await Promise.race([bombed, tooLong(bombed)]);
    ok(refusal !== undefined, "it was let through");
    equal(await threads.check([{ ...check, format: "JSON" }], content("{}")), undefined);
  });

  it("refuse what is under way when they end", async () => {
    const checking = threads.check([forEver], content("x".repeat(100)));
    await threads[Symbol.asyncDispose]();
    equal((await checking)?.detail, "the program ends");
  });
});
