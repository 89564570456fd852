import { equal } from "node:assert/strict";
import { describe, it } from "node:test";
import type { Node } from "../../api/types.ts";
import { objectTtlMs, ttlOfNode } from "./object-ttl.ts";

const node = (annotations?: Record<string, string> | null): Node =>
  ({ metadata: { name: "n", annotations } }) as unknown as Node;
const ttl = (value: string): Node => node({ "node.alpha.kubernetes.io/ttl": value });

describe("objectTtlMs", () => {
  it("I9 is not set by no node, no annotations, an empty one, or one that is no whole number", () => {
    const nodes = [
      undefined,
      node(),
      node(null),
      node({}),
      ttl(""),
      ttl("bad"),
      ttl("1.5"),
      ttl("1s"),
    ];
    for (const one of nodes) equal(objectTtlMs(one), undefined);
  });

  it("I10 is the annotation's seconds", () => {
    equal(objectTtlMs(ttl("0")), 0);
    equal(objectTtlMs(ttl("60")), 60_000);
  });

  it("is a minute if it is not set, and asked for each time", () => {
    let current: Node | undefined;
    const ttlMs = ttlOfNode(() => current);
    equal(ttlMs(), 60_000);
    current = ttl("300");
    equal(ttlMs(), 300_000);
  });
});
