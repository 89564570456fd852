import assert from "node:assert/strict";
import { test } from "node:test";
import { madePod } from "../pods/testing/made-pod.ts";
import { daemonTemplate, daemonTolerations, targetNode } from "./daemon-pod.ts";
import { madeDaemonSet } from "./testing/made-daemon-set.ts";

const AUTOMATIC = [
  "not-ready:NoExecute",
  "unreachable:NoExecute",
  "disk-pressure:NoSchedule",
  "memory-pressure:NoSchedule",
  "pid-pressure:NoSchedule",
  "unschedulable:NoSchedule",
];

function shown(
  tolerations: readonly { key?: string | undefined; effect?: string | undefined }[],
): string[] {
  return tolerations.map(
    ({ key = "", effect = "" }) => `${key.replace("node.kubernetes.io/", "")}:${effect}`,
  );
}

test("Daemons tolerate nodes in trouble and nodes that are closed", () => {
  assert.deepEqual(shown(daemonTolerations({ containers: [] })), AUTOMATIC);
});

test("Daemons on the host's network tolerate nodes without another", () => {
  const tolerations = daemonTolerations({ containers: [], hostNetwork: true });
  assert.deepEqual(shown(tolerations), [...AUTOMATIC, "network-unavailable:NoSchedule"]);
});

test("Tolerations of the template stay, and lose their end where daemons have none", () => {
  const own = { key: "gpu", operator: "Exists", effect: "NoSchedule" };
  const timed = {
    key: "node.kubernetes.io/not-ready",
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds: 300,
  };
  const { tolerationSeconds: _, ...endless } = timed;
  const tolerations = daemonTolerations({ containers: [], tolerations: [timed, own] });
  assert.deepEqual(tolerations.slice(0, 2), [endless, own]);
  assert.deepEqual(shown(tolerations), [
    "not-ready:NoExecute",
    "gpu:NoSchedule",
    ...AUTOMATIC.slice(1),
  ]);
});

test("The pod of a node is labelled with its revision and can be on no other node", () => {
  const preferred = [{ weight: 1, preference: { matchExpressions: [] } }];
  const anywhere = {
    nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }],
  };
  const set = madeDaemonSet({
    annotations: { "deprecated.daemonset.template.generation": "4" },
    template: {
      affinity: {
        podAntiAffinity: {},
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: anywhere,
          preferredDuringSchedulingIgnoredDuringExecution: preferred,
        },
      },
    },
  });
  const before = structuredClone(set);
  const { metadata, spec } = daemonTemplate(set, { nodeName: "n1", hash: "abc" });
  assert.deepEqual(metadata.labels, {
    app: "agent",
    "pod-template-generation": "4",
    "controller-revision-hash": "abc",
  });
  assert.deepEqual(spec.affinity, {
    podAntiAffinity: {},
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] },
        ],
      },
      preferredDuringSchedulingIgnoredDuringExecution: preferred,
    },
  });
  assert.deepEqual(set, before);
});

test("A pod is meant for the node that it is bound to, or the one that its affinity names", () => {
  assert.equal(targetNode(madePod({ node: "n1", target: "n2" })), "n1");
  assert.equal(targetNode(madePod({ target: "n2" })), "n2");
  assert.equal(targetNode(madePod()), undefined);
});
