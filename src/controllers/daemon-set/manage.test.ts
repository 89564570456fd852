import assert from "node:assert/strict";
import { test } from "node:test";
import type { MadePod } from "../pods/testing/made-pod.ts";
import { madePod } from "../pods/testing/made-pod.ts";
import { podsByNode } from "./daemon-pods.ts";
import { type EndedPod, manage } from "./manage.ts";
import { madeDaemonSet, madeNode } from "./testing/made-daemon-set.ts";

const NOW = "2024-01-01T01:00:00Z";
const ready = "2024-01-01T00:30:00Z";
const oldLabels = { "controller-revision-hash": "old" };
const newLabels = { "controller-revision-hash": "new" };

interface Case {
  readonly what: string;
  readonly pods: readonly MadePod[];
  readonly surges?: boolean;
  /** What is thought of the only node. */
  readonly place?: "run" | "stay" | "no";
  readonly create?: readonly string[];
  readonly delete?: readonly string[];
  readonly failed?: readonly string[];
  readonly succeeded?: readonly string[];
}

const cases: readonly Case[] = [
  { what: "a node without a pod gets one", pods: [], create: ["n1"] },
  { what: "a node that only tolerates pods gets none", pods: [], place: "stay" },
  { what: "a node that is not wanted gets none", pods: [], place: "no" },
  { what: "one pod is right", pods: [{ name: "a", node: "n1" }] },
  { what: "one that is not bound yet is right as well", pods: [{ name: "a", target: "n1" }] },
  { what: "one on a node that was tainted since stays", pods: [{ node: "n1" }], place: "stay" },
  {
    what: "those on a node that is not wanted go",
    pods: [
      { name: "a", node: "n1" },
      { name: "b", target: "n1" },
    ],
    place: "no",
    delete: ["a", "b"],
  },
  {
    what: "those that go already are left alone",
    pods: [{ name: "a", node: "n1", deleted: NOW }],
    place: "no",
  },
  {
    what: "of several the oldest that is bound stays",
    pods: [
      { name: "young", node: "n1", created: "2024-01-01T00:00:02Z" },
      { name: "unbound", target: "n1", created: "2024-01-01T00:00:00Z" },
      { name: "old", node: "n1", created: "2024-01-01T00:00:01Z" },
    ],
    delete: ["young", "unbound"],
  },
  {
    what: "a node whose pod goes has to wait",
    pods: [{ name: "a", node: "n1", deleted: NOW }],
  },
  {
    what: "a pod that failed is told of",
    pods: [{ name: "a", node: "n1", phase: "Failed" }],
    failed: ["a on n1"],
  },
  {
    what: "a pod that succeeded is told of",
    pods: [{ name: "a", node: "n1", phase: "Succeeded" }],
    succeeded: ["a on n1"],
  },
  {
    what: "pods for nodes that there are not are deleted unless they are bound",
    pods: [
      { name: "a", node: "n1" },
      { name: "bound", node: "gone" },
      { name: "stranded", target: "gone" },
    ],
    delete: ["stranded"],
  },
  {
    what: "with surge a node whose pod goes gets the next at once",
    surges: true,
    pods: [{ name: "a", node: "n1", deleted: NOW }],
    create: ["n1"],
  },
  {
    what: "with surge a pod that failed is not joined by another",
    surges: true,
    pods: [{ name: "a", node: "n1", phase: "Failed" }],
    failed: ["a on n1"],
  },
  {
    what: "with surge the old pod stays while the new one starts",
    surges: true,
    pods: [
      { name: "old", node: "n1", labels: oldLabels, ready },
      { name: "new", node: "n1", labels: newLabels },
    ],
  },
  {
    what: "with surge the old pod goes when the new one is available",
    surges: true,
    pods: [
      { name: "old", node: "n1", labels: oldLabels, ready },
      { name: "new", node: "n1", labels: newLabels, ready },
    ],
    delete: ["old"],
  },
  {
    what: "with surge the old pod goes when it is not ready itself",
    surges: true,
    pods: [
      { name: "old", node: "n1", labels: oldLabels },
      { name: "new", node: "n1", labels: newLabels },
    ],
    delete: ["old"],
  },
  {
    what: "with surge one of each sort is enough",
    surges: true,
    pods: [
      { name: "old1", node: "n1", labels: oldLabels, ready },
      { name: "old2", node: "n1", labels: oldLabels, ready },
      { name: "new1", node: "n1", labels: newLabels },
      { name: "new2", node: "n1", labels: newLabels },
    ],
    delete: ["new2", "old2"],
  },
];

for (const one of cases) {
  test(`DaemonSet: ${one.what}`, () => {
    const { place = "run", surges = false } = one;
    const rollingUpdate = surges ? { maxSurge: 1, maxUnavailable: 0 } : { maxUnavailable: 1 };
    const decision = manage({
      set: madeDaemonSet({ rollingUpdate }),
      nodes: [madeNode("n1")],
      byNode: podsByNode(one.pods.map(madePod)),
      placement: () => ({ shouldRun: place === "run", shouldContinue: place !== "no" }),
      isGoing: ({ metadata }) => metadata.deletionTimestamp != null,
      hash: "new",
      nowMs: Date.parse(NOW),
    });
    const ended = (list: readonly EndedPod[]): string[] =>
      list.map(({ pod, nodeName }) => `${pod.metadata.name ?? ""} on ${nodeName}`);
    assert.deepEqual(
      {
        create: decision.create,
        delete: decision.delete.map(({ metadata }) => metadata.name ?? "").sort(),
        failed: ended(decision.failed),
        succeeded: ended(decision.succeeded),
      },
      {
        create: one.create ?? [],
        delete: [...(one.delete ?? [])].sort(),
        failed: one.failed ?? [],
        succeeded: one.succeeded ?? [],
      },
    );
  });
}
