import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodObject } from "../pods/pod-object.ts";
import { madePod } from "../pods/testing/made-pod.ts";
import { podsByNode } from "./daemon-pods.ts";
import { rollingUpdate } from "./rolling-update.ts";
import { madeDaemonSet, madeNode } from "./testing/made-daemon-set.ts";

const nowMs = Date.parse("2024-01-01T01:00:00Z");
const ready = "2024-01-01T00:30:00Z";

/** What is on a node: "O"/"N" an old/new pod that serves, "o"/"n" one that does not, "x" one that goes; several side by side. */
type Content = string;

interface Case {
  readonly what: string;
  /** Node by node; "!" before it: the set does not want to be there any more. */
  readonly nodes: readonly Content[];
  readonly maxUnavailable?: number | string;
  readonly maxSurge?: number | string;
  /** Indexes of nodes. */
  readonly create?: readonly number[];
  readonly delete?: readonly string[];
}

const cases: readonly Case[] = [
  { what: "one at a time", nodes: ["O", "O", "O"], maxUnavailable: 1, delete: ["0O"] },
  {
    what: "as many as may be away",
    nodes: ["O", "O", "O"],
    maxUnavailable: 2,
    delete: ["0O", "1O"],
  },
  {
    what: "shares are rounded up",
    nodes: ["O", "O", "O", "O"],
    maxUnavailable: "30%",
    delete: ["0O", "1O"],
  },
  { what: "waits for the new pod", nodes: ["n", "O", "O"], maxUnavailable: 1 },
  {
    what: "goes on when the new pod serves",
    nodes: ["N", "O", "O"],
    maxUnavailable: 1,
    delete: ["1O"],
  },
  { what: "a node without a pod counts as away", nodes: ["", "O", "O"], maxUnavailable: 1 },
  { what: "a node whose pod goes counts as away", nodes: ["x", "O"], maxUnavailable: 1 },
  {
    what: "an old pod that does not serve goes at once, and counts",
    nodes: ["O", "o", "O"],
    maxUnavailable: 1,
    delete: ["1o"],
  },
  {
    what: "all old pods that do not serve go, whatever is allowed",
    nodes: ["o", "o", "o"],
    maxUnavailable: 1,
    delete: ["0o", "1o", "2o"],
  },
  { what: "a crowded node is left to be cleaned up", nodes: ["OO", "O"], maxUnavailable: 1 },
  {
    what: "nothing allowed means one may be away",
    nodes: ["O", "O"],
    maxUnavailable: 0,
    delete: ["0O"],
  },
  { what: "nothing to do when all are new", nodes: ["N", "N"], maxUnavailable: 1 },
  { what: "surge makes the new pod first", nodes: ["O", "O", "O"], maxSurge: 1, create: [0] },
  { what: "surge waits for the new pod", nodes: ["On", "O"], maxSurge: 1 },
  {
    what: "surge lets the old pod go then",
    nodes: ["ON", "O"],
    maxSurge: 1,
    create: [1],
    delete: ["0O"],
  },
  {
    what: "surge does not hold back where the old pod does not serve",
    nodes: ["o", "o", "O"],
    maxSurge: 1,
    create: [0, 1, 2],
  },
  { what: "surge leaves a crowded node, which takes a place", nodes: ["OOn", "O"], maxSurge: 1 },
  {
    what: "surge keeps serving on nodes that were left until the new ones serve",
    nodes: ["!O", "n"],
    maxSurge: 1,
  },
  {
    what: "surge leaves them then",
    nodes: ["!O", "N"],
    maxSurge: 1,
    delete: ["0O"],
  },
  {
    what: "surge leaves them at once where nobody is served",
    nodes: ["!o", "n"],
    maxSurge: 1,
    delete: ["0o"],
  },
];

for (const { what, nodes, maxUnavailable = 0, maxSurge = 0, ...expected } of cases) {
  test(`Rolling update of a DaemonSet: ${what}`, () => {
    const names = nodes.map((_, i) => `n${i}`);
    const pods = nodes.flatMap((content, i) =>
      Array.from(content.replace("!", ""), (letter, j) => podFor(letter, i, j)),
    );
    const step = rollingUpdate({
      set: madeDaemonSet({ rollingUpdate: { maxUnavailable, maxSurge } }),
      nodes: names.map((name) => madeNode(name)),
      byNode: podsByNode(pods),
      placement: ({ metadata }) => {
        const isWanted = nodes[names.indexOf(metadata.name ?? "")]?.startsWith("!") === false;
        return { shouldRun: isWanted, shouldContinue: true };
      },
      isGoing: ({ metadata }) => metadata.deletionTimestamp != null,
      hash: "new",
      nowMs,
    });
    assert.deepEqual(
      {
        create: [...step.create].sort(),
        delete: step.delete.map(({ metadata }) => metadata.uid ?? "").sort(),
      },
      { create: (expected.create ?? []).map((i) => `n${i}`), delete: expected.delete ?? [] },
    );
  });
}

function podFor(letter: string, node: number, index: number): PodObject {
  const hash = letter.toLowerCase() === "n" ? "new" : "old";
  return madePod({
    name: `p${node}-${index}`,
    uid: `${node}${letter}`,
    node: `n${node}`,
    labels: { "controller-revision-hash": hash },
    ...(letter === letter.toUpperCase() && { ready }),
    ...(letter === "x" && { deleted: ready }),
  });
}
