import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { DeploymentCondition, DeploymentStatus } from "../../api/types.ts";
import { conditionOf } from "./deployment-conditions.ts";
import { isComplete } from "./deployment-status.ts";
import { progressCheckMs, rolloutStatus } from "./rollout-progress.ts";
import { deploymentOf, progressing, replicaSetOf } from "./testing/rollout-objects.ts";

const BEFORE = "2024-01-01T00:00:00Z";
const NOW = "2024-01-01T00:02:00Z";
const nowMs = Date.parse(NOW);

/** Pods in all, updated, ready, available. */
type Counts = readonly [number, number, number, number];

function statusOf([
  replicas,
  updatedReplicas,
  readyReplicas,
  availableReplicas,
]: Counts): DeploymentStatus {
  return { replicas, updatedReplicas, readyReplicas, availableReplicas, observedGeneration: 1 };
}

interface Row {
  readonly what: string;
  /** Seconds; none if missing. */
  readonly deadline?: number;
  readonly replicas?: number;
  readonly had: Counts;
  readonly held?: DeploymentCondition;
  readonly old?: readonly [size: number, pods: number, available: number];
  readonly current?: readonly [size: number, pods: number, available: number];
  /** Status, reason, message, last update, last transition. */
  readonly is?: readonly [string, string, string, string, string];
}

const updated = progressing("ReplicaSetUpdated", { time: BEFORE });
const failed = progressing("ProgressDeadlineExceeded", { status: "False", time: BEFORE });
const complete = progressing("NewReplicaSetAvailable", { time: BEFORE });

const rows: readonly Row[] = [
  {
    what: "is not told of without a deadline",
    ...{ had: [3, 2, 2, 2], held: updated, old: [0, 1, 1], current: [3, 2, 2] },
  },
  {
    what: "is not told of when the deadline is the largest number",
    ...{ deadline: 2 ** 31 - 1, had: [3, 2, 2, 2], held: updated, current: [3, 2, 2] },
  },
  {
    what: "stays complete when a pod fails after the rollout",
    ...{ deadline: 60, had: [3, 3, 3, 3], held: complete, current: [3, 3, 2] },
    is: ["True", "NewReplicaSetAvailable", "", BEFORE, BEFORE],
  },
  {
    what: "renews its time and keeps that of its transition",
    ...{ deadline: 60, had: [2, 1, 1, 1], held: updated, old: [0, 1, 1], current: [3, 2, 2] },
    is: ["True", "ReplicaSetUpdated", 'ReplicaSet "new" is progressing.', NOW, BEFORE],
  },
  {
    what: "comes back after a failure",
    ...{ deadline: 60, had: [2, 1, 1, 1], held: failed, old: [0, 1, 1], current: [3, 2, 2] },
    is: ["True", "ReplicaSetUpdated", 'ReplicaSet "new" is progressing.', NOW, NOW],
  },
  {
    what: "is told of when it was not before",
    ...{ deadline: 60, had: [2, 1, 1, 1], old: [0, 1, 1], current: [3, 2, 2] },
    is: ["True", "ReplicaSetUpdated", 'ReplicaSet "new" is progressing.', NOW, NOW],
  },
  {
    what: "ends with the rollout",
    ...{ deadline: 60, had: [3, 3, 3, 3], held: updated, current: [3, 3, 3] },
    is: [
      "True",
      "NewReplicaSetAvailable",
      'ReplicaSet "new" has successfully progressed.',
      NOW,
      BEFORE,
    ],
  },
  {
    what: "ends with the rollout after a failure",
    ...{ deadline: 60, had: [3, 3, 3, 3], held: failed, current: [3, 3, 3] },
    is: [
      "True",
      "NewReplicaSetAvailable",
      'ReplicaSet "new" has successfully progressed.',
      NOW,
      NOW,
    ],
  },
  {
    what: "ends without any ReplicaSet if nothing is wanted",
    ...{ deadline: 60, replicas: 0, had: [3, 3, 3, 3], held: updated, old: [0, 0, 0] },
    is: [
      "True",
      "NewReplicaSetAvailable",
      'Deployment "web" has successfully progressed.',
      NOW,
      BEFORE,
    ],
  },
  {
    what: "fails after the deadline",
    ...{ deadline: 60, had: [2, 2, 2, 2], held: updated, current: [3, 2, 2] },
    is: [
      "False",
      "ProgressDeadlineExceeded",
      'ReplicaSet "new" has timed out progressing.',
      NOW,
      NOW,
    ],
  },
  {
    what: "waits until the deadline has passed",
    ...{ deadline: 120, had: [2, 2, 2, 2], held: updated, current: [3, 2, 2] },
    is: ["True", "ReplicaSetUpdated", "", BEFORE, BEFORE],
  },
  {
    what: "fails once",
    ...{ deadline: 60, had: [2, 2, 2, 2], held: failed, current: [3, 2, 2] },
    is: ["False", "ProgressDeadlineExceeded", "", BEFORE, BEFORE],
  },
  {
    what: "does not fail a rollout by the time of the one before",
    ...{ deadline: 60, had: [3, 3, 3, 3], held: complete, old: [3, 3, 3], current: [1, 0, 0] },
    is: ["True", "NewReplicaSetAvailable", "", BEFORE, BEFORE],
  },
];

