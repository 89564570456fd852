import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { seededRandom } from "../../base/testing/seeded-random.ts";
import type { MemoryStore } from "../../storage/memory/memory-store.ts";
import { ObjectStore } from "../registry/object-store.ts";
import { can } from "./policy-entry.ts";
import { RoleAggregation } from "./role-aggregation.ts";
import { type RbacWorld, rbacWorld, role } from "./testing/rbac-world.ts";

const pods = can("get", "core", "pods");
const nodes = can("get", "core", "nodes");
const toX = { labels: { x: "true" } };

function aggregationOf(
  { parts, resources }: RbacWorld,
  objects: ObjectStore = parts.objects,
): RoleAggregation {
  const clusterRoles = resources.clusterroles;
  return new RoleAggregation({ ...parts, objects, clusterRoles, random: seededRandom(1) });
}

function rulesOf({ resources }: RbacWorld, name: string): unknown {
  return resources.clusterroles.cache.get(name)?.object["rules"];
}

/** Lets time pass until a role has these rules. Far more steps than anything here needs. */
async function untilRules(world: RbacWorld, name: string, expected: unknown): Promise<void> {
  for (let step = 0; step < 200; step++) {
    if (isDeepStrictEqual(rulesOf(world, name), expected)) return;
    await world.parts.clock.step(100);
  }
  deepEqual(rulesOf(world, name), expected);
}

describe("RoleAggregation", () => {
  it("fills roles once, through several steps, and then finds nothing to do", async () => {
    await using world = await rbacWorld();
    await world.put(role("a", [], { collects: ["to-a"] }));
    await world.put(role("b", [], { collects: ["x"], labels: { "to-a": "true" } }));
    await world.put(role("c", [pods], toX));
    const aggregation = aggregationOf(world);
    await aggregation.settle();
    deepEqual(rulesOf(world, "a"), [pods]);
    deepEqual(rulesOf(world, "b"), [pods]);
    const before = await world.store.revision();
    await aggregation.settle();
    equal(await world.store.revision(), before);
  });

  it("owns the rules that it writes", async () => {
    await using world = await rbacWorld();
    await world.put(role("a", [], { collects: ["x"] }));
    await world.put(role("c", [pods], toX));
    await aggregationOf(world).settle();
    const { managedFields = [] } =
      world.resources.clusterroles.cache.get("a")?.object.metadata ?? {};
    const owner = managedFields.find(
      ({ manager }) => manager === "clusterrole-aggregation-controller",
    );
    ok(JSON.stringify(owner?.fieldsV1).includes('"f:rules"'));
  });

  it("follows roles that come, change and go", async () => {
    await using world = await rbacWorld();
    const stop = new AbortController();
    const running = aggregationOf(world).run(stop.signal);
    await world.put(role("a", [], { collects: ["x"] }));
    await world.put(role("b", [pods], toX));
    await untilRules(world, "a", [pods]);
    await world.put(role("c", [nodes], toX));
    await untilRules(world, "a", [pods, nodes]);
    await world.put(role("b", [pods]));
    await untilRules(world, "a", [nodes]);
    await world.delete("clusterroles", "c");
    await untilRules(world, "a", []);
    stop.abort();
    await running;
  });

  it("takes back what people write into an aggregated role", async () => {
    await using world = await rbacWorld();
    const stop = new AbortController();
    const running = aggregationOf(world).run(stop.signal);
    await world.put(role("b", [pods], toX));
    await world.put(role("a", [can("*", "*", "*")], { collects: ["x"] }));
    await untilRules(world, "a", [pods]);
    stop.abort();
    await running;
  });

  it("tries again after the store has failed", async () => {
    await using world = await rbacWorld();
    let failures = 0;
    const store = Object.create(world.store, {
      update: {
        value: (key: string, value: Uint8Array, revision: bigint) => {
          failures++;
          return failures > 2
            ? world.store.update(key, value, revision)
            : Promise.reject(new Error("away"));
        },
      },
    }) as MemoryStore;
    await world.put(role("a", [], { collects: ["x"] }));
    await world.put(role("b", [pods], toX));
    const stop = new AbortController();
    const objects = new ObjectStore({ store, cache: world.parts.cache });
    const running = aggregationOf(world, objects).run(stop.signal);
    await untilRules(world, "a", [pods]);
    equal(world.parts.logger.records.filter(({ level }) => level === "warn").length, 2);
    stop.abort();
    await running;
  });

  it("ends when it is told to, also while it has nothing to do", async () => {
    await using world = await rbacWorld();
    const stop = new AbortController();
    const running = aggregationOf(world).run(stop.signal);
    await world.parts.clock.step(0);
    stop.abort();
    await running;
  });
});
