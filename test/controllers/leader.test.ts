import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiObject } from "../../src/api/object.ts";
import type { Deployment, Lease, ReplicaSet } from "../../src/api/types.ts";
import { systemClock } from "../../src/base/clock.ts";
import { ApiClient } from "../../src/client/api-client.ts";
import { readKubeconfig } from "../../src/client/kubeconfig.ts";
import { ResourceClient } from "../../src/client/resource-client.ts";
import { servedKind } from "../../src/controllers/pods/pod-object.ts";
import { DriftlessControllers } from "../support/driftless-controllers.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import { isReady, PaperNodes } from "./paper-nodes.ts";

const LOOK_MS = 100;
const PATIENCE_MS = 60_000;
/** So that the test need not wait long for a leader that is dead; one that lives renews it on a busy machine, too. */
const SHORT_LEASE = [
  ...["--leader-elect-lease-duration", "10s"],
  ...["--leader-elect-renew-deadline", "8s"],
  ...["--leader-elect-retry-period", "1s"],
];
/** Longer than the test: whoever leads after another was given the lease, and has not waited for its end. */
const LONG_LEASE = ["--leader-elect-lease-duration", "1h"];
/** A slow disk is not what this is about: a write may take longer than a short lease. */
const inMemory = { flags: ["--store", "memory"] };
const REPLICAS = 6;
const key = { namespace: "default", name: "web" };

function clientOf(server: DriftlessServer): ApiClient {
  const connection = readKubeconfig(server.kubeconfig);
  return new ApiClient({ connection, clock: systemClock, timeoutMs: 30_000 });
}

function deploymentOf(image: string): Deployment & ApiObject {
  const labels = { app: "web" };
  return {
    metadata: { ...key },
    spec: {
      replicas: REPLICAS,
      selector: { matchLabels: labels },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image }] } },
    },
    status: {},
  } as object as Deployment & ApiObject;
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const endMs = systemClock.monotonicMs() + PATIENCE_MS;
  while (!(await isSo())) {
    if (systemClock.monotonicMs() > endMs) throw new Error(`not within a minute: ${what}`);
    await systemClock.sleep(LOOK_MS);
  }
}

function isComplete({ metadata, status }: Deployment): boolean {
  return (
    status.observedGeneration === metadata.generation &&
    status.updatedReplicas === REPLICAS &&
    status.availableReplicas === REPLICAS &&
    status.replicas === REPLICAS
  );
}

describe("two processes of controllers", () => {
  it("finish a rollout in the middle of which the leader was killed", async () => {
    await using server = await DriftlessServer.start(inMemory);
    using client = clientOf(server);
    const { dataDir } = server;
    await using a = await DriftlessControllers.start({ dataDir, flags: SHORT_LEASE });
    await a.atWork();
    await using b = await DriftlessControllers.start({ dataDir, flags: SHORT_LEASE });
    const deployments = new ResourceClient<Deployment & ApiObject>(
      client,
      servedKind("apps/v1", "Deployment"),
    );
    const sets = new ResourceClient<ReplicaSet & ApiObject>(
      client,
      servedKind("apps/v1", "ReplicaSet"),
    );
    let fewest = Number.POSITIVE_INFINITY;
    let isRolling = false;
    let isHeld = false;
    await using _nodes = await PaperNodes.start({
      client,
      names: ["n1", "n2", "n3"],
      readyAfterMs: 800,
      isHeld: () => isHeld,
      onPods: (pods) => {
        if (isRolling) fewest = Math.min(fewest, pods.filter(isReady).length);
      },
    });
    await deployments.create(deploymentOf("v1"));
    await until("the first version runs", async () => isComplete(await deployments.get(key)));

    isRolling = true;
    isHeld = true;
    const { spec } = deploymentOf("v2");
    await deployments.patch(key, { spec: { template: spec.template } }, { type: "strategic" });
    await until("the rollout has begun, and waits for its first pods", async () => {
      const { status, metadata } = await deployments.get(key);
      const isSeen = status.observedGeneration === metadata.generation;
      return isSeen && (status.updatedReplicas ?? 0) >= 2;
    });
    await a.kill();
    assert.equal(isComplete(await deployments.get(key)), false, "it was over too soon");
    assert.equal(b.isAtWork, false);
    isHeld = false;
    await b.atWork();
    await until("the rollout is done", async () => isComplete(await deployments.get(key)));

    assert.ok(fewest >= REPLICAS - 1, `only ${fewest} pods were ready at a time`);
    const { items } = await sets.list({ namespace: "default" });
    assert.deepEqual(
      items.map(({ spec: { replicas = 0 } }) => replicas).sort((x, y) => x - y),
      [0, REPLICAS],
    );
    const leases = new ResourceClient<Lease & ApiObject>(
      client,
      servedKind("coordination.k8s.io/v1", "Lease"),
    );
    const lease = await leases.get({ namespace: "kube-system", name: "driftless-controllers" });
    assert.deepEqual([lease.spec.holderIdentity, lease.spec.leaseTransitions], [b.identity, 1]);
  });

  it("hand over at once when the leader is told to stop", async () => {
    await using server = await DriftlessServer.start();
    const { dataDir } = server;
    await using a = await DriftlessControllers.start({ dataDir, flags: LONG_LEASE });
    await a.atWork();
    await using b = await DriftlessControllers.start({ dataDir, flags: LONG_LEASE });
    // Long enough to have met the lease.
    await until("the other has seen who leads", async () => b.log.includes("new leader"));

    assert.equal(await a.stop(), 0);
    await b.atWork();
  });

  it("have one leader when the first one hangs, and comes to itself when another leads", async () => {
    await using server = await DriftlessServer.start(inMemory);
    const { dataDir } = server;
    await using a = await DriftlessControllers.start({ dataDir, flags: SHORT_LEASE });
    await a.atWork();
    await using b = await DriftlessControllers.start({ dataDir, flags: SHORT_LEASE });

    a.process.kill("SIGSTOP");
    await b.atWork();
    a.process.kill("SIGCONT");
    await until("the first one has noticed", async () => a.log.includes("lost the lead"));
    await b.stop();

    await a.says(/at work.*at work/s);
  });

  it("say what is wrong with the flags", async () => {
    const wrong = [
      [["--controllers", "*,-pods"], /"-pods" is not in the list of known controllers/],
      [["--leader-elect-lease-duration", "5s"], /must be longer than/],
      [
        ["--controllers", "reload,scheduler", "--namespace", "shop"],
        /--namespace shop: not with sched/,
      ],
    ] as const;
    for (const [flags, message] of wrong) {
      await using one = new DriftlessControllers({ dataDir: "/nowhere", flags });
      await assert.rejects(one.atWork(), /ended with 2/);
      assert.match(one.log, message);
    }
    await using lost = new DriftlessControllers({ dataDir: "/nowhere" });
    await assert.rejects(lost.atWork(), /ended with 1 .*there is no .*controllers\.kubeconfig/);
  });
});
