import { deepEqual, equal, match } from "node:assert/strict";
import { describe, it } from "node:test";
import type { Deployment, Pod, ReplicaSet } from "../../src/api/types.ts";
import { RolloutJudge } from "./rolling-judge.ts";

/** What is heard of one Deployment with two ReplicaSets, "old" and "new". */
class Heard {
  readonly judge = new RolloutJudge();

  deployment(spec: object, generation: number, observedGeneration: number): void {
    const metadata = { name: "web", uid: "web", generation };
    const object = { metadata, spec, status: { observedGeneration } } as object as Deployment;
    this.judge.see({ kind: "Deployment", type: "MODIFIED", object });
  }

  set(uid: string, replicas: number, generation: number, observedGeneration: number): void {
    const ownerReferences = [{ uid: "web", controller: true }];
    const metadata = { name: uid, uid, generation, ownerReferences };
    const status = { observedGeneration };
    const object = { metadata, spec: { replicas }, status } as object as ReplicaSet;
    this.judge.see({ kind: "ReplicaSet", type: "MODIFIED", object });
  }

  pod(uid: string, is: "new" | "ready" | "broken" | "failed" | "going" | "gone"): void {
    const set = uid.split("-")[0] ?? "";
    const ownerReferences = [{ uid: set, controller: true }];
    const isGoing = is === "going" && { deletionTimestamp: "2026-01-01T00:00:00Z" };
    // One that goes is ready for a while.
    const isReady = is === "ready" || is === "going" ? "True" : "False";
    const phase = is === "failed" ? "Failed" : "Running";
    const status = { phase, conditions: [{ type: "Ready", status: isReady }] };
    const metadata = { name: uid, uid, ownerReferences, ...isGoing };
    const object = { metadata, status } as object as Pod;
    this.judge.see({ kind: "Pod", type: is === "gone" ? "DELETED" : "MODIFIED", object });
  }

  /** Ready pods of the old ReplicaSet, and the new one without any. */
  steady(replicas: number, spec: object): void {
    this.deployment({ replicas, ...spec }, 1, 1);
    this.set("old", replicas, 1, 1);
    this.set("new", 0, 1, 1);
    for (let i = 0; i < replicas; i++) {
      this.pod(`old-${i}`, "new");
      this.pod(`old-${i}`, "ready");
    }
  }
}

const quarter = rolling("25%", "25%");

describe("RolloutJudge", () => {
  it("lets pods go as far as is promised, and no further", () => {
    const heard = new Heard();
    heard.steady(4, quarter);
    heard.pod("old-0", "going");
    deepEqual(heard.judge.violations, []);
    heard.pod("old-0", "gone");
    heard.pod("old-1", "gone");
    match(heard.judge.violations.join(), /^revision .*web, pod old-1: .* leaves 2 .* are 3$/);
    equal(heard.judge.tally.atTheFloor, 1);
  });

  it("lets pods be made as far as is allowed, and counts none that terminates or has ended", () => {
    const heard = new Heard();
    heard.steady(4, quarter);
    heard.pod("old-0", "going");
    heard.pod("new-0", "new");
    heard.pod("new-0", "failed");
    heard.pod("new-1", "new");
    heard.pod("new-2", "new");
    deepEqual(heard.judge.violations, []);
    heard.pod("new-3", "new");
    match(heard.judge.violations.join(), /pod new-3: with it there are 6 pods, allowed are 5$/);
  });

  it("rounds as Kubernetes does", () => {
    for (const [spec, replicas, allowedDeletions, allowedCreations] of [
      [rolling("25%", "25%"), 3, 0, 1],
      [rolling("30%", "70%"), 4, 2, 2],
      [rolling(0, "10%"), 2, 1, 0],
      [{}, 4, 1, 1],
      [{ strategy: { type: "Recreate" } }, 2, 2, 0],
    ] as const) {
      const heard = new Heard();
      heard.steady(replicas, spec);
      for (let i = 0; i <= allowedCreations; i++) {
        equal(heard.judge.violations.length, 0, JSON.stringify(spec));
        heard.pod(`new-${i}`, "new");
      }
      equal(heard.judge.violations.length, 1);
      for (let i = 0; i < replicas; i++) heard.pod(`old-${i}`, "going");
      equal(heard.judge.violations.length, 1 + replicas - allowedDeletions, JSON.stringify(spec));
    }
  });

  it("counts a pod that broke by itself until it is ready again", () => {
    const heard = new Heard();
    heard.steady(4, quarter);
    heard.pod("old-0", "broken");
    heard.pod("old-1", "going");
    deepEqual([heard.judge.violations, heard.judge.tally.excused], [[], 1]);
    heard.pod("old-0", "ready");
    heard.pod("old-2", "going");
    equal(heard.judge.violations.length, 1);
  });

  it("does not count a pod any more that broke and was deleted", () => {
    const heard = new Heard();
    heard.steady(4, quarter);
    heard.pod("old-0", "broken");
    heard.pod("old-0", "gone");
    deepEqual(heard.judge.violations, [], "no ready pod was lost");
    heard.pod("old-1", "going");
    equal(heard.judge.violations.length, 1);
  });

  it("holds nobody to a change of the Deployment that the controller has not seen", () => {
    const heard = new Heard();
    heard.steady(4, quarter);
    heard.deployment({ replicas: 8, ...quarter }, 2, 1);
    heard.pod("old-0", "going");
    deepEqual(heard.judge.violations, []);
    heard.deployment({ replicas: 8, ...quarter }, 2, 2);
    heard.pod("old-1", "going");
    equal(heard.judge.violations.length, 1);
  });

  it("judges what a ReplicaSet does by what was promised when it was given its size", () => {
    const heard = new Heard();
    heard.steady(4, quarter);
    heard.set("old", 3, 2, 1);
    heard.deployment({ replicas: 8, ...quarter }, 2, 2);
    heard.pod("old-0", "going");
    deepEqual(heard.judge.violations, []);
    heard.set("old", 3, 2, 2);
    heard.pod("old-1", "going");
    equal(heard.judge.violations.length, 1);
  });
});

function rolling(maxSurge: number | string, maxUnavailable: number | string): object {
  return { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } };
}
