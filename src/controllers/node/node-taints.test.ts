import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Node, Taint } from "../../api/types.ts";
import { type Driving, wantedTaints } from "./node-taints.ts";

const NOW_MS = Date.UTC(2024, 0, 1);
const at = "2024-01-01T00:00:00Z";

interface Case {
  readonly why: string;
  readonly conditions?: Readonly<Record<string, string>>;
  readonly isUnschedulable?: boolean;
  /** "key:effect", of node.kubernetes.io. */
  readonly has: readonly string[];
  readonly driving: Driving;
  /** With "+" those that are new. */
  readonly wants?: readonly string[];
}

const cases: readonly Case[] = [
  { why: "ready, nothing", conditions: { Ready: "True" }, has: [], driving: "none" },
  {
    why: "registered a moment ago",
    has: ["not-ready:NoSchedule"],
    conditions: { Ready: "True" },
    driving: "none",
    wants: [],
  },
  {
    why: "conditions of its own invention",
    conditions: { Ready: "constructor", constructor: "length", toString: "name" },
    has: [],
    driving: "give",
  },
  {
    why: "never posted",
    has: ["not-ready:NoSchedule"],
    driving: "keep",
    wants: [],
  },
  {
    why: "not ready, its turn has not come",
    conditions: { Ready: "False" },
    has: [],
    driving: "keep",
    wants: ["+not-ready:NoSchedule"],
  },
  {
    why: "not ready, its turn",
    conditions: { Ready: "False" },
    has: ["not-ready:NoSchedule"],
    driving: "give",
    wants: ["not-ready:NoSchedule", "+not-ready:NoExecute"],
  },
  {
    why: "falls silent",
    conditions: { Ready: "Unknown" },
    has: ["not-ready:NoSchedule", "not-ready:NoExecute"],
    driving: "keep",
    wants: ["+unreachable:NoSchedule", "+unreachable:NoExecute"],
  },
  {
    why: "all are gone",
    conditions: { Ready: "Unknown" },
    has: ["unreachable:NoSchedule", "unreachable:NoExecute"],
    driving: "none",
    wants: ["unreachable:NoSchedule"],
  },
  {
    why: "has what it should",
    conditions: { Ready: "Unknown" },
    has: ["unreachable:NoExecute", "unreachable:NoSchedule"],
    driving: "keep",
  },
  {
    why: "pressures and the cordon",
    conditions: { Ready: "True", MemoryPressure: "True", DiskPressure: "Unknown" },
    isUnschedulable: true,
    has: ["pid-pressure:NoSchedule"],
    driving: "none",
    wants: ["+memory-pressure:NoSchedule", "+unschedulable:NoSchedule"],
  },
  {
    why: "taints of others, with our keys but another effect",
    conditions: { Ready: "True" },
    has: ["not-ready:PreferNoSchedule", "memory-pressure:NoExecute"],
    driving: "none",
  },
];

describe("wantedTaints", () => {
  for (const { why, conditions = {}, isUnschedulable = false, has, driving, wants } of cases) {
    it(`follows from the conditions: ${why}`, () => {
      const taint = (text: string): Taint => {
        const [key = "", effect = ""] = text.split(":");
        return { key: `node.kubernetes.io/${key}`, effect, timeAdded: "2000-01-01T00:00:00Z" };
      };
      const node = {
        metadata: {},
        spec: { taints: has.map(taint), unschedulable: isUnschedulable },
        status: {
          conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })),
        },
      } as object as Node;

      const found = wantedTaints(node, driving, NOW_MS);

      const texts = found?.map(({ key, effect, timeAdded }) => {
        const name = `${key.replace("node.kubernetes.io/", "")}:${effect}`;
        return timeAdded === at ? `+${name}` : name;
      });
      assert.deepEqual(texts, wants);
    });
  }
});

describe("wantedTaints of a node that says a thing twice", () => {
  it("has each of them once", () => {
    const conditions = [
      { type: "DiskPressure", status: "True" },
      { type: "DiskPressure", status: "True" },
    ];
    const node = { metadata: { name: "n" }, status: { conditions } } as object as Node;
    assert.deepEqual(
      wantedTaints(node, "none", NOW_MS)?.map(({ key }) => key),
      ["node.kubernetes.io/disk-pressure"],
    );
  });
});
