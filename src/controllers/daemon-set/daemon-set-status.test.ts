import assert from "node:assert/strict";
import { test } from "node:test";
import { madePod } from "../pods/testing/made-pod.ts";
import { podsByNode } from "./daemon-pods.ts";
import { daemonSetStatus } from "./daemon-set-status.ts";
import { madeDaemonSet, madeNode } from "./testing/made-daemon-set.ts";

test("The status of a DaemonSet counts nodes by the oldest pod of each", () => {
  const labels = { "controller-revision-hash": "new" };
  const pods = [
    madePod({ name: "a", node: "n0", labels, ready: "2024-01-01T00:00:00Z" }),
    madePod({
      name: "b",
      node: "n1",
      ready: "2024-01-01T00:59:30Z",
      created: "2024-01-01T00:00:00Z",
    }),
    madePod({ name: "c", node: "n1", labels, created: "2024-01-01T00:00:01Z" }),
    madePod({ name: "d", target: "n2" }),
    madePod({ name: "e", node: "left" }),
  ];
  const set = madeDaemonSet({ spec: { minReadySeconds: 60 } });
  const status = daemonSetStatus(set, {
    nodes: ["n0", "n1", "n2", "n3", "left"].map((name) => madeNode(name)),
    byNode: podsByNode(pods),
    placement: ({ metadata }) => {
      const shouldRun = metadata.name !== "left";
      return { shouldRun, shouldContinue: true };
    },
    hash: "new",
    nowMs: Date.parse("2024-01-01T01:00:00Z"),
  });
  assert.deepEqual(status, {
    desiredNumberScheduled: 4,
    currentNumberScheduled: 3,
    numberMisscheduled: 1,
    numberReady: 2,
    numberAvailable: 1,
    numberUnavailable: 3,
    updatedNumberScheduled: 1,
    observedGeneration: 2,
  });
});
