import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import type { ClusterRole, PolicyRule } from "../../api/types.ts";
import { aggregatedRules } from "./aggregated-rules.ts";
import { can } from "./policy-entry.ts";
import { type RoleOptions, role } from "./testing/rbac-world.ts";

const pods = can("get", "core", "pods");
const secrets = can("get", "core", "secrets");
const nodes = can("get", "core", "nodes");

const clusterRole = (
  name: string,
  rules: readonly PolicyRule[],
  options: RoleOptions = {},
): ClusterRole => role(name, rules, options) as ClusterRole;

const toX = { labels: { x: "true" } };

function aggregated(...roles: readonly ClusterRole[]): Record<string, readonly PolicyRule[]> {
  const found = [...aggregatedRules(roles)].map(([{ metadata }, rules]) => [metadata.name, rules]);
  return Object.fromEntries(found) as Record<string, readonly PolicyRule[]>;
}

describe("aggregatedRules", () => {
  it("are those of the chosen roles in their order, each once", () => {
    const found = aggregated(
      clusterRole("a", [secrets, pods], toX),
      clusterRole("b", [pods, nodes], toX),
      clusterRole("c", [can("*", "*", "*")]),
      clusterRole("z", [nodes], { collects: ["x"] }),
    );
    deepEqual(found, { z: [secrets, pods, nodes] });
  });

  it("follow the order of the selectors before that of the names", () => {
    const found = aggregated(
      clusterRole("a", [pods], { labels: { y: "true" } }),
      clusterRole("b", [nodes], toX),
      clusterRole("z", [], { collects: ["x", "y"] }),
    );
    deepEqual(found, { z: [nodes, pods] });
  });

  it("do not include the role's own", () => {
    deepEqual(aggregated(clusterRole("z", [pods], { ...toX, collects: ["x"] })), { z: [] });
  });

  it("go through several steps, whatever the order of the names", () => {
    const found = aggregated(
      clusterRole("a", [], { collects: ["from-b"] }),
      clusterRole("b", [], { collects: ["x"], labels: { "from-b": "true" } }),
      clusterRole("c", [pods], toX),
    );
    deepEqual(found, { a: [pods], b: [pods] });
  });

  it("of roles that collect each other are those that people wrote, and not what the two once had", () => {
    const found = aggregated(
      clusterRole("a", [nodes], { ...toX, collects: ["y"] }),
      clusterRole("b", [nodes], { labels: { y: "true" }, collects: ["x"] }),
      clusterRole("c", [pods], toX),
      clusterRole("d", [secrets], { labels: { y: "true" } }),
    );
    deepEqual(new Set(found["a"]), new Set([pods, secrets]));
    deepEqual(new Set(found["b"]), new Set([pods, secrets]));
  });
});