describe("The condition Progressing", () => {
  for (const row of rows) {
    const { what, deadline, replicas = 3, had, held, old, current, is } = row;
    test(what, () => {
      const set = (name: string, [size, pods, available]: readonly [number, number, number]) =>
        replicaSetOf(name, { replicas: size, pods, available });
      const deployment = deploymentOf({
        replicas,
        status: { ...statusOf(had), ...(held && { conditions: [held] }) },
        ...(deadline !== undefined && { spec: { progressDeadlineSeconds: deadline } }),
      });
      const sets = { current: current && set("new", current), old: old ? [set("old", old)] : [] };
      const { conditions } = rolloutStatus(deployment, sets, nowMs);
      const found = conditionOf(conditions, "Progressing");
      const { status, reason, message, lastUpdateTime, lastTransitionTime } = found ?? {};
      const shown = [status, reason, message, lastUpdateTime, lastTransitionTime];
      assert.deepEqual(found && shown, is);
    });
  }
});

describe("Progress is", () => {
  const table: readonly (readonly [string, Counts, Counts, boolean])[] = [
    ["an updated pod", [10, 4, 4, 4], [10, 6, 4, 4], true],
    ["not nothing", [10, 4, 4, 4], [10, 4, 4, 4], false],
    ["an old pod less", [10, 4, 6, 6], [8, 4, 6, 6], true],
    ["not a new pod less", [10, 7, 3, 3], [10, 6, 3, 3], false],
    ["fewer pods with more new ones", [10, 4, 7, 7], [8, 8, 5, 5], true],
    ["a ready pod more", [10, 10, 9, 8], [10, 10, 10, 8], true],
    ["an available pod more", [10, 10, 10, 9], [10, 10, 10, 10], true],
  ];
  for (const [what, had, [pods, fresh, ready, available], isProgress] of table) {
    test(what, () => {
      const deployment = deploymentOf({
        replicas: 11,
        status: { ...statusOf(had), conditions: [progressing("Waiting", { time: NOW })] },
        spec: { progressDeadlineSeconds: 600 },
      });
      const current = replicaSetOf("new", { replicas: fresh, pods: fresh, available: 0 });
      const old = replicaSetOf("old", { replicas: pods - fresh, available: 0 });
      current.status.readyReplicas = ready;
      current.status.availableReplicas = available;
      const { conditions } = rolloutStatus(deployment, { current, old: [old] }, nowMs);
      const reason = conditionOf(conditions, "Progressing")?.reason;
      assert.equal(reason, isProgress ? "ReplicaSetUpdated" : "Waiting");
    });
  }
});

