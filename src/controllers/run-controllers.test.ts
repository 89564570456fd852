import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StatusError } from "../api/status-error.ts";
import type { Event } from "../api/types.ts";
import { SimCluster } from "../controller/testing/sim-cluster.ts";
import { servedKind } from "./pods/pod-object.ts";
import { runControllers } from "./run-controllers.ts";

const DEPLOYMENT = servedKind("apps/v1", "Deployment");
const REPLICA_SET = servedKind("apps/v1", "ReplicaSet");
const POD = servedKind("v1", "Pod");
const LEASE = servedKind("coordination.k8s.io/v1", "Lease");
const EVENT = servedKind("v1", "Event");

interface Process {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  readonly said: string[];
}

function start(sim: SimCluster, identity: string | undefined): Process {
  const stop = new AbortController();
  const said: string[] = [];
  const { clock, random, logger } = sim;
  const client = sim.clientOf(identity ?? "only");
  const options = {
    ...{ client, clock, random, logger, rootCertificates: "PEM" },
    elect: identity === undefined ? undefined : { identity },
    onReady: () => void said.push("ready"),
    onStopped: () => void said.push("stopped"),
  };
  const ended = runControllers(options, stop.signal);
  ended.catch(() => undefined);
  return { stop, ended, said };
}

function deploy(sim: SimCluster, name: string): void {
  const labels = { app: name };
  sim.create(DEPLOYMENT, {
    metadata: { name, namespace: "default" },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  });
}

describe("runControllers", () => {
  it("runs all of them without an election, and stops them", async () => {
    await using sim = new SimCluster({ seed: 1 });
    const only = start(sim, undefined);
    deploy(sim, "web");
    await sim.pass(2000);

    assert.equal(sim.list(REPLICA_SET).length, 1);
    assert.equal(sim.list(POD).length, 3);
    const reasons = sim.list<Event>(EVENT).map(({ reason }) => reason);
    assert.ok(reasons.includes("ScalingReplicaSet"), reasons.join());
    assert.equal(sim.list(LEASE).length, 0);
    only.stop.abort();
    await sim.pass(0);
    await only.ended;
    assert.deepEqual(only.said, ["ready", "stopped"]);
  });

  it("lets those work that can, when something may not be read", async () => {
    await using sim = new SimCluster({ seed: 1 });
    const message = 'daemonsets.apps is forbidden: User "only" cannot list it';
    sim.refuse(({ kind }) =>
      kind.kind === "DaemonSet"
        ? new StatusError({ code: 403, reason: "Forbidden", message })
        : undefined,
    );
    const only = start(sim, undefined);
    deploy(sim, "web");
    await sim.pass(2000);

    assert.equal(sim.list(POD).length, 3);
    assert.deepEqual(only.said, []);
    sim.refuse(() => undefined);
    await sim.pass(60_000);
    assert.deepEqual(only.said, ["ready"]);
    only.stop.abort();
    await sim.pass(0);
    await only.ended;
    assert.deepEqual(only.said, ["ready", "stopped"]);
  });

  it("lets one of two work, and the other when it is told to stop", async () => {
    await using sim = new SimCluster({ seed: 1 });
    const a = start(sim, "a");
    await sim.pass(100);
    const b = start(sim, "b");
    await sim.pass(20_000);
    assert.deepEqual([a.said, b.said], [["ready"], []]);

    a.stop.abort();
    await sim.pass(500);
    await a.ended;
    deploy(sim, "web");
    await sim.pass(2000);

    assert.deepEqual([a.said, b.said], [["ready", "stopped"], ["ready"]]);
    assert.equal(sim.list(POD).length, 3);
    b.stop.abort();
    await sim.pass(500);
    await b.ended;
  });

  it("goes on with all anew after it had lost the lead", async () => {
    await using sim = new SimCluster({ seed: 1 });
    const a = start(sim, "a");
    await sim.pass(100);
    sim.refuse(({ kind }) => (kind.kind === "Lease" ? "cut" : undefined));
    await sim.pass(20_000);
    assert.deepEqual(a.said, ["ready", "stopped"]);

    sim.refuse(() => undefined);
    await sim.pass(5000);
    deploy(sim, "web");
    await sim.pass(5000);

    assert.deepEqual(a.said, ["ready", "stopped", "ready"]);
    assert.equal(sim.list(POD).length, 3);
    a.stop.abort();
    await sim.pass(500);
    await a.ended;
  });
});
