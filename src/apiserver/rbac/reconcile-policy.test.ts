import { deepEqual, equal, notEqual, ok, rejects } from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiObject } from "../../api/object.ts";
import type { PolicyRule, Subject } from "../../api/types.ts";
import { MemoryStore } from "../../storage/memory/memory-store.ts";
import { ObjectStore } from "../registry/object-store.ts";
import { builtInPolicy } from "./built-in-policy.ts";
import { aggregateTo, can, group, policyObjects, user } from "./policy-entry.ts";
import type { RbacResource } from "./rbac-resources.ts";
import { reconcilePolicy } from "./reconcile-policy.ts";
import { binding, type RbacWorld, rbacWorld, role } from "./testing/rbac-world.ts";

const policy = policyObjects([
  { name: "reader", allows: [can("get list", "core", "pods")], to: [group("readers")] },
  { name: "all", collects: aggregateTo("all") },
]);

function stored(world: RbacWorld, resource: RbacResource, key: string): ApiObject {
  const found = world.resources[resource].cache.get(key);
  ok(found, `${resource} ${key} is not there`);
  return found.object;
}

const rulesOf = (object: ApiObject): PolicyRule[] => object["rules"] as PolicyRule[];
const subjectsOf = (object: ApiObject): Subject[] => object["subjects"] as Subject[];

describe("reconcilePolicy", () => {
  it("creates everything that is missing, as the server makes objects", async () => {
    await using world = await rbacWorld();
    await reconcilePolicy(world.parts, builtInPolicy);
    for (const { resource, key, object } of builtInPolicy) {
      const { metadata, ...content } = stored(world, resource, key);
      const { metadata: wanted, ...rest } = object;
      deepEqual(content, rest);
      deepEqual(metadata.labels, wanted.labels);
      ok(metadata.uid);
      ok(metadata.creationTimestamp);
      equal(metadata.managedFields?.[0]?.manager, "driftless");
    }
  });

  it("writes nothing when there is nothing to add", async () => {
    await using world = await rbacWorld();
    await reconcilePolicy(world.parts, builtInPolicy);
    const before = await world.store.revision();
    await reconcilePolicy(world.parts, builtInPolicy);
    equal(await world.store.revision(), before);
  });

  it("is harmless when two servers do it at the same time", async () => {
    const store = new MemoryStore();
    const stop = new AbortController();
    const ended = store.run(stop.signal);
    {
      await using one = await rbacWorld(store);
      await using other = await rbacWorld(store);
      await Promise.all([one, other].map(({ parts }) => reconcilePolicy(parts, builtInPolicy)));
      equal(await store.revision(), BigInt(builtInPolicy.length));
    }
    stop.abort();
    await ended;
  });

  it("adds missing rules and labels to a role, and keeps what people added", async () => {
    await using world = await rbacWorld();
    const own = role("reader", [can("get", "core", "pods secrets")], { labels: { mine: "yes" } });
    await world.put(own);
    await reconcilePolicy(world.parts, policy);
    const { metadata, ...found } = stored(world, "clusterroles", "reader");
    deepEqual(found["rules"], [can("get", "core", "pods secrets"), can("list", "core", "pods")]);
    deepEqual(metadata.labels, { mine: "yes", "kubernetes.io/bootstrapping": "rbac-defaults" });
  });

  it("adds missing subjects to a binding, and keeps what people added", async () => {
    await using world = await rbacWorld();
    const own = binding("reader", { to: "ClusterRole/reader", subjects: [user("alice")] });
    await world.put(own);
    await reconcilePolicy(world.parts, policy);
    deepEqual(subjectsOf(stored(world, "clusterrolebindings", "reader")), [
      user("alice"),
      group("readers"),
    ]);
  });

  it("adds a missing selector to an aggregated role, and takes aggregation from one that should have none", async () => {
    await using world = await rbacWorld();
    await world.put(role("all", [], { collects: ["mine"] }));
    await world.put(role("reader", [], { collects: ["mine"] }));
    await reconcilePolicy(world.parts, policy);
    deepEqual(stored(world, "clusterroles", "all")["aggregationRule"], {
      clusterRoleSelectors: [
        { matchLabels: { mine: "true" } },
        { matchLabels: { [aggregateTo("all")]: "true" } },
      ],
    });
    equal(stored(world, "clusterroles", "reader")["aggregationRule"], undefined);
  });

  it("makes a binding anew that refers to another role", async () => {
    await using world = await rbacWorld();
    await world.put(binding("reader", { to: "ClusterRole/other", subjects: [user("alice")] }));
    const before = stored(world, "clusterrolebindings", "reader").metadata.uid;
    await reconcilePolicy(world.parts, policy);
    const found = stored(world, "clusterrolebindings", "reader");
    deepEqual(found["roleRef"], {
      apiGroup: "rbac.authorization.k8s.io",
      kind: "ClusterRole",
      name: "reader",
    });
    deepEqual(subjectsOf(found), [group("readers")]);
    notEqual(found.metadata.uid, before);
  });

  it("leaves alone what people protected, and says so", async () => {
    await using world = await rbacWorld();
    const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "false" };
    const less = role("reader", []);
    await world.put({ ...less, metadata: { ...less.metadata, annotations } });
    const other = binding("reader", { to: "ClusterRole/other", subjects: [] });
    await world.put({ ...other, metadata: { ...other.metadata, annotations } });
    await reconcilePolicy(world.parts, policy);
    deepEqual(rulesOf(stored(world, "clusterroles", "reader")), []);
    equal(
      (stored(world, "clusterrolebindings", "reader")["roleRef"] as { name: string }).name,
      "other",
    );
    equal(world.parts.logger.records.filter(({ level }) => level === "warn").length, 2);
  });

  it("tries everything else before it fails", async () => {
    await using world = await rbacWorld();
    const { cache } = world.parts;
    const store = Object.create(world.store, {
      create: {
        value: (key: string, value: Uint8Array) =>
          key.endsWith("clusterroles/reader")
            ? Promise.reject(new Error("disk full"))
            : world.store.create(key, value),
      },
    }) as MemoryStore;
    const objects = new ObjectStore({ store, cache });
    await rejects(reconcilePolicy({ ...world.parts, objects }, policy), /disk full/);
    ok(stored(world, "clusterroles", "all"));
    ok(stored(world, "clusterrolebindings", "reader"));
  });
});
