import { deepEqual, equal, match } from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod } from "../../api/types.ts";
import { consumersIn, ownerOf } from "./consumers.ts";
import type { Picture } from "./picture.ts";
import {
  frozenEnv,
  node,
  picture,
  pod,
  podSpec,
  replicaSet,
  use,
  view,
} from "./testing/sample-picture.ts";

const both = [use("volume"), frozenEnv];

function states(fields: Partial<Picture>): readonly string[] {
  return consumersIn(picture(fields)).map(({ use: of, judged }) => `${of.how} ${judged.state}`);
}

describe("consumersIn", () => {
  it("tells every use of a pod by its node's report, and whose the pod is", () => {
    const found = consumersIn(picture({ pods: [pod("a")], views: [view("a", both)] }));
    deepEqual(
      found.map((one) => [one.use.how, one.judged.state, ownerOf(one)]),
      [
        ["env", "Frozen", "deployment/api"],
        ["volume", "InSync", "deployment/api"],
      ],
    );
  });

  it("knows nothing of a pod without a report, and names it", () => {
    const [first] = consumersIn(picture({ pods: [pod("a")] }));
    equal(first?.judged.state, "Unknown");
    match(first?.judged.message ?? "", /node n1 has not reported on this pod/);
  });

  it("does not take the report on an earlier pod of the same name", () => {
    const earlier = { ...view("a", both), pod: { name: "a", uid: "other" } };
    deepEqual(states({ pods: [pod("a")], views: [earlier] }), ["env Unknown", "volume Unknown"]);
  });

  it("knows nothing of a use that the report leaves out", () => {
    deepEqual(states({ pods: [pod("a")], views: [view("a", [use("volume")])] }), [
      "env Unknown",
      "volume InSync",
    ]);
  });

  it("G5 believes no report of a node that is not ready, or is no more", () => {
    for (const nodes of [[node("n1", "False")], []]) {
      deepEqual(states({ pods: [pod("a")], views: [view("a", both)], nodes }), [
        "env Unknown",
        "volume Unknown",
      ]);
    }
  });

  it("G5 believes no report on a content that the object no longer has", () => {
    const versionNow = (): string => "3".repeat(64);
    deepEqual(states({ pods: [pod("a")], views: [view("a", both)], versionNow }), [
      "env Frozen",
      "volume Behind",
    ]);
  });

  it("leaves out pods that have ended, and init containers that nobody reports", () => {
    const ended: Pod = { ...pod("a"), status: { phase: "Succeeded" } as Pod["status"] };
    const [container] = podSpec.containers ?? [];
    const spec = { ...podSpec, containers: [], initContainers: container ? [container] : [] };
    deepEqual(states({ pods: [ended, pod("b", { spec })] }), []);
  });

  it("says of a pod that it is on no node yet", () => {
    const { nodeName: _, ...spec } = podSpec;
    const [first] = consumersIn(picture({ pods: [pod("a", { spec })] }));
    equal(first?.judged.message, "the pod is on no node yet");
  });

  it("calls a pod its own owner if nobody made it, and stops at a ReplicaSet that it may not read", () => {
    const owners = (fields: Partial<Picture>): readonly string[] =>
      consumersIn(picture(fields)).map(ownerOf).slice(0, 1);
    const bare = pod("a", { metadata: { ownerReferences: [] } });
    deepEqual(owners({ pods: [bare] }), ["pod/a"]);
    deepEqual(owners({ pods: [pod("a")], replicaSets: [] }), ["replicaset/api-1"]);
    deepEqual(owners({ pods: [pod("a")], replicaSets: [replicaSet] }), ["deployment/api"]);
  });
});
