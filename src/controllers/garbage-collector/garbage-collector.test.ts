import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiObject } from "../../api/object.ts";
import { StatusError } from "../../api/status-error.ts";
import type { OwnerReference } from "../../api/types.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import { GarbageCollector } from "./garbage-collector.ts";
import { kindNamed, ServedCluster } from "./testing/served-cluster.ts";

const configMap = kindNamed("v1", "ConfigMap");
const secret = kindNamed("v1", "Secret");
const clusterRole = kindNamed("rbac.authorization.k8s.io/v1", "ClusterRole");

describe("GarbageCollector", () => {
  const started = async (): Promise<ServedCluster> => {
    const sim = new ServedCluster({ seed: 1 });
    await sim.start(new GarbageCollector(sim.context));
    return sim;
  };

  it("deletes what an owner leaves behind, and what that leaves behind", async () => {
    await using sim = await started();
    const a = make(sim, "a");
    const b = make(sim, "b", [owner(a)]);
    make(sim, "c", [owner(b)]);
    make(sim, "other");
    await sim.settle();
    sim.delete(configMap, "default/a", { propagationPolicy: "Background" });
    await sim.settle();
    deepEqual(names(sim), ["other"]);
  });

  it("finds what was left behind before it ran", async () => {
    const sim = new ServedCluster({ seed: 1 });
    const a = make(sim, "a");
    make(sim, "b", [owner(a)]);
    make(sim, "c", [{ ...owner(a), uid: "another" }]);
    await sim.start(new GarbageCollector(sim.context));
    deepEqual(names(sim), ["a", "b"]);
    await sim[Symbol.asyncDispose]();
  });

  it("takes a lost owner from what another one still owns", async () => {
    await using sim = await started();
    const a = make(sim, "a");
    const b = make(sim, "b");
    make(sim, "c", [owner(a), owner(b)]);
    await sim.settle();
    sim.delete(configMap, "default/a");
    await sim.settle();
    deepEqual(ownersOf(sim, "c"), ["b"]);
  });

  it("deletes dependents first in a foreground deletion, and waits only for those that block", async () => {
    await using sim = await started();
    const gone: string[] = [];
    using _watch = sim.observe(({ type, object }) => {
      if (type === "DELETED") gone.push(object.metadata.name ?? "");
    });
    const a = make(sim, "a");
    const b = make(sim, "b", [owner(a, true)]);
    make(sim, "c", [owner(b, true)]);
    make(sim, "d", [owner(a)], ["example.com/held"]);
    await sim.settle();
    sim.delete(configMap, "default/a", { propagationPolicy: "Foreground" });
    await sim.settle();
    deepEqual(gone, ["c", "b", "a"]);
    deepEqual(names(sim), ["d"]);
    ok(sim.get(configMap, "default/d")?.metadata.deletionTimestamp);
  });

  it("keeps an owner in the foreground while a dependent that blocks it is held", async () => {
    await using sim = await started();
    const a = make(sim, "a");
    make(sim, "b", [owner(a, true)], ["example.com/held"]);
    await sim.settle();
    sim.delete(configMap, "default/a", { propagationPolicy: "Foreground" });
    await sim.settle();
    deepEqual(names(sim), ["a", "b"]);
    sim.patch(configMap, "default/b", { metadata: { finalizers: null } });
    await sim.settle();
    deepEqual(names(sim), []);
  });

  it("lets go of an owner that waits for a dependent which another one keeps", async () => {
    await using sim = await started();
    const a = make(sim, "a");
    const b = make(sim, "b");
    make(sim, "c", [owner(a, true), owner(b)]);
    await sim.settle();
    sim.delete(configMap, "default/a", { propagationPolicy: "Foreground" });
    await sim.settle();
    deepEqual(names(sim), ["b", "c"]);
    deepEqual(ownersOf(sim, "c"), ["b"]);
  });

  it("leaves dependents without the owner that orphans them", async () => {
    await using sim = await started();
    const a = make(sim, "a");
    make(sim, "b", [owner(a, true)]);
    await sim.settle();
    sim.delete(configMap, "default/a", { propagationPolicy: "Orphan" });
    await sim.settle();
    deepEqual(names(sim), ["b"]);
    deepEqual(ownersOf(sim, "b"), []);
  });

  it("ends an orphaning that another process began", async () => {
    const sim = new ServedCluster({ seed: 1 });
    const a = make(sim, "a");
    make(sim, "b", [owner(a)]);
    sim.delete(configMap, "default/a", { propagationPolicy: "Orphan" });
    await sim.start(new GarbageCollector(sim.context));
    deepEqual(names(sim), ["b"]);
    deepEqual(ownersOf(sim, "b"), []);
    await sim[Symbol.asyncDispose]();
  });

  it("deletes a circle of owners that wait for each other", async () => {
    await using sim = await started();
    const a = make(sim, "a");
    const b = make(sim, "b", [owner(a, true)]);
    const c = make(sim, "c", [owner(b, true)]);
    sim.patch(configMap, "default/a", { metadata: { ownerReferences: [owner(c, true)] } });
    await sim.settle();
    sim.delete(configMap, "default/a", { propagationPolicy: "Foreground" });
    await sim.pass(5000);
    deepEqual(names(sim), []);
  });

  it("deletes a circle all of which somebody deletes in the foreground, and what owns itself", async () => {
    await using sim = await started();
    const a = make(sim, "a");
    const b = make(sim, "b", [owner(a, true)]);
    const c = make(sim, "c", [owner(b, true)], ["example.com/held"]);
    sim.patch(configMap, "default/a", { metadata: { ownerReferences: [owner(b, true)] } });
    sim.patch(configMap, "default/c", {
      metadata: { ownerReferences: [owner(b, true), owner(c, true)] },
    });
    await sim.settle();
    for (const name of ["a", "b", "c"]) {
      sim.delete(configMap, `default/${name}`, { propagationPolicy: "Foreground" });
    }
    await sim.pass(1000);
    deepEqual(names(sim), ["b", "c"]);
    sim.patch(configMap, "default/c", { metadata: { finalizers: null } });
    await sim.pass(1000);
    deepEqual(names(sim), []);
  });

  it("deletes what names an owner in another namespace, and says why", async () => {
    await using sim = await started();
    const a = sim.create(configMap, { metadata: { name: "a", namespace: "kube-system" } });
    await sim.settle();
    const b = make(sim, "b", [owner(a)]);
    await sim.settle();
    deepEqual(names(sim), ["a"]);
    const [event] = sim.events;
    equal(event?.component, "garbage-collector-controller");
    equal(event?.reason, "OwnerRefInvalidNamespace");
    equal(
      event?.message,
      `ownerRef [v1/ConfigMap, namespace: default, name: a, uid: ${a.metadata.uid}] does not exist in namespace "default"`,
    );
    equal(event?.object.uid, b.metadata.uid);
  });

  it("keeps what an owner outside of namespaces owns, until that goes", async () => {
    await using sim = await started();
    const role = sim.create(clusterRole, { metadata: { name: "r" }, rules: [] });
    make(sim, "b", [owner(role, false, clusterRole)]);
    await sim.settle();
    deepEqual(names(sim), ["b"]);
    sim.delete(clusterRole, "r");
    await sim.settle();
    deepEqual(names(sim), []);
  });

  it("leaves alone what is outside of namespaces and names an owner inside of one", async () => {
    await using sim = await started();
    const a = make(sim, "a");
    const metadata = { name: "r", ownerReferences: [owner(a)] };
    sim.create(clusterRole, { metadata, rules: [] });
    sim.create(clusterRole, {
      metadata: { name: "s", ownerReferences: [{ ...owner(a), uid: "other" }] },
      rules: [],
    });
    await sim.pass(60_000);
    ok(sim.get(clusterRole, "r") && sim.get(clusterRole, "s"));
  });

  it("deletes nothing whose owner it may not see, and collects the rest", async () => {
    const sim = new ServedCluster({ seed: 1 });
    const refusal = new StatusError({ code: 403, reason: "Forbidden", message: "no secrets" });
    sim.refuse(({ kind }) => (kind.kind === "Secret" ? refusal : undefined));
    const a = sim.create(secret, { metadata: { name: "a" } });
    make(sim, "b", [owner(a, false, secret)]);
    make(sim, "c", [{ ...owner(a, false, configMap), uid: "gone" }]);
    await sim.start(new GarbageCollector(sim.context));
    await sim.pass(2000);
    deepEqual(names(sim), ["b"]);
    sim.delete(secret, "default/a");
    await sim.pass(60_000);
    deepEqual(names(sim), ["b"]);
    sim.refuse(() => undefined);
    await sim.pass(60_000);
    deepEqual(names(sim), []);
    await sim[Symbol.asyncDispose]();
  });

  it("asks the server before it believes that an owner is gone which nobody saw go", async () => {
    await using sim = await started();
    const a = make(sim, "a");
    make(sim, "b", [owner(a)]);
    await sim.settle();
    sim.isHidden = ({ metadata }) => metadata.name === "a";
    sim.cutWatches(configMap);
    make(sim, "c");
    sim.forgetHistory();
    let looks = 0;
    sim.refuse(({ verb, name }) => {
      if (verb === "get" && name === "a") looks++;
      return undefined;
    });
    await sim.pass(60_000);
    deepEqual(names(sim), ["a", "b", "c"]);
    ok(looks > 0);
    sim.delete(configMap, "default/a");
    await sim.pass(31_000);
    deepEqual(names(sim), ["c"]);
  });

  it("follows a resource that appears later, and waits while one that vanished may come back", async () => {
    const sim = new ServedCluster({ seed: 1 });
    const all = sim.kinds;
    sim.kinds = all.filter(({ kind }) => kind !== "Secret");
    const a = sim.create(secret, { metadata: { name: "a" } });
    make(sim, "b", [owner(a, false, secret)]);
    make(sim, "c", [{ ...owner(a, false, secret), uid: "gone" }]);
    await sim.start(new GarbageCollector(sim.context));
    await sim.pass(10_000);
    deepEqual(names(sim), ["b", "c"]);
    sim.kinds = all;
    await sim.pass(30_000);
    deepEqual(names(sim), ["b"]);
    sim.kinds = all.filter(({ kind }) => kind !== "Secret");
    await sim.pass(31_000);
    sim.delete(secret, "default/a");
    await sim.pass(60_000);
    deepEqual(names(sim), ["b"]);
    sim.kinds = all;
    await sim.pass(31_000);
    deepEqual(names(sim), []);
    await sim[Symbol.asyncDispose]();
  });

  it("does not take an owner for gone when its kind is not there for a moment", async () => {
    await using sim = await started();
    const a = sim.create(secret, { metadata: { name: "a" } });
    await sim.settle();
    const all = sim.kinds;
    sim.kinds = all.filter(({ kind }) => kind !== "Secret");
    make(sim, "b", [{ ...owner(a, false, secret), name: "wrong" }]);
    await sim.pass(1000);
    deepEqual(names(sim), ["b"]);
    sim.kinds = all;
    await sim.pass(31_000);
    deepEqual(names(sim), []);
  });

  it("keeps on following a group that discovery cannot tell for a while", async () => {
    for (const discovery of ["aggregated", "legacy"] as const) {
      const sim = new ServedCluster({ seed: 1 });
      sim.discovery = discovery;
      await sim.start(new GarbageCollector(sim.context));
      sim.unclear.add("rbac.authorization.k8s.io/v1");
      await sim.pass(31_000);
      const role = sim.create(clusterRole, { metadata: { name: "r" }, rules: [] });
      make(sim, "b", [owner(role, false, clusterRole)]);
      await sim.settle();
      sim.delete(clusterRole, "r");
      await sim.settle();
      deepEqual(names(sim), [], discovery);
      await sim[Symbol.asyncDispose]();
    }
  });

  it("never deletes another object of the same name", async () => {
    const sim = new ServedCluster({ seed: 1 });
    make(sim, "b", [{ ...owner(make(sim, "x")), name: "gone", uid: "gone" }]);
    sim.refuse(({ verb, name }) => {
      if (verb !== "delete" || name !== "b") return undefined;
      sim.refuse(() => undefined);
      // Between the look and the deletion.
      sim.delete(configMap, "default/b");
      make(sim, "b");
      return undefined;
    });
    await sim.start(new GarbageCollector(sim.context));
    await sim.pass(10_000);
    deepEqual(names(sim), ["b", "x"]);
    await sim[Symbol.asyncDispose]();
  });

  it("never deletes what got an owner meanwhile", async () => {
    const sim = new ServedCluster({ seed: 1 });
    make(sim, "b", [{ ...owner(make(sim, "x")), name: "gone", uid: "gone" }]);
    const keeper = make(sim, "keeper");
    sim.refuse(({ verb, name }) => {
      if (verb !== "delete" || name !== "b") return undefined;
      sim.refuse(() => undefined);
      // Between the look and the deletion.
      sim.patch(configMap, "default/b", { metadata: { ownerReferences: [owner(keeper)] } });
      return undefined;
    });
    await sim.start(new GarbageCollector(sim.context));
    await sim.pass(10_000);
    deepEqual(ownersOf(sim, "b"), ["keeper"]);
    await sim[Symbol.asyncDispose]();
  });

  it("deletes what changes all the time", async () => {
    const sim = new ServedCluster({ seed: 1 });
    make(sim, "b", [{ ...owner(make(sim, "x")), name: "gone", uid: "gone" }]);
    let changes = 0;
    sim.refuse(({ verb, name }) => {
      if (verb === "delete" && name === "b" && changes < 6) {
        sim.patch(configMap, "default/b", { data: { n: String(++changes) } });
      }
      return undefined;
    });
    await sim.start(new GarbageCollector(sim.context));
    await sim.pass(1000);
    deepEqual(names(sim), ["x"]);
    equal(changes, 6);
    await sim[Symbol.asyncDispose]();
  });

  it("gets through refusals, conflicts and lost answers", async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const sim = new ServedCluster({ seed });
      const { random } = sim;
      const refusal = new StatusError({ code: 500, reason: "InternalError", message: "no luck" });
      sim.refuse(({ by, verb }) => {
        if (by === "somebody" || verb === "watch" || random.next() > 0.3) return undefined;
        return random.next() < 0.5 ? refusal : random.next() < 0.5 ? "cut" : "lost";
      });
      sim.watchLagMs = () => Math.floor(random.next() * 500);
      await sim.start(new GarbageCollector(sim.context));
      const roots = ["Background", "Foreground", "Orphan"].map((policy) => make(sim, policy));
      for (const root of roots) {
        const { name } = root.metadata;
        const middle = make(sim, `${name}-middle`, [owner(root, true)]);
        make(sim, `${name}-leaf`, [owner(middle, true)]);
      }
      await sim.pass(20_000);
      for (const { metadata } of roots) {
        const { name = "" } = metadata;
        sim.delete(configMap, `default/${name}`, { propagationPolicy: name });
      }
      await sim.pass(300_000);
      deepEqual(names(sim), ["Orphan-leaf", "Orphan-middle"], `seed ${seed}`);
      await sim[Symbol.asyncDispose]();
    }
  });
});

function make(
  sim: ServedCluster,
  name: string,
  ownerReferences: readonly OwnerReference[] = [],
  finalizers: readonly string[] = [],
): ApiObject {
  return sim.create(configMap, { metadata: { name, ownerReferences, finalizers } }) as ApiObject;
}

function owner(
  { metadata: { name = "", uid = "" } }: ApiObject,
  blockOwnerDeletion = false,
  { group, version, kind }: ResourceKind = configMap,
): OwnerReference {
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return { apiVersion, kind, name, uid, ...(blockOwnerDeletion && { blockOwnerDeletion }) };
}

function names(sim: ServedCluster): string[] {
  return sim.list(configMap).map(({ metadata }) => metadata.name ?? "");
}

function ownersOf(sim: ServedCluster, name: string): string[] {
  const { ownerReferences = [] } = sim.get(configMap, `default/${name}`)?.metadata ?? {};
  return ownerReferences.map((reference) => reference.name);
}
