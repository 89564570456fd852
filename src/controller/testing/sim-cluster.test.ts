import { deepEqual, equal, notEqual, rejects } from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiObject } from "../../api/object.ts";
import { internalError, isNotFound, StatusError } from "../../api/status-error.ts";
import { type ObjectName, ResourceClient } from "../../client/resource-client.ts";
import { ask } from "./ask-sim.ts";
import { SimCluster } from "./sim-cluster.ts";
import { simKind } from "./sim-kinds.ts";
import { scenarios } from "./sim-scenarios.ts";

const PODS = simKind("v1", "Pod");
const spec = { containers: [{ name: "c", image: "i:1" }] };
const p: ObjectName = { namespace: "default", name: "p" };

function pod(name: string, labels: Record<string, string> = {}): object {
  return { metadata: { name, namespace: "default", labels }, spec };
}

function podsOf(sim: SimCluster): ResourceClient<ApiObject> {
  return new ResourceClient(sim.client, PODS);
}

describe("SimCluster answers as a server does:", () => {
  for (const { name, codes, run } of scenarios) {
    it(name, async () => {
      await using sim = new SimCluster({ seed: 1 });
      const said: number[] = [];
      await run(async (asked) => {
        const answer = await ask(sim, asked);
        said.push(answer.code);
        return answer;
      });
      deepEqual(said, codes);
    });
  }
});

