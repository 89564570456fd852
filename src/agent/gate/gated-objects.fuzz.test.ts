// Contents, policies, deletions and restarts in any order: nothing is ever let in that the policies of that moment refuse, and when there are none
// any more pods have what the server has.

import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { referenceKey } from "../objects/config-object.ts";
import { named, testPod } from "../objects/testing/test-pods.ts";
import { GateHarness } from "./testing/gate-harness.ts";

type Step =
  | { readonly do: "put"; readonly value: string; readonly isChosen: boolean }
  | {
      readonly do: "policy";
      readonly accepts: readonly string[] | undefined;
      readonly isPaused: boolean;
    }
  | { readonly do: "remove" | "restart" | "settle" | "turn" };

const app = named("app");
const labels = { app: "x" };
const values = ["a", "b", "c", "d"];
const rarely = (oneIn: number): fc.Arbitrary<boolean> =>
  fc.integer({ min: 1, max: oneIn }).map((n) => n === 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("put" as const),
      value: fc.constantFrom(...values),
      isChosen: rarely(6).map((isRare) => !isRare),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("policy" as const),
      accepts: fc.option(fc.subarray(values), { nil: undefined }),
      isPaused: rarely(4),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("settle" as const, "turn" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom("remove" as const, "restart" as const) }),
  },
);

class Play implements AsyncDisposable {
  readonly #gate = new GateHarness();
  readonly #faults: string[] = [];
  #accepts: readonly string[] | undefined;
  #shown: string | undefined;
  /** Versions of the server that the policy chooses. What comes from the history has them too. */
  readonly #chosen = new Set<string>();

  constructor() {
    this.#begin();
  }

  async run(steps: readonly Step[]): Promise<void> {
    const gate = this.#gate;
    for (const one of steps) {
      await gate.parts.clock.step(1);
      await this.#do(one);
    }
    await gate.settle();
    deepEqual(this.#faults, []);
    gate.policies.remove("web");
    const data = gate.parts.server.object(referenceKey(app))?.["data"];
    const expected = (data as { readonly a: string } | undefined)?.a ?? "none";
    equal(await gate.read(), expected);
    equal(gate.peek(), expected);
    equal(gate.objects.stage(app)?.held, undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#gate[Symbol.asyncDispose]();
  }

  async #do(one: Step): Promise<void> {
    const gate = this.#gate;
    switch (one.do) {
      case "put":
        gate.put("app", { data: { a: one.value }, labels: one.isChosen ? labels : {} });
        if (one.isChosen) this.#chosen.add(String(gate.parts.server.revision));
        break;
      case "policy":
        this.#accepts = one.accepts;
        gate.policies.put("web", {
          labels,
          ...(one.accepts && { checks: [{ schema: { enum: one.accepts } }] }),
          ...(one.isPaused && { pausedAtMs: gate.parts.clock.now() }),
        });
        break;
      case "remove":
        gate.parts.server.remove("app");
        break;
      case "restart":
        await gate.restart();
        this.#begin();
        break;
      case "settle":
        await gate.settle();
        break;
      case "turn":
        await gate.parts.clock.step(0);
        break;
    }
  }

  #begin(): void {
    this.#gate.objects.onChange(({ object }) => {
      const value = object?.text("a");
      // The same content again is not let in anew.
      if (value === undefined || value === this.#shown) return;
      this.#shown = value;
      const isChosen = this.#chosen.has(object?.resourceVersion ?? "");
      const isRefused = isChosen && this.#accepts?.includes(value) === false;
      if (isRefused) this.#faults.push(`${value} was let in`);
    });
    this.#gate.objects.register(testPod({ uid: "p1", configMaps: ["app"] }));
  }
}

describe("GatedObjects, whatever happens in whatever order", () => {
  it("G8 admits only what the policies of that moment accept, and ends with what the server has", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        await using play = new Play();
        await play.run(steps);
      }),
      { numRuns: 60 },
    );
  });
});
