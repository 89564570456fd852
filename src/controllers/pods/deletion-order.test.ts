import assert from "node:assert/strict";
import { test } from "node:test";
import { compareForDeletion, deletionCost, inDeletionOrder, rankByNode } from "./deletion-order.ts";
import { type MadePod, madePod } from "./testing/made-pod.ts";

const nowMs = Date.parse("2024-01-02T00:00:00Z");
const long = "2024-01-01T00:00:00Z";
const short = "2024-01-01T23:59:00Z";
const cost = (value: string): Readonly<Record<string, string>> => ({
  "controller.kubernetes.io/pod-deletion-cost": value,
});

interface Case {
  readonly rule: string;
  /** Goes first, although all later rules speak for the other. */
  readonly first: MadePod;
  readonly second: MadePod;
  readonly ranks?: readonly [number, number];
}

const ready = { node: "a", ready: long } as const;
const cases: readonly Case[] = [
  { rule: "without a node", first: {}, second: { node: "a", phase: "Pending" } },
  {
    rule: "pending before unknown",
    first: { node: "a", phase: "Pending" },
    second: { node: "a", phase: "Unknown" },
  },
  {
    rule: "unknown before running",
    first: { node: "a", phase: "Unknown", ready: long },
    second: { node: "a" },
  },
  {
    rule: "not ready",
    first: { node: "a", annotations: cost("10") },
    second: { ...ready, annotations: cost("-10") },
  },
  {
    rule: "cheaper by the annotation",
    first: { ...ready, annotations: cost("-1") },
    second: ready,
    ranks: [0, 9],
  },
  {
    rule: "more of its kind on the node",
    first: { ...ready, node: "b" },
    second: { ...ready, ready: short },
    ranks: [2, 1],
  },
  {
    rule: "ready for less time",
    first: { ...ready, ready: short },
    second: { ...ready, restarts: 9 },
  },
  { rule: "ready since nobody knows when", first: { ...ready, ready: "" }, second: ready },
  {
    rule: "more restarts",
    first: { ...ready, restarts: 2, created: long },
    second: { ...ready, restarts: 1, created: short, sidecarRestarts: 5 },
  },
  {
    rule: "more restarts of sidecars",
    first: { ...ready, restarts: 1, sidecarRestarts: 2, created: long },
    second: { ...ready, restarts: 1, sidecarRestarts: 1, created: short },
  },
  {
    rule: "newer",
    first: { ...ready, created: short },
    second: { ...ready, created: long },
  },
];

for (const { rule, first, second, ranks = [0, 0] } of cases) {
  test(`Deletion order: ${rule}`, () => {
    const a = madePod({ name: "z", ...first });
    const b = madePod({ name: "a", ...second });
    const rank = (pod: object): number => (pod === a ? ranks[0] : ranks[1]);
    assert.ok(compareForDeletion(a, b, { rank, nowMs }) < 0);
    assert.ok(compareForDeletion(b, a, { rank, nowMs }) > 0);
  });
}

test("Deletion order: ages of the same magnitude are left to the uid", () => {
  const older = madePod({ ...ready, uid: "1", created: "2024-01-01T00:00:00Z" });
  const newer = madePod({ ...ready, uid: "2", created: "2024-01-01T00:00:01Z" });
  const sorted = inDeletionOrder([newer, older], { rank: () => 0, nowMs });
  assert.deepEqual(sorted, [older, newer]);
});

test("rankByNode counts the related pods on the node of a pod", () => {
  const rank = rankByNode([{ node: "a" }, { node: "a" }, { node: "b" }, {}].map(madePod));
  assert.deepEqual(
    [{ node: "a" }, { node: "b" }, { node: "c" }, {}].map(madePod).map(rank),
    [2, 1, 0, 1],
  );
});

for (const [text, expected] of [
  ["7", 7],
  ["-7", -7],
  ["0", 0],
  ["2147483647", 2147483647],
  ["-2147483648", -2147483648],
  ["2147483648", 0],
  ["+7", 0],
  ["07", 0],
  ["7.5", 0],
  ["much", 0],
] as const) {
  test(`The deletion cost ${text} counts as ${expected}`, () => {
    assert.equal(deletionCost(madePod({ annotations: cost(text) })), expected);
  });
}
