import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import { StatusError } from "../../api/status-error.ts";
import type { Namespace } from "../../api/types.ts";
import { kindNamed, ServedCluster } from "../garbage-collector/testing/served-cluster.ts";
import { NamespaceController } from "./namespace-controller.ts";

const namespace = kindNamed("v1", "Namespace");
const configMap = kindNamed("v1", "ConfigMap");
const secret = kindNamed("v1", "Secret");
const pod = kindNamed("v1", "Pod");

describe("NamespaceController", () => {
  const started = async (): Promise<ServedCluster> => {
    const sim = new ServedCluster({ seed: 1 });
    sim.create(namespace, { metadata: { name: "a" } });
    await sim.start(new NamespaceController(sim.context));
    return sim;
  };

  it("deletes what is in a namespace at once, and the namespace after five seconds", async () => {
    await using sim = await started();
    put(sim, "a");
    put(sim, "default");
    sim.create(secret, { metadata: { name: "s", namespace: "a" } });
    sim.delete(namespace, "a");
    await sim.settle();
    deepEqual(places(sim), ["default"]);
    equal(sim.get(secret, "a/s"), undefined);
    deepEqual(troubles(sim), []);
    await sim.pass(4900);
    ok(sim.get(namespace, "a"));
    await sim.pass(200);
    equal(sim.get(namespace, "a"), undefined);
  });

  it("leaves alone namespaces that nobody deletes", async () => {
    await using sim = await started();
    put(sim, "a");
    sim.patch(namespace, "a", { metadata: { labels: { x: "y" } } });
    await sim.pass(60_000);
    deepEqual(places(sim), ["a"]);
  });

  it("takes along what another server shows only later", async () => {
    await using sim = await started();
    sim.isHidden = () => true;
    put(sim, "a");
    sim.delete(namespace, "a");
    await sim.pass(4000);
    deepEqual(places(sim), ["a"]);
    sim.isHidden = () => false;
    await sim.pass(2000);
    equal(sim.get(namespace, "a"), undefined);
    deepEqual(places(sim), []);
  });

  it("says who holds what, and goes on when they let go", async () => {
    await using sim = await started();
    put(sim, "a", ["example.com/held"]);
    sim.delete(namespace, "a");
    await sim.pass(6000);
    deepEqual(troubles(sim), [
      "Some resources are remaining: configmaps. has 1 resource instances",
      "Some content in the namespace has finalizers remaining: example.com/held in 1 resource instances",
    ]);
    sim.patch(configMap, "a/c", { metadata: { finalizers: null } });
    // Half of the 15 seconds that finalizers are given.
    await sim.pass(8000);
    equal(sim.get(namespace, "a"), undefined);
  });

  it("waits for pods before it deletes what they use", async () => {
    await using sim = await started();
    put(sim, "a");
    const containers = [{ name: "c", image: "i" }];
    const spec = { nodeName: "n", terminationGracePeriodSeconds: 20, containers };
    sim.create(pod, { metadata: { name: "p", namespace: "a" }, spec });
    sim.delete(namespace, "a");
    await sim.pass(10_000);
    ok(sim.get(pod, "a/p")?.metadata.deletionTimestamp);
    deepEqual(places(sim), ["a"]);
    deepEqual(troubles(sim), ["Some resources are remaining: pods. has 1 resource instances"]);
    sim.delete(pod, "a/p", { gracePeriodSeconds: 0 });
    await sim.pass(11_000);
    equal(sim.get(namespace, "a"), undefined);
    deepEqual(places(sim), []);
  });

  it("says so when something stays although nobody holds it", async () => {
    await using sim = await started();
    const containers = [{ name: "c", image: "i" }];
    const spec = { nodeName: "n", terminationGracePeriodSeconds: 5, containers };
    sim.create(pod, { metadata: { name: "p", namespace: "a" }, spec });
    sim.delete(namespace, "a");
    await sim.pass(30_000);
    deepEqual(troubles(sim), [
      "Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: a for gvr: /v1, Resource=pods",
      "Some resources are remaining: pods. has 1 resource instances",
    ]);
    ok(sim.get(namespace, "a"));
  });

  it("deletes one by one what cannot be deleted together", async () => {
    const sim = new ServedCluster({ seed: 1 });
    sim.create(namespace, { metadata: { name: "a" } });
    const refusal = new StatusError({ code: 405, reason: "MethodNotAllowed", message: "no" });
    sim.refuse(({ verb }) => (verb === "deletecollection" ? refusal : undefined));
    sim.kinds = sim.kinds.map((kind) =>
      kind.kind === "Secret"
        ? { ...kind, verbs: kind.verbs.filter((verb) => verb !== "deletecollection") }
        : kind,
    );
    put(sim, "a");
    sim.create(secret, { metadata: { name: "s", namespace: "a" } });
    await sim.start(new NamespaceController(sim.context));
    sim.delete(namespace, "a");
    await sim.pass(6000);
    equal(sim.get(namespace, "a"), undefined);
    deepEqual(places(sim), []);
    await sim[Symbol.asyncDispose]();
  });

  it("keeps a namespace while it is not known what may be in it, and empties it of the rest", async () => {
    await using sim = await started();
    put(sim, "a");
    sim.unclear.add("apps/v1");
    sim.delete(namespace, "a");
    await sim.pass(20_000);
    deepEqual(places(sim), []);
    deepEqual(troubles(sim), [
      "Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: apps/v1: stale GroupVersion discovery: apps/v1",
    ]);
    sim.unclear.clear();
    await sim.pass(40_000);
    equal(sim.get(namespace, "a"), undefined);
  });

  it("keeps a namespace while something in it cannot be deleted, and says what", async () => {
    await using sim = await started();
    put(sim, "a");
    sim.create(secret, { metadata: { name: "s", namespace: "a" } });
    const refusal = new StatusError({ code: 403, reason: "Forbidden", message: "no secrets" });
    sim.refuse(({ verb, kind }) =>
      verb === "deletecollection" && kind.kind === "Secret" ? refusal : undefined,
    );
    sim.delete(namespace, "a");
    await sim.pass(10_000);
    deepEqual(places(sim), []);
    deepEqual(troubles(sim), ["Failed to delete all resource types, 1 remaining: no secrets"]);
    sim.refuse(() => undefined);
    await sim.pass(40_000);
    equal(sim.get(namespace, "a"), undefined);
  });

  it("leaves the finalizers of others", async () => {
    await using sim = await started();
    const spec = { finalizers: ["example.com/z", "example.com/b"] };
    sim.create(namespace, { metadata: { name: "b" }, spec });
    sim.delete(namespace, "b");
    await sim.pass(10_000);
    deepEqual(sim.get<Namespace>(namespace, "b")?.spec.finalizers, [
      "example.com/b",
      "example.com/z",
    ]);
  });

  it("goes on where another process stopped", async () => {
    const sim = await started();
    put(sim, "a", ["example.com/held"]);
    sim.delete(namespace, "a");
    await sim.pass(6000);
    await sim.stop();
    sim.patch(configMap, "a/c", { metadata: { finalizers: null } });
    await sim.start(new NamespaceController(sim.context));
    await sim.pass(6000);
    equal(sim.get(namespace, "a"), undefined);
    await sim[Symbol.asyncDispose]();
  });
});

function put(sim: ServedCluster, where: string, finalizers: readonly string[] = []): void {
  sim.create(configMap, { metadata: { name: "c", namespace: where, finalizers } });
}

/** The namespaces that have the ConfigMap. */
function places(sim: ServedCluster): string[] {
  return sim.list(configMap).map(({ metadata }) => metadata.namespace ?? "");
}

/** What the namespace says is in the way. */
function troubles(sim: ServedCluster): string[] {
  const { conditions = [] } = sim.get<Namespace>(namespace, "a")?.status ?? {};
  equal(conditions.length, 5);
  return conditions.filter(({ status }) => status === "True").map(({ message = "" }) => message);
}
