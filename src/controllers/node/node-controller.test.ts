import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StatusError } from "../../api/status-error.ts";
import type { Taint } from "../../api/types.ts";
import type { Clock } from "../../base/clock.ts";
import { SimCluster } from "../../controller/testing/sim-cluster.ts";
import { POD, type PodObject } from "../pods/pod-object.ts";
import { NodeController } from "./node-controller.ts";
import { LEASE, LEASE_NAMESPACE, NODE, type NodeObject, timestamp } from "./node-objects.ts";

const CONDITIONS = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** Nodes that renew their leases every ten seconds until they die, and say that they are ready. */
class Machines implements AsyncDisposable {
  readonly sim = new SimCluster({ seed: 1 });
  readonly #alive = new Set<string>();

  constructor(...names: readonly string[]) {
    for (const name of names) this.add(name);
  }

  add(name: string, labels: Record<string, string> = {}): void {
    this.sim.create(NODE, { metadata: { name, labels }, spec: {} });
    const spec = { holderIdentity: name, leaseDurationSeconds: 40 };
    this.sim.create(LEASE, { metadata: { name, namespace: LEASE_NAMESPACE }, spec });
    this.#alive.add(name);
    this.post(name);
  }

  /** What its agent says of it. */
  post(name: string, changed: Record<string, string> = {}): void {
    const at = timestamp(this.sim.clock.now());
    const conditions = CONDITIONS.map((type) => ({
      type,
      status: changed[type] ?? (type === "Ready" ? "True" : "False"),
      reason: "Said",
      message: "so",
      lastHeartbeatTime: at,
      lastTransitionTime: at,
    }));
    this.sim.patchStatus(NODE, name, { status: { conditions } });
  }

  die(...names: readonly string[]): void {
    for (const name of names) this.#alive.delete(name);
  }

  revive(name: string): void {
    this.#alive.add(name);
    this.post(name);
  }

  pod(name: string, nodeName: string, tolerationSeconds?: number): void {
    const tolerations = ["not-ready", "unreachable"].map((key) => ({
      key: `node.kubernetes.io/${key}`,
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds,
    }));
    const containers = [{ name: "c", image: "i" }];
    const spec = {
      nodeName,
      containers,
      tolerations: tolerationSeconds === undefined ? [] : tolerations,
    };
    this.sim.create(POD, { metadata: { name, namespace: "default" }, spec });
    const conditions = [{ type: "Ready", status: "True" }];
    this.sim.patchStatus(POD, `default/${name}`, { status: { phase: "Running", conditions } });
  }

  async pass(seconds: number): Promise<void> {
    for (let s = 0; s < seconds; s++) {
      if (Math.floor(this.sim.clock.monotonicMs() / 1000) % 10 === 0) this.#renew();
      await this.sim.pass(1000);
    }
  }

  #renew(): void {
    const renewTime = new Date(this.sim.clock.now()).toISOString().replace("Z", "000Z");
    for (const name of this.#alive) {
      this.sim.patch(LEASE, `${LEASE_NAMESPACE}/${name}`, { spec: { renewTime } });
    }
  }

  node(name: string): NodeObject {
    const node = this.sim.get<NodeObject>(NODE, name);
    assert.ok(node);
    return node;
  }

  ready(name: string): string | undefined {
    return this.node(name).status.conditions?.find(({ type }) => type === "Ready")?.status;
  }

  /** "key:effect", sorted, without what is in front of the keys. */
  taints(name: string): readonly string[] {
    return (this.node(name).spec.taints ?? [])
      .map(({ key, effect }: Taint) => `${key.replace("node.kubernetes.io/", "")}:${effect}`)
      .sort();
  }

  isGoing(name: string): boolean {
    const pod = this.sim.get<PodObject>(POD, `default/${name}`);
    return pod === undefined || pod.metadata.deletionTimestamp != null;
  }

  said(...reasons: readonly string[]): readonly string[] {
    return this.sim.events
      .filter(({ reason }) => reasons.includes(reason))
      .map(({ component, reason, message }) => `${component} ${reason}: ${message}`);
  }

  async start(): Promise<void> {
    await this.sim.start(new NodeController(this.sim.context));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sim[Symbol.asyncDispose]();
  }
}