describe("A rollout is complete", () => {
  const table: readonly (readonly [string, number, Counts, boolean])[] = [
    ["when all are new and available", 5, [5, 5, 5, 5], true],
    ["not when one is not available", 5, [5, 5, 5, 4], false],
    ["not when one is old", 5, [5, 4, 5, 5], false],
    ["not while an old pod runs too", 1, [2, 1, 1, 1], false],
    ["not when its only pod never comes up", 1, [1, 1, 0, 0], false],
  ];
  for (const [what, replicas, counts, expected] of table) {
    test(what, () =>
      assert.equal(isComplete(deploymentOf({ replicas }), statusOf(counts)), expected),
    );
  }

  test("not before the last change was seen", () => {
    const deployment = deploymentOf({ replicas: 1, generation: 2 });
    assert.ok(!isComplete(deployment, statusOf([1, 1, 1, 1])));
  });
});

describe("The next check of the deadline", () => {
  const check = (facts: {
    readonly deadline?: number;
    readonly held?: DeploymentCondition;
    readonly counts?: Counts;
    readonly at?: string;
  }): number | undefined => {
    const { deadline = 60, held, counts = [3, 3, 1, 1], at = BEFORE } = facts;
    const deployment = deploymentOf({ replicas: 3, spec: { progressDeadlineSeconds: deadline } });
    const status = { ...statusOf(counts), ...(held && { conditions: [held] }) };
    return progressCheckMs(deployment, status, Date.parse(at));
  };

  test("is never without a deadline", () =>
    assert.equal(check({ deadline: 2 ** 31 - 1, held: updated }), undefined));
  test("is never without a time to count from", () => assert.equal(check({}), undefined));
  test("is never after the end", () =>
    assert.equal(check({ held: updated, counts: [3, 3, 3, 3] }), undefined));
  test("is never after the failure", () => assert.equal(check({ held: failed }), undefined));
  test("is never when pods fail after the end", () =>
    assert.equal(check({ held: complete, at: NOW }), undefined));
  test("is a second after the deadline", () =>
    assert.equal(check({ held: updated, at: "2024-01-01T00:00:30Z" }), 31_000));
  test("is soon if the deadline has passed", () =>
    assert.equal(check({ held: updated, at: NOW }), 1000));
});

describe("The condition ReplicaFailure", () => {
  const failing = (name: string): ReturnType<typeof replicaSetOf> => {
    const set = replicaSetOf(name, { replicas: 1 });
    const condition = {
      type: "ReplicaFailure",
      status: "True",
      reason: "FailedCreate",
      message: name,
    };
    return {
      ...set,
      status: { ...set.status, conditions: [{ ...condition, lastTransitionTime: BEFORE }] },
    };
  };
  const deployment = deploymentOf({ replicas: 1 });

  test("is the current ReplicaSet's before an old one's", () => {
    const sets = { current: failing("new"), old: [failing("old")] };
    const found = conditionOf(rolloutStatus(deployment, sets, nowMs).conditions, "ReplicaFailure");
    assert.deepEqual(found, {
      ...{ type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "new" },
      ...{ lastTransitionTime: BEFORE, lastUpdateTime: BEFORE },
    });
  });

  test("is an old ReplicaSet's if only that fails", () => {
    const sets = { current: replicaSetOf("new", { replicas: 1 }), old: [failing("old")] };
    const found = conditionOf(rolloutStatus(deployment, sets, nowMs).conditions, "ReplicaFailure");
    assert.equal(found?.message, "old");
  });

  test("goes when nothing fails any more", () => {
    const sets = { current: failing("new"), old: [] };
    const status = rolloutStatus(deployment, sets, nowMs);
    const later = rolloutStatus({ ...deployment, status }, { current: undefined, old: [] }, nowMs);
    assert.equal(conditionOf(later.conditions, "ReplicaFailure"), undefined);
  });
});
