import { deepEqual, equal, notEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import type { Lease, Node, Pod } from "../../api/types.ts";
import { SimCluster } from "./sim-cluster.ts";
import { simKind } from "./sim-kinds.ts";
import { type SimFate, SimNodes } from "./sim-nodes.ts";
import { isReady } from "./sim-pod-status.ts";

const PODS = simKind("v1", "Pod");
const NODES = simKind("v1", "Node");
const LEASES = simKind("coordination.k8s.io/v1", "Lease");
const KEY = "default/p";

class Scene implements AsyncDisposable {
  readonly sim = new SimCluster({ seed: 1 });
  readonly nodes: SimNodes;

  constructor(fate: Partial<SimFate> = {}) {
    this.nodes = new SimNodes(this.sim, { count: 2, fate: () => fate });
    const spec = { nodeName: "node-0", containers: [{ name: "c", image: "i:1" }] };
    this.sim.create(PODS, { metadata: { name: "p", namespace: "default" }, spec });
  }

  /** "Running, ready", or "gone". */
  get state(): string {
    const pod = this.sim.get<Pod>(PODS, KEY);
    return pod === undefined ? "gone" : `${pod.status.phase}${isReady(pod) ? ", ready" : ""}`;
  }

  async statesAt(...times: readonly number[]): Promise<string[]> {
    const states: string[] = [];
    for (const ms of times) {
      await this.sim.pass(ms - this.sim.clock.monotonicMs());
      states.push(this.state);
    }
    return states;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.nodes[Symbol.dispose]();
    await this.sim[Symbol.asyncDispose]();
  }
}

describe("SimNodes", () => {
  it("starts a pod that is bound, and makes it ready, after a while each", async () => {
    await using scene = new Scene({ startMs: 500, readyMs: 1000 });
    const states = await scene.statesAt(499, 500, 1499, 1500);
    deepEqual(states, ["Pending", "Running", "Running", "Running, ready"]);
  });

  it("lets go of a pod that is deleted, at the end of its grace at the latest", async () => {
    await using scene = new Scene({ startMs: 0, readyMs: 0, stopMs: 60_000 });
    await scene.sim.pass(0);
    scene.sim.delete(PODS, KEY, { gracePeriodSeconds: 7 });
    deepEqual(await scene.statesAt(6999, 7000), ["Running, ready", "gone"]);
  });

  it("lets a pod crash once, fail, succeed, or never become ready", async () => {
    const quick = { startMs: 0, readyMs: 100, endMs: 1000 } as const;
    await using crash = new Scene({ ...quick, endsAs: "crash" });
    deepEqual(await crash.statesAt(1100, 1200, 60_000), [
      "Running",
      "Running, ready",
      "Running, ready",
    ]);
    await using fail = new Scene({ ...quick, endsAs: "Failed" });
    deepEqual(await fail.statesAt(1100, 60_000), ["Failed", "Failed"]);
    await using success = new Scene({ ...quick, endsAs: "Succeeded" });
    deepEqual(await success.statesAt(1100), ["Succeeded"]);
    await using never = new Scene({ startMs: 0, readyMs: undefined });
    deepEqual(await never.statesAt(600_000), ["Running"]);
  });

  it("leaves the pods of a lost node as they are, and goes on when it comes back", async () => {
    await using scene = new Scene({ startMs: 500, readyMs: 1000 });
    await scene.sim.pass(500);
    scene.nodes.lose("node-0");
    scene.sim.delete(PODS, KEY);
    deepEqual(await scene.statesAt(600_000), ["Running"]);
    scene.nodes.comeBack("node-0");
    deepEqual(await scene.statesAt(610_000), ["gone"]);
  });

  it("renews the leases of nodes that are not lost", async () => {
    await using scene = new Scene();
    scene.nodes.lose("node-1");
    await scene.sim.pass(20_000);
    const times = [0, 1].map(
      (i) => scene.sim.get<Lease>(LEASES, `kube-node-lease/node-${i}`)?.spec.renewTime,
    );
    deepEqual(times, ["2024-01-01T00:00:20.000000Z", "2024-01-01T00:00:00.000000Z"]);
  });

  it("says again that a node is well when somebody says otherwise", async () => {
    await using scene = new Scene();
    const unknown = { status: { conditions: [{ type: "Ready", status: "Unknown" }] } };
    scene.sim.patchStatus(NODES, "node-0", unknown);
    await scene.sim.pass(10_000);
    const { conditions = [] } = scene.sim.get<Node>(NODES, "node-0")?.status ?? {};
    equal(conditions.find(({ type }) => type === "Ready")?.status, "True");
  });

  it("adds and removes nodes", async () => {
    await using scene = new Scene();
    equal(scene.nodes.add({ zone: "a" }), "node-2");
    equal(scene.sim.get(NODES, "node-2")?.metadata.labels?.["zone"], "a");
    scene.nodes.remove("node-0");
    equal(scene.sim.get(NODES, "node-0"), undefined);
    notEqual(scene.sim.get(NODES, "node-1"), undefined);
    deepEqual(scene.nodes.names, ["node-1", "node-2"]);
  });
});
