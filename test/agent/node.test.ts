import { deepEqual, equal, match, ok } from "node:assert/strict";
import { hostname, networkInterfaces } from "node:os";
import { after, before, describe, it, type TestContext } from "node:test";
import type { NodeIdentity } from "../../src/agent/join/node-identity.ts";
import { identityFromKubeconfig } from "../../src/agent/join/node-identity.ts";
import {
  LEASES,
  type LeaseObject,
  NODES,
  type NodeObject,
} from "../../src/agent/node/node-kinds.ts";
import { NodeLease } from "../../src/agent/node/node-lease.ts";
import { NodeStatusWriter } from "../../src/agent/node/node-status-writer.ts";
import { NodeSurvey } from "../../src/agent/node/node-survey.ts";
import { OwnNode } from "../../src/agent/node/own-node.ts";
import { objectTtlMs } from "../../src/agent/objects/object-ttl.ts";
import { systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/random.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { FakeClock } from "../../src/base/testing/fake-clock.ts";
import { ApiClient } from "../../src/client/api-client.ts";
import { ResourceClient } from "../../src/client/resource-client.ts";
import { kubectlBinary } from "../clients/kubectl-binaries.ts";
import { run } from "../identity/command.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import { JoiningMachine, tokenFor } from "./joining.ts";

/** Everything of a node but pods. Its heartbeats and looks come when the test steps its clock. */
class RunningNode {
  readonly clock = new FakeClock();
  readonly logger = new CaptureLogger();
  readonly own: OwnNode;
  readonly survey: NodeSurvey;
  missing: readonly string[] = [];
  readonly writer: NodeStatusWriter;
  readonly #waiting = new Set<() => void>();
  looks = 0;
  renewals = 0;
  writes = 0;

  private constructor(t: TestContext, identity: NodeIdentity, survey: NodeSurvey) {
    const { nodeName, connection } = identity;
    const client = new ApiClient({ connection, clock: systemClock, timeoutMs: 60_000 });
    const { clock, logger } = this;
    const random = { next: () => 0, uint32: () => 0 };
    const nodes = new ResourceClient<NodeObject>(client, NODES);
    const leases = new ResourceClient<LeaseObject>(client, LEASES);
    this.survey = survey;
    const live = { clock: systemClock, random: systemRandom, logger };
    const { labels } = survey.facts;
    this.own = new OwnNode({ nodeName, labels, client, nodes, ...live });
    const { own } = this;
    own.onChange(() => this.#news());
    this.writer = new NodeStatusWriter({
      own,
      nodes: {
        patch: async (...args) => {
          const node = await nodes.patch(...args);
          this.writes++;
          setImmediate(() => this.#news());
          return node;
        },
      },
      look: async () => {
        const sight = await survey.look();
        this.looks++;
        setImmediate(() => this.#news());
        return sight;
      },
      missing: () => this.missing,
      port: () => 0,
      clock,
      random,
      logger,
    });
    const counted = async (work: Promise<LeaseObject>): Promise<LeaseObject> => {
      const lease = await work;
      this.renewals++;
      setImmediate(() => this.#news());
      return lease;
    };
    const lease = new NodeLease({
      nodeName,
      own,
      leases: {
        get: (...args) => leases.get(...args),
        create: (...args) => counted(leases.create(...args)),
        update: (...args) => counted(leases.update(...args)),
      },
      clock,
      random,
      logger,
    });
    const stop = new AbortController();
    const ended = [own, this.writer, lease].map((part) => part.run(stop.signal));
    t.after(async () => {
      stop.abort();
      await Promise.all(ended);
      client[Symbol.dispose]();
    });
  }

  static async start(
    t: TestContext,
    identity: NodeIdentity,
    dataDir: string,
  ): Promise<RunningNode> {
    const survey = await NodeSurvey.begin({
      maxPods: 110,
      nodeName: identity.nodeName,
      hostname: hostname(),
      root: "/",
      dataDir,
      server: identity.connection.server,
      addresses: [],
      interfaces: networkInterfaces,
      architecture: process.arch,
      runtimeVersion: "driftless-process://0.0.0",
      agentVersion: "v1.36.0+driftless.0.0.0",
    });
    return new RunningNode(t, identity, survey);
  }

  /** Resolves when `holds` does; never, otherwise: the test's time limit tells. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  /** Ten seconds pass; and again, if whoever should wake up then had not gone to sleep yet. */
  async stepTo(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await this.clock.step(10_000);
      for (let wait = 0; wait < 100 && !condition(); wait++) await systemClock.sleep(10);
    }
  }

  #news(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

describe("a node on a real server", () => {
  let server: DriftlessServer;
  before(async () => {
    server = await DriftlessServer.start({ flags: ["--store", "memory"] });
  });
  after(() => server[Symbol.asyncDispose]());

  async function stored<T>(path: string): Promise<T> {
    const { status, text } = await server.fetch("GET", path);
    equal(status, 200, text);
    return JSON.parse(text) as T;
  }
  const nodeOf = (name: string): Promise<NodeObject> => stored(`/api/v1/nodes/${name}`);
  const leaseOf = (name: string): Promise<LeaseObject> =>
    stored(`/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`);

  async function joined(
    t: TestContext,
    name: string,
  ): Promise<{ node: RunningNode; machine: JoiningMachine }> {
    const machine = new JoiningMachine();
    t.after(() => machine[Symbol.dispose]());
    const identity = await machine.join(await tokenFor(server), name);
    const node = await RunningNode.start(t, identity, machine.dataDir);
    await node.own.registered;
    return { node, machine };
  }

  it("is seen with its labels, capacity, addresses and conditions, and then is quiet", async (t) => {
    const { node } = await joined(t, "n1");
    await node.until(() => node.writes === 1);
    const { metadata, status } = await nodeOf("n1");
    deepEqual(metadata.labels, { ...node.survey.facts.labels });
    deepEqual(status.capacity, { ...node.survey.facts.capacity });
    deepEqual(status.addresses, node.survey.facts.addresses);
    deepEqual(status.nodeInfo, node.survey.facts.nodeInfo);
    deepEqual(
      status.conditions?.map(({ type, status: is }) => `${type}=${is}`),
      ["MemoryPressure=False", "DiskPressure=False", "PIDPressure=False", "Ready=True"],
    );
    ok(metadata.annotations?.["driftless.dev/machine-key"]?.startsWith("sha256:"));
    // When the third look has begun, the second has led to nothing.
    for (const looks of [2, 3]) await node.stepTo(() => node.looks >= looks);
    equal(node.writes, 1);
  });

  it("renews its lease, which goes with its Node", async (t) => {
    const { node } = await joined(t, "n2");
    await node.until(() => node.renewals === 1);
    const first = await leaseOf("n2");
    equal(first.metadata.ownerReferences?.[0]?.uid, node.own.uid);
    equal(first.spec.leaseDurationSeconds, 40);
    await node.stepTo(() => node.renewals >= 2);
    const second = await leaseOf("n2");
    ok((second.spec.renewTime ?? "") > (first.spec.renewTime ?? ""));
    equal(second.spec.holderIdentity, "n2");
  });

  it("writes what changes, keeps what others wrote, and knows its annotations", async (t) => {
    const { node } = await joined(t, "n3");
    await node.until(() => node.writes === 1);
    const other = { type: "KernelDeadlock", status: "False", reason: "Fine", message: "fine" };
    const patch = { status: { conditions: [other] } };
    const strategic = { "content-type": "application/strategic-merge-patch+json" };
    await server.fetch("PATCH", "/api/v1/nodes/n3/status", patch, strategic);
    const annotations = { "node.alpha.kubernetes.io/ttl": "15" };
    await server.fetch("PATCH", "/api/v1/nodes/n3", { metadata: { annotations } }, strategic);
    await node.until(() => objectTtlMs(node.own.object) === 15_000);
    node.missing = ["container runtime is starting"];
    node.writer.lookNow();
    await node.until(() => node.writes === 2);
    const { conditions = [] } = (await nodeOf("n3")).status;
    deepEqual(conditions.map(({ type, status }) => `${type}=${status}`).sort(), [
      "DiskPressure=False",
      "KernelDeadlock=False",
      "MemoryPressure=False",
      "PIDPressure=False",
      "Ready=False",
    ]);
  });

  it("contradicts a controller that takes it for gone, at once", async (t) => {
    const { node } = await joined(t, "n4");
    await node.until(() => node.writes === 1);
    const patch = { status: { conditions: [{ type: "Ready", status: "Unknown" }] } };
    const strategic = { "content-type": "application/strategic-merge-patch+json" };
    await server.fetch("PATCH", "/api/v1/nodes/n4/status", patch, strategic);
    await node.until(() => node.writes === 2);
    equal(
      (await nodeOf("n4")).status.conditions?.find(({ type }) => type === "Ready")?.status,
      "True",
    );
  });

  it("does not make its Node again when somebody deletes it", async (t) => {
    const { node } = await joined(t, "n5");
    await node.until(() => node.writes === 1 && node.renewals === 1);
    await server.fetch("DELETE", "/api/v1/nodes/n5");
    await node.until(() => node.own.object === undefined);
    await node.clock.step(60_000);
    equal((await server.fetch("GET", "/api/v1/nodes/n5")).status, 404);
    equal(node.writes, 1);
    equal(node.renewals, 1);
    ok(
      node.logger.records.some(
        ({ level, message }) => level === "error" && /was deleted: it is locked out/.test(message),
      ),
    );
  });

  it("can be the admin's, who makes the Node; and its later lives find it", async (t) => {
    using machine = new JoiningMachine();
    const identity = identityFromKubeconfig({ file: server.kubeconfig, nodeName: "n6" });
    const first = await RunningNode.start(t, identity, machine.dataDir);
    await first.until(() => first.writes === 1);
    const second = await RunningNode.start(t, identity, machine.dataDir);
    await second.until(() => second.writes === 1);
    equal(second.own.uid, first.own.uid);
  });

  it("is shown by kubectl as Ready", async (t) => {
    const kubectl = await kubectlBinary("1.32");
    if (!kubectl.ok) return t.skip(kubectl.reason);
    const { node } = await joined(t, "n7");
    await node.until(() => node.writes === 1);
    const flags = ["--kubeconfig", server.kubeconfig, "get", "nodes", "n7", "-o", "wide"];
    const { stdout, stderr } = await run(kubectl.path, flags);
    const [address = ""] = node.survey.node().addresses;
    match(
      stdout,
      new RegExp(`^n7 +Ready +<none> +\\S+ +v1\\.36\\.0\\S+ +${address} `, "m"),
      stderr,
    );
  });
});
