import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { kindOf } from "../../api/kinds.ts";
import { StatusError } from "../../api/status-error.ts";
import type { Pod } from "../../api/types.ts";
import { SimCluster } from "../../controller/testing/sim-cluster.ts";
import { PodGarbageCollector, type PodGarbageOptions } from "./pod-garbage-collector.ts";

const pod = kindOf("v1", "Pod");
const node = kindOf("v1", "Node");
if (pod === undefined || node === undefined) throw new Error("there are no pods or nodes");

describe("PodGarbageCollector", () => {
  const started = async (options?: PodGarbageOptions): Promise<SimCluster> => {
    const sim = new SimCluster({ seed: 1 });
    sim.create(node, { metadata: { name: "there" } });
    await sim.start(new PodGarbageCollector(sim.context, options));
    return sim;
  };

  it("ends a pod whose node is gone, after a time in which the node might have come", async () => {
    await using sim = await started();
    put(sim, "lost", { nodeName: "gone" });
    put(sim, "well", { nodeName: "there" });
    const writes: { readonly type: string; readonly pod: Pod }[] = [];
    using _watch = sim.observe(({ type, object, by }) => {
      if (by === "controllers") writes.push({ type, pod: object as object as Pod });
    });
    await sim.pass(59_000);
    deepEqual(names(sim), ["lost", "well"]);
    await sim.pass(21_000);
    deepEqual(names(sim), ["well"]);
    equal(writes.at(-1)?.type, "DELETED");
    const { phase, conditions = [] } = writes[0]?.pod.status ?? {};
    equal(phase, "Failed");
    const told = conditions.map(({ type, status, reason, message }) => [
      type,
      status,
      reason,
      message,
    ]);
    deepEqual(told, [
      ["DisruptionTarget", "True", "DeletionByPodGC", "PodGC: node no longer exists"],
    ]);
  });

  it("leaves a pod whose node comes in time", async () => {
    await using sim = await started();
    put(sim, "p", { nodeName: "late" });
    await sim.pass(45_000);
    sim.create(node, { metadata: { name: "late" } });
    await sim.pass(60_000);
    deepEqual(names(sim), ["p"]);
  });

  it("leaves a pod whose node the server has, although no watch told of it", async () => {
    await using sim = await started();
    sim.watchLagMs = ({ kind }) => (kind === "Node" ? 600_000 : 0);
    sim.create(node, { metadata: { name: "unseen" } });
    put(sim, "p", { nodeName: "unseen" });
    await sim.pass(120_000);
    deepEqual(names(sim), ["p"]);
  });

  it("leaves a pod while the server does not say whether its node is there", async () => {
    await using sim = await started();
    const refusal = new StatusError({ code: 500, reason: "InternalError", message: "no luck" });
    sim.refuse(({ verb, kind }) => (verb === "get" && kind.kind === "Node" ? refusal : undefined));
    put(sim, "p", { nodeName: "gone" });
    await sim.pass(120_000);
    deepEqual(names(sim), ["p"]);
    sim.refuse(() => undefined);
    await sim.pass(20_000);
    deepEqual(names(sim), []);
  });

  it("ends a pod that is on its way out of a node out of service", async () => {
    await using sim = await started();
    put(sim, "p", { nodeName: "there" });
    put(sim, "stays", { nodeName: "there" });
    sim.delete(pod, "default/p");
    const taints = [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }];
    sim.patch(node, "there", { spec: { taints } });
    await sim.pass(21_000);
    deepEqual(names(sim), ["stays"]);
  });

  it("ends a pod that is on its way out and never came to a node", async () => {
    await using sim = await started();
    put(sim, "p", {}, ["example.com/held"]);
    sim.delete(pod, "default/p");
    await sim.pass(21_000);
    equal(sim.get<Pod>(pod, "default/p")?.status.phase, "Failed");
    deepEqual(sim.get<Pod>(pod, "default/p")?.status.conditions ?? [], []);
    sim.patch(pod, "default/p", { metadata: { finalizers: null } });
    await sim.pass(21_000);
    deepEqual(names(sim), []);
  });

  it("keeps as many ended pods as it may, and the youngest", async () => {
    await using sim = await started({ maxEndedPods: 2 });
    for (const name of ["z-first", "b", "c"]) {
      put(sim, name, { nodeName: "there" });
      sim.patchStatus(pod, `default/${name}`, { status: { phase: "Succeeded" } });
      await sim.pass(1000);
    }
    await sim.pass(20_000);
    deepEqual(names(sim), ["b", "c"]);
  });
});

function put(
  sim: SimCluster,
  name: string,
  spec: { readonly nodeName?: string },
  finalizers: readonly string[] = [],
): void {
  if (pod === undefined) return;
  const containers = [{ name: "c", image: "i" }];
  sim.create(pod, { metadata: { name, finalizers }, spec: { containers, ...spec } });
}

function names(sim: SimCluster): string[] {
  return pod === undefined ? [] : sim.list(pod).map(({ metadata }) => metadata.name ?? "");
}
