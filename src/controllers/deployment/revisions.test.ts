import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type Annotations,
  annotatedSize,
  currentAnnotations,
  nextRevision,
  revisionOf,
  sizeAnnotations,
} from "./revisions.ts";
import { deploymentOf, replicaSetOf } from "./testing/rollout-objects.ts";

const REVISION = "deployment.kubernetes.io/revision";
const HISTORY = "deployment.kubernetes.io/revision-history";

function kept(annotations: Annotations, revision: number, own: Annotations = {}): Annotations {
  const current = replicaSetOf("new", { replicas: 1, annotations });
  return currentAnnotations(deploymentOf({ replicas: 1, annotations: own }), current, revision);
}

describe("The annotations of the current ReplicaSet", () => {
  test("have the number of the rollout", () => {
    assert.deepEqual(kept({}, 1), { [REVISION]: "1" });
  });

  test("keep a number that is higher than others ask for", () => {
    assert.deepEqual(kept({ [REVISION]: "7" }, 3), { [REVISION]: "7" });
  });

  test("remember the numbers that it had before", () => {
    const once = kept({ [REVISION]: "1" }, 3);
    assert.deepEqual(once, { [REVISION]: "3", [HISTORY]: "1" });
    assert.deepEqual(kept(once, 5), { [REVISION]: "5", [HISTORY]: "1,3" });
  });

  test("forget the oldest numbers when the list gets long", () => {
    const long = Array.from({ length: 500 }, (_, i) => 1000 + i).join(",");
    const history = kept({ [REVISION]: "1500", [HISTORY]: long }, 1501)[HISTORY] ?? "";
    assert.ok(history.length <= 2000 && history.length > 1990);
    assert.ok(history.endsWith(",1499,1500"));
  });

  test("have the Deployment's, except those that are its own", () => {
    const own = {
      "kubernetes.io/change-cause": "because",
      "kubectl.kubernetes.io/last-applied-configuration": "{}",
      "deprecated.deployment.rollback.to": "3",
      "deployment.kubernetes.io/desired-replicas": "9",
      "deployment.kubernetes.io/max-replicas": "9",
      [REVISION]: "9",
      [HISTORY]: "8",
    };
    const wanted = { "kubernetes.io/change-cause": "because", [REVISION]: "2" };
    assert.deepEqual(kept({ [REVISION]: "2" }, 2, own), wanted);
  });

  test("keep what only the ReplicaSet has", () => {
    assert.deepEqual(kept({ mine: "yes", [REVISION]: "2" }, 2), { mine: "yes", [REVISION]: "2" });
  });

  test("are the same object when nothing is to change", () => {
    const current = replicaSetOf("new", { replicas: 1, annotations: { [REVISION]: "2", a: "b" } });
    const deployment = deploymentOf({ replicas: 1, annotations: { a: "b" } });
    assert.equal(currentAnnotations(deployment, current, 2), current.metadata.annotations);
  });

  test("stay as they are under a number that cannot be read", () => {
    assert.deepEqual(kept({ [REVISION]: "two" }, 3, { a: "b" }), { [REVISION]: "two" });
  });
});

describe("The number of the next rollout", () => {
  const set = (revision: string | undefined, name = "old"): ReturnType<typeof replicaSetOf> =>
    replicaSetOf(name, {
      replicas: 0,
      ...(revision !== undefined && { annotations: { [REVISION]: revision } }),
    });

  test("is 1 at first", () => assert.equal(nextRevision([]), 1));
  test("follows the highest", () =>
    assert.equal(nextRevision([set("3"), set("12"), set("5")]), 13));
  test("passes over what cannot be read", () =>
    assert.equal(nextRevision([set("x"), set("2")]), 3));
  test("counts a ReplicaSet without a number as 0", () =>
    assert.equal(revisionOf(set(undefined)), 0));
});

describe("The size annotations", () => {
  test("say what was wanted and what surge allowed", () => {
    assert.deepEqual(sizeAnnotations(deploymentOf({ replicas: 10, maxSurge: "25%" })), {
      "deployment.kubernetes.io/desired-replicas": "10",
      "deployment.kubernetes.io/max-replicas": "13",
    });
  });

  for (const text of ["", "-1", "1.5", "ten", "2147483648"]) {
    test(`say nothing when they are "${text}"`, () => {
      const key = "deployment.kubernetes.io/max-replicas";
      const set = replicaSetOf("new", { replicas: 1, annotations: { [key]: text } });
      assert.equal(annotatedSize(set, key), undefined);
    });
  }
});
