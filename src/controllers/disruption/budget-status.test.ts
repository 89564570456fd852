import { deepEqual, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import type { PodObject } from "../pods/pod-object.ts";
import { type BudgetObject, budgetStatus, failedStatus } from "./budget-status.ts";

const NOW = Date.parse("2026-01-01T00:10:00Z");
const now = "2026-01-01T00:10:00Z";

const pod = (name: string, isReady = true, more: object = {}): PodObject =>
  ({
    metadata: { name, ...more },
    status: { conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
  }) as unknown as PodObject;

const budget = (spec: object, status: object = {}): BudgetObject =>
  ({ metadata: { name: "b", generation: 2 }, spec, status }) as unknown as BudgetObject;

const numbers = (spec: object, pods: readonly PodObject[], wanted = 0): readonly number[] => {
  const observed = { budget: budget(spec), pods, wantedPods: () => wanted, nowMs: NOW };
  const { status } = budgetStatus(observed);
  const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed } = status;
  return [expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed];
};

const three = [pod("a"), pod("b"), pod("c")];

describe("budgetStatus", () => {
  it("counts the pods that are there against a number, and those that are wanted against a share", () => {
    deepEqual(numbers({ minAvailable: 2 }, three), [3, 2, 3, 1]);
    deepEqual(numbers({ minAvailable: 4 }, three), [3, 4, 3, 0]);
    deepEqual(numbers({ minAvailable: "50%" }, three, 5), [5, 3, 3, 0]);
    deepEqual(numbers({ minAvailable: "50%" }, three, 3), [3, 2, 3, 1]);
    deepEqual(numbers({ maxUnavailable: 1 }, three, 3), [3, 2, 3, 1]);
    deepEqual(numbers({ maxUnavailable: "1%" }, three, 3), [3, 2, 3, 1]);
    deepEqual(numbers({ maxUnavailable: 5 }, three, 3), [3, 0, 3, 3]);
  });

  it("allows nothing where there are no pods", () => {
    deepEqual(numbers({ minAvailable: 0 }, []), [0, 0, 0, 0]);
    deepEqual(numbers({ maxUnavailable: 1 }, [], 0), [0, 0, 0, 0]);
  });

  it("counts only pods that are ready and stay", () => {
    const pods = [pod("a"), pod("b", false), pod("c", true, { deletionTimestamp: now })];
    deepEqual(numbers({ minAvailable: 1 }, pods), [3, 1, 1, 0]);
  });

  it("takes an evicted pod for gone until it should be, and then for one that stays", () => {
    const disruptedPods = { a: "2026-01-01T00:08:30Z", b: "2026-01-01T00:07:00Z", gone: now };
    const observed = budget({ minAvailable: 1 }, { disruptedPods });
    const found = budgetStatus({ budget: observed, pods: three, wantedPods: () => 0, nowMs: NOW });
    deepEqual(found.status.disruptedPods, { a: "2026-01-01T00:08:30Z" });
    deepEqual(found.status.disruptionsAllowed, 1);
    deepEqual(
      found.notDeleted.map(({ metadata }) => metadata.name),
      ["b"],
    );
    deepEqual(found.againMs, 30_001);
  });

  it("says in a condition whether evictions are allowed, and since when", () => {
    const since = "2026-01-01T00:00:00Z";
    const old = { type: "DisruptionAllowed", status: "True", lastTransitionTime: since };
    const of = (minAvailable: number): object | undefined => {
      const given = budget({ minAvailable }, { conditions: [old] });
      const observed = { budget: given, pods: three, wantedPods: () => 0, nowMs: NOW };
      return budgetStatus(observed).status.conditions?.[0];
    };
    const same = { type: "DisruptionAllowed", message: "", observedGeneration: 2 };
    const yes = { status: "True", reason: "SufficientPods", lastTransitionTime: since };
    const no = { status: "False", reason: "InsufficientPods", lastTransitionTime: now };
    deepEqual(of(2), { ...same, ...yes });
    deepEqual(of(3), { ...same, ...no });
  });

  it("passes on that the owners do not say how many they want", () => {
    const wantedPods = (): number => {
      throw new Error("nobody knows");
    };
    const given = budget({ maxUnavailable: 1 });
    throws(() => budgetStatus({ budget: given, pods: three, wantedPods, nowMs: NOW }), /knows/);
  });
});

describe("failedStatus", () => {
  it("allows nothing, says why, and keeps the rest", () => {
    const known = { currentHealthy: 3, disruptionsAllowed: 2, observedGeneration: 1 };
    const status = failedStatus(budget({}, known), "nobody knows", NOW);
    deepEqual([status.currentHealthy, status.disruptionsAllowed], [3, 0]);
    deepEqual(status.conditions, [
      {
        ...{ type: "DisruptionAllowed", status: "False", reason: "SyncFailed" },
        ...{ message: "nobody knows", observedGeneration: 1, lastTransitionTime: now },
      },
    ]);
  });
});
