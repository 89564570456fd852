import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { Slots } from "./slots.ts";

describe("Slots", () => {
  const { signal } = new AbortController();

  /** Who got one so far, in order; and what they got. */
  function asking(slots: Slots): {
    readonly got: string[];
    readonly slots: Map<string, Disposable>;
    readonly ask: (owner: string, name?: string, until?: AbortSignal) => Promise<void>;
  } {
    const got: string[] = [];
    const taken = new Map<string, Disposable>();
    return {
      ...{ got, slots: taken },
      ask: async (owner, name = owner, until = signal) => {
        taken.set(name, await slots.take(owner, until));
        got.push(name);
      },
    };
  }
  const settled = (): Promise<void> => new FakeClock().step(0);

  it("leave room for others when one owner wants more than its share", async () => {
    const { got, slots, ask } = asking(new Slots({ total: 3, perOwner: 2 }));
    for (const name of ["a1", "a2", "a3"]) void ask("a", name);
    void ask("b");
    await settled();
    assert.deepEqual(got, ["a1", "a2", "b"]);
    slots.get("a1")?.[Symbol.dispose]();
    await settled();
    assert.deepEqual(got, ["a1", "a2", "b", "a3"]);
  });

  it("are given to the owner that has least, and else in the order of asking", async () => {
    const { got, slots, ask } = asking(new Slots({ total: 2, perOwner: 2 }));
    for (const name of ["a1", "a2", "a3"]) void ask("a", name);
    void ask("b");
    void ask("c");
    await settled();
    for (const name of ["a1", "a2", "b"]) {
      slots.get(name)?.[Symbol.dispose]();
      await settled();
    }
    assert.deepEqual(got, ["a1", "a2", "b", "a3", "c"]);
  });

  it("are not given to those who gave up waiting", async () => {
    const { got, slots, ask } = asking(new Slots({ total: 1, perOwner: 1 }));
    const stop = new AbortController();
    void ask("a");
    const waiting = ask("b", "b", stop.signal);
    void ask("c");
    await settled();
    stop.abort(new Error("enough"));
    await assert.rejects(waiting, /enough/);
    slots.get("a")?.[Symbol.dispose]();
    await settled();
    assert.deepEqual(got, ["a", "c"]);
  });
});