describe("NodeController", () => {
  it("leaves nodes that renew their leases alone", async () => {
    await using all = new Machines("a", "b");
    await all.start();

    await all.pass(300);

    assert.deepEqual([all.ready("a"), all.taints("a")], ["True", []]);
  });

  it("says that a node is unknown when it was silent for forty seconds, and taints it", async () => {
    await using all = new Machines("a", "b");
    await all.start();
    await all.pass(1);
    all.die("a");

    await all.pass(38);
    assert.equal(all.ready("a"), "True");
    await all.pass(4);

    const { conditions } = all.node("a").status;
    assert.deepEqual(
      conditions?.map(({ type, status, reason, message }) => [type, status, reason, message]),
      CONDITIONS.map((type) => [
        type,
        "Unknown",
        "NodeStatusUnknown",
        "Kubelet stopped posting node status.",
      ]),
    );
    assert.deepEqual(all.taints("a"), ["unreachable:NoExecute", "unreachable:NoSchedule"]);
    assert.deepEqual(all.taints("b"), []);
    assert.deepEqual(all.said("NodeNotReady"), [
      "node-controller NodeNotReady: Node a status is now: NodeNotReady",
    ]);
  });

  for (const earlyMs of [1.5, 1.75, 2, 2.25, 2.5, 2.75, 3, 3.25]) {
    it(`says it too when a timer is ${earlyMs} ms early, and its time runs out during a turn`, async () => {
      await using all = new Machines("a", "b");
      const { context } = all.sim;
      const { clock } = context;
      let passedMs = 0;
      const hasty: Clock = {
        now: () => clock.now(),
        monotonicMs: () => {
          passedMs += 0.3;
          return clock.monotonicMs() + passedMs;
        },
        sleep: (ms, signal) => clock.sleep(ms, signal),
        schedule: (ms, callback) => clock.schedule(Math.max(0, ms - earlyMs), callback),
      };
      await all.sim.start(new NodeController({ ...context, clock: hasty }));
      await all.pass(1);
      all.die("a");

      await all.pass(44);

      assert.equal(all.ready("a"), "Unknown");
    });
  }

  it("says that a node which never posted a status is unknown after a minute", async () => {
    await using all = new Machines("b");
    all.sim.create(NODE, { metadata: { name: "a" }, spec: {} });
    await all.start();

    await all.pass(62);

    const [ready] = all.node("a").status.conditions ?? [];
    assert.equal(ready?.reason, "NodeStatusNeverUpdated");
    assert.equal(ready?.message, "Kubelet never posted node status.");
    assert.equal(ready?.lastHeartbeatTime, all.node("a").metadata.creationTimestamp);
  });

  it("takes the taints away when the node is back, also the one that it registered with", async () => {
    await using all = new Machines("a", "b");
    all.sim.patch(NODE, "b", {
      spec: { taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }] },
    });
    await all.start();
    assert.deepEqual(all.taints("b"), []);
    all.die("a");
    await all.pass(60);

    all.revive("a");
    await all.pass(1);

    assert.deepEqual(all.taints("a"), []);
    assert.deepEqual(all.said("NodeReady"), [
      "node-controller NodeReady: Node a status is now: NodeReady",
    ]);
  });

  it("follows conditions and the cordon with taints, and leaves those of others", async () => {
    await using all = new Machines("a", "b");
    all.sim.patch(NODE, "a", {
      spec: { unschedulable: true, taints: [{ key: "mine", effect: "NoSchedule", value: "v" }] },
    });
    all.post("a", { MemoryPressure: "True", PIDPressure: "True", Ready: "False" });
    await all.start();
    await all.pass(1);

    assert.deepEqual(all.taints("a"), [
      "memory-pressure:NoSchedule",
      "mine:NoSchedule",
      "not-ready:NoExecute",
      "not-ready:NoSchedule",
      "pid-pressure:NoSchedule",
      "unschedulable:NoSchedule",
    ]);
    all.sim.patch(NODE, "a", { spec: { unschedulable: false } });
    all.post("a");
    await all.pass(1);
    assert.deepEqual(all.taints("a"), ["mine:NoSchedule"]);
  });

  it("swaps not-ready for unreachable when a node that was not ready falls silent", async () => {
    await using all = new Machines("a", "b");
    await all.start();
    all.post("a", { Ready: "False" });
    await all.pass(1);
    assert.deepEqual(all.taints("a"), ["not-ready:NoExecute", "not-ready:NoSchedule"]);

    all.die("a");
    await all.pass(60);

    assert.deepEqual(all.taints("a"), ["unreachable:NoExecute", "unreachable:NoSchedule"]);
  });

  it("makes the pods of a silent node unready, once, and says so", async () => {
    await using all = new Machines("a", "b");
    all.pod("p", "a", 300);
    await all.start();
    all.die("a");
    await all.pass(60);

    const ready = (): string | undefined =>
      all.sim.get<PodObject>(POD, "default/p")?.status.conditions?.[0]?.status;
    assert.equal(ready(), "False");
    assert.deepEqual(
      all.sim.events.filter(({ object }) => object.kind === "Pod").map((e) => [e.type, e.message]),
      [["Warning", "Node is not ready"]],
    );
    // The agent is back, and tells of its pod before it tells of itself.
    all.sim.patchStatus(POD, "default/p", {
      status: { conditions: [{ type: "Ready", status: "True" }] },
    });
    await all.pass(5);
    assert.equal(ready(), "True");
  });

  it("deletes pods when they no longer tolerate the taint, those that do not at once", async () => {
    await using all = new Machines("a", "b");
    all.pod("none", "a", 0);
    all.pod("five-minutes", "a", 300);
    await all.start();
    all.die("a");

    await all.pass(45);
    assert.deepEqual([all.isGoing("none"), all.isGoing("five-minutes")], [true, false]);
    await all.pass(290);
    assert.equal(all.isGoing("five-minutes"), false);
    await all.pass(10);

    assert.equal(all.isGoing("five-minutes"), true);
    assert.deepEqual(all.said("TaintManagerEviction"), [
      "taint-eviction-controller TaintManagerEviction: Marking for deletion Pod default/none",
      "taint-eviction-controller TaintManagerEviction: Marking for deletion Pod default/five-minutes",
    ]);
    const pod = all.sim.get<PodObject>(POD, "default/five-minutes");
    const disrupted = pod?.status.conditions?.find(({ type }) => type === "DisruptionTarget");
    assert.equal(disrupted?.reason, "DeletionByTaintManager");
  });

  it("cancels the deletion when the node comes back", async () => {
    await using all = new Machines("a", "b");
    all.pod("p", "a", 300);
    await all.start();
    all.die("a");
    await all.pass(100);

    all.revive("a");
    await all.pass(600);

    assert.equal(all.isGoing("p"), false);
    assert.deepEqual(all.said("TaintManagerEviction"), [
      "taint-eviction-controller TaintManagerEviction: Cancelling deletion of Pod default/p",
    ]);
  });

  it("goes on counting when the controller is started anew, and gives at least forty seconds", async () => {
    await using all = new Machines("a", "b");
    all.pod("p", "a", 300);
    await all.start();
    all.die("a");
    await all.pass(45);

    await all.sim.stop();
    await all.pass(200);
    await all.start();
    await all.pass(85);
    assert.equal(all.isGoing("p"), false);
    await all.pass(20);

    assert.equal(all.isGoing("p"), true);
  });

  it("gives a pod whose time is over at the start of the controller forty seconds more", async () => {
    await using all = new Machines("a", "b");
    all.pod("p", "a", 300);
    await all.start();
    all.die("a");
    await all.pass(45);
    await all.sim.stop();
    await all.pass(1000);

    await all.start();
    await all.pass(38);
    assert.equal(all.isGoing("p"), false);
    await all.pass(5);

    assert.equal(all.isGoing("p"), true);
  });

  it("empties no more than one node in ten seconds", async () => {
    await using all = new Machines("a", "b", "c", "d", "e", "f");
    await all.start();
    all.die("a", "b");
    const driven = (): number =>
      ["a", "b"].filter((name) => all.taints(name).includes("unreachable:NoExecute")).length;

    await all.pass(43);
    assert.deepEqual([driven(), all.taints("a").length + all.taints("b").length], [1, 3]);
    await all.pass(10);

    assert.equal(driven(), 2);
  });

  it("empties nobody when all nodes are gone, and takes back what it began", async () => {
    await using all = new Machines("a", "b", "c");
    for (const name of ["a", "b", "c"]) all.pod(`p-${name}`, name, 300);
    await all.start();
    all.die("a");
    await all.pass(60);
    assert.ok(all.taints("a").includes("unreachable:NoExecute"));

    all.die("b", "c");
    await all.pass(1000);

    for (const name of ["a", "b", "c"]) {
      assert.deepEqual(all.taints(name), ["unreachable:NoSchedule"]);
      assert.equal(all.isGoing(`p-${name}`), false);
    }
  });

  it("empties nobody in a small zone of which more than half is gone", async () => {
    await using all = new Machines("a", "b", "c", "d", "e");
    await all.start();

    all.die("a", "b", "c");
    await all.pass(300);

    const driven = ["a", "b", "c"].filter((name) => all.taints(name).length === 2);
    assert.ok(driven.length <= 1, driven.join());
  });

  it("believes the server, not its own copy that lags behind", async () => {
    await using all = new Machines("a", "b");
    await all.start();
    await all.pass(5);
    all.sim.watchLagMs = (kind) => (kind.kind === "Lease" ? 55_000 : 0);

    await all.pass(120);

    assert.equal(all.ready("a"), "True");
  });

  it("does not take its own outage for that of the nodes", async () => {
    await using all = new Machines("a", "b");
    await all.start();
    all.die("a", "b");
    await all.pass(30);
    const away = new StatusError({ code: 500, reason: "InternalError", message: "away" });
    all.sim.refuse(({ verb }) => (verb === "get" ? away : undefined));
    await all.pass(30);

    all.sim.refuse(() => undefined);
    all.revive("a");
    all.revive("b");
    await all.pass(60);

    assert.deepEqual(all.said("NodeNotReady"), []);
  });
});