describe("SimCluster", () => {
  it("gives the same names and uids for the same seed, and others for another", () => {
    const make = (seed: number): unknown => {
      const sim = new SimCluster({ seed });
      return sim.create(PODS, { metadata: { generateName: "a-" }, spec }).metadata;
    };
    deepEqual(make(1), make(1));
    notEqual(JSON.stringify(make(1)), JSON.stringify(make(2)));
  });

  it("tells its informers of writes at once, or as late as the watch lags", async () => {
    await using sim = new SimCluster({ seed: 1 });
    const informer = sim.context.informers.of(PODS);
    await sim.start();
    sim.create(PODS, pod("p"));
    await sim.pass(0);
    equal(informer.size, 1);
    sim.watchLagMs = () => 300;
    sim.create(PODS, pod("q"));
    await sim.pass(299);
    equal(informer.size, 1);
    await sim.pass(1);
    equal(informer.size, 2);
  });

  it("tells in order however late: what lags less does not overtake", async () => {
    await using sim = new SimCluster({ seed: 1 });
    const informer = sim.context.informers.of(PODS);
    const heard: string[] = [];
    informer.onChange(({ type, object }) => heard.push(`${type} ${object.metadata.name}`));
    await sim.start();
    const lags = [500, 0, 100];
    sim.watchLagMs = () => lags.shift() ?? 0;
    for (const name of ["a", "b", "c"]) sim.create(PODS, pod(name));
    await sim.settle();
    deepEqual(heard, ["added a", "added b", "added c"]);
  });

  it("lets settle wait for watches that lag, and for nothing else", async () => {
    await using sim = new SimCluster({ seed: 1 });
    const informer = sim.context.informers.of(PODS);
    await sim.start();
    sim.watchLagMs = () => 1000;
    sim.create(PODS, pod("p"));
    await sim.settle();
    equal(informer.size, 1);
    equal(sim.clock.monotonicMs(), 1000);
  });

  it("tells a watch of what it no longer selects that it is deleted", async () => {
    await using sim = new SimCluster({ seed: 1 });
    const stop = new AbortController();
    const path = "/api/v1/pods?watch=1&resourceVersion=100&labelSelector=a%3Db";
    const body = await sim.client.stream({ method: "GET", path, signal: stop.signal });
    const types: string[] = [];
    const reading = (async () => {
      for await (const chunk of body) {
        types.push((JSON.parse(Buffer.from(chunk).toString()) as { type: string }).type);
      }
    })();
    sim.create(PODS, pod("p", { a: "b" }));
    sim.patch(PODS, "default/p", { metadata: { labels: { a: "c" } } });
    sim.patch(PODS, "default/p", { metadata: { labels: { a: "b" } } });
    await sim.settle();
    stop.abort();
    await rejects(reading);
    deepEqual(types, ["ADDED", "DELETED", "ADDED"]);
  });

  it("lets informers begin anew when their history is forgotten", async () => {
    await using sim = new SimCluster({ seed: 1 });
    const informer = sim.context.informers.of(PODS);
    await sim.start();
    sim.cutWatches();
    sim.create(PODS, pod("p"));
    sim.create(PODS, pod("q"));
    sim.forgetHistory();
    await sim.pass(60_000);
    equal(informer.size, 2);
  });

  it("refuses what it is told to refuse", async () => {
    await using sim = new SimCluster({ seed: 1 });
    sim.refuse(({ verb, kind }) =>
      verb === "create" && kind.kind === "Pod" ? internalError("no") : undefined,
    );
    await rejects(podsOf(sim).create(pod("p") as never), { code: 500 });
    equal(sim.get(PODS, "default/p"), undefined);
  });

  it("cuts a connection before or after it has done what was asked", async () => {
    await using sim = new SimCluster({ seed: 1 });
    sim.refuse(({ verb }) => (verb === "create" ? "cut" : undefined));
    await rejects(podsOf(sim).create(pod("p") as never), /Cannot reach/);
    equal(sim.get(PODS, "default/p"), undefined);
    sim.refuse(({ verb }) => (verb === "create" ? "lost" : undefined));
    await rejects(podsOf(sim).create(pod("p") as never), /Cannot reach/);
    notEqual(sim.get(PODS, "default/p"), undefined);
  });

  it("delays requests on their way", async () => {
    await using sim = new SimCluster({ seed: 1 });
    sim.create(PODS, pod("p"));
    sim.latencyMs = () => 50;
    const answer = podsOf(sim).delete(p);
    await sim.pass(49);
    notEqual(sim.get(PODS, "default/p"), undefined);
    await sim.pass(1);
    await answer;
    equal(sim.get(PODS, "default/p"), undefined);
  });

  it("says who wrote what, in order", async () => {
    await using sim = new SimCluster({ seed: 1 });
    const writes: string[] = [];
    sim.observe(({ by, type }) => writes.push(`${by} ${type}`));
    sim.create(PODS, pod("p"));
    const other = new ResourceClient(sim.clientOf("other"), PODS);
    await other.patch(p, { metadata: { labels: { a: "b" } } }, { type: "merge" });
    await other.patch(p, { metadata: { labels: { a: "b" } } }, { type: "merge" });
    await other.delete(p);
    deepEqual(writes, ["somebody ADDED", "other MODIFIED", "other MODIFIED", "other DELETED"]);
  });

  it("fails the test in which an observer found something wrong", async () => {
    await using sim = new SimCluster({ seed: 1 });
    using _ = sim.observe(() => {
      throw new Error("this must not be");
    });
    sim.create(PODS, pod("p"));
    await rejects(sim.settle(), /this must not be/);
  });

  it("fails when controllers quarrel for ever without a pause", async () => {
    await using sim = new SimCluster({ seed: 1, maxWritesAtOnce: 50 });
    sim.create(PODS, pod("p"));
    const pods = podsOf(sim);
    const run = async (): Promise<void> => {
      for (let i = 0; ; i++) {
        const patch = { metadata: { labels: { i: String(i) } } };
        const isOver = await pods.patch(p, patch, { type: "merge" }).then(
          () => false,
          () => true,
        );
        if (isOver) return;
      }
    };
    await rejects(sim.start({ name: "quarrel", run }), /50 writes without a pause/);
  });

  it("fails when a controller ends with an error", async () => {
    await using sim = new SimCluster({ seed: 1 });
    const run = (): Promise<void> => Promise.reject(new Error("it is broken"));
    await rejects(sim.start({ name: "broken", run }), /it is broken/);
    await rejects(sim.stop(), /it is broken/);
  });

  it("has a new context after it was stopped", async () => {
    await using sim = new SimCluster({ seed: 1 });
    const before = sim.context;
    before.informers.of(PODS);
    await sim.start();
    await sim.stop();
    notEqual(sim.context, before);
    sim.create(PODS, pod("p"));
    const informer = sim.context.informers.of(PODS);
    await sim.start();
    equal(informer.size, 1);
  });

  it("throws to those who write directly what it answers to others", () => {
    const sim = new SimCluster({ seed: 1 });
    let err: unknown;
    try {
      sim.delete(PODS, "default/p");
    } catch (thrown) {
      err = thrown;
    }
    equal(isNotFound(err), true);
    equal(err instanceof StatusError, true);
  });
});
