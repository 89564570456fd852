import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import { DAEMON_SET } from "../daemon-set/daemon-set-object.ts";
import { DEPLOYMENT } from "../deployment/deployment-objects.ts";
import { POD } from "../pods/pod-object.ts";
import { BASELINE } from "./reload-state.ts";
import { STATEFUL_SET } from "./reload-target.ts";
import { RELOADED_FOR } from "./reload-writer.ts";
import {
  CONFIG_MAP,
  container,
  envSpec,
  ReloadWorld,
  SECRET,
  type WorkloadOptions,
} from "./testing/reload-world.ts";

const auto = { "driftless.dev/reload": "auto" };

async function begun(options: WorkloadOptions = { annotations: auto }): Promise<ReloadWorld> {
  const world = new ReloadWorld();
  world.configMap({ level: "info", other: "1" });
  world.workload(options);
  await world.start();
  return world;
}

describe("ReloadController", () => {
  it("restarts a workload once when a key in its environment changes, and says for what", async () => {
    await using world = await begun();
    equal(world.restarts(), 0);
    world.change({ level: "debug" });
    await world.sim.pass(2000);
    equal(world.restarts(), 1);
    deepEqual(world.messages("ConfigReload"), ["configmap/app changed (level): restarting"]);
    const reason = world.get().spec.template.metadata?.annotations?.[RELOADED_FOR] ?? "";
    deepEqual((JSON.parse(reason) as { readonly changed: object }).changed, {
      "configmap/app": ["level"],
    });
    await world.sim.pass(60_000);
    equal(world.restarts(), 1);
  });

  for (const kind of [DEPLOYMENT, DAEMON_SET, STATEFUL_SET]) {
    it(`restarts a ${kind.kind}`, async () => {
      await using world = await begun({ annotations: auto, kind });
      world.change({ level: "debug" });
      await world.sim.pass(2000);
      equal(world.restarts(), 1);
    });
  }

  it("does not restart for a key that is not used, nor for labels and annotations", async () => {
    await using world = await begun();
    world.change({ other: "2", third: "3" });
    world.sim.patch(CONFIG_MAP, "default/app", {
      metadata: { labels: { a: "b" }, annotations: { c: "d" } },
    });
    await world.sim.pass(20_000);
    equal(world.restarts(), 0);
  });

  it("touches no workload that asks for nothing", async () => {
    await using world = await begun({});
    const before = world.get().metadata.resourceVersion;
    world.change({ level: "debug" });
    await world.sim.pass(20_000);
    equal(world.get().metadata.resourceVersion, before);
  });

  it("leaves hot what a volume brings under auto, and restarts for it under restart", async () => {
    const podSpec = container(
      { volumeMounts: [{ name: "v", mountPath: "/etc/app" }] },
      { volumes: [{ name: "v", configMap: { name: "app" } }] },
    );
    await using world = await begun({ annotations: auto, podSpec });
    world.workload({ name: "all", annotations: { "driftless.dev/reload": "restart" }, podSpec });
    await world.sim.settle();
    world.change({ level: "debug" });
    await world.sim.pass(2000);
    equal(world.restarts("web"), 0);
    equal(world.restarts("all"), 1);
  });

  it("restarts by key: one that is hot does not, its neighbour does", async () => {
    const podSpec = container({ envFrom: [{ configMapRef: { name: "app" } }] });
    const annotations = { ...auto, "driftless.dev/reload.log.level": "none" };
    await using world = await begun({ annotations, podSpec });
    world.change({ "log.level": "debug" });
    await world.sim.pass(2000);
    equal(world.restarts(), 0);
    world.change({ port: "80" });
    await world.sim.pass(2000);
    equal(world.restarts(), 1);
    world.change({ port: null });
    await world.sim.pass(2000);
    equal(world.restarts(), 2);
  });

  it("restarts nothing when it is restarted itself, and what it sees for the first time", async () => {
    await using world = await begun();
    for (let round = 0; round < 3; round++) await world.restartController();
    await world.sim.pass(20_000);
    equal(world.restarts(), 0);
    ok(world.get().metadata.annotations?.[BASELINE]);
  });

  it("catches up with a change that was made while it was away", async () => {
    await using world = await begun();
    await world.sim.stop();
    world.change({ level: "debug" });
    await world.sim.pass(3_600_000);
    await world.start();
    await world.sim.pass(2000);
    equal(world.restarts(), 1);
    await world.restartController();
    await world.sim.pass(20_000);
    equal(world.restarts(), 1);
  });

  it("merges a burst into one restart, and one that never ends into one each ten seconds", async () => {
    await using world = await begun();
    for (let count = 0; count < 50; count++) {
      world.change({ level: `debug${count}` });
      await world.sim.pass(100);
    }
    equal(world.restarts(), 0);
    for (let count = 50; count < 100; count++) {
      world.change({ level: `debug${count}` });
      await world.sim.pass(100);
    }
    await world.sim.pass(2000);
    ok(world.restarts() >= 1 && world.restarts() <= 2, `${world.restarts()} restarts`);
    const before = world.restarts();
    await world.sim.pass(20_000);
    equal(world.restarts(), before);
  });

  it("takes a change that is taken back at once for none", async () => {
    await using world = await begun();
    world.change({ level: "debug" });
    await world.sim.pass(500);
    world.change({ level: "info" });
    await world.sim.pass(20_000);
    equal(world.restarts(), 0);
  });

  it("restarts once for several objects that change together", async () => {
    const podSpec = container({
      envFrom: [{ configMapRef: { name: "app" } }, { secretRef: { name: "password" } }],
    });
    await using world = new ReloadWorld();
    world.configMap({ level: "info" });
    world.sim.create(SECRET, { metadata: { name: "password" }, data: { PASSWORD: "YQ==" } });
    world.workload({ annotations: auto, podSpec });
    await world.start();
    world.change({ level: "debug" });
    await world.sim.pass(300);
    world.sim.patch(SECRET, "default/password", { data: { PASSWORD: "Yg==" } });
    await world.sim.pass(5000);
    equal(world.restarts(), 1);
    deepEqual(world.messages("ConfigReload"), [
      "configmap/app changed (level), secret/password changed (PASSWORD): restarting",
    ]);
  });

  it("does not restart for an object that is deleted, nor when it comes back the same", async () => {
    const podSpec = container({ envFrom: [{ secretRef: { name: "password" } }] });
    await using world = new ReloadWorld();
    const secret = { metadata: { name: "password" }, data: { PASSWORD: "YQ==" } };
    world.sim.create(SECRET, secret);
    world.workload({ annotations: auto, podSpec });
    await world.start();
    world.sim.delete(SECRET, "default/password");
    await world.sim.pass(20_000);
    world.sim.create(SECRET, secret);
    await world.sim.pass(20_000);
    equal(world.restarts(), 0);
    await world.restartController();
    await world.sim.pass(20_000);
    equal(world.restarts(), 0);
    world.sim.delete(SECRET, "default/password");
    world.sim.create(SECRET, { ...secret, data: { PASSWORD: "Yg==" } });
    await world.sim.pass(20_000);
    equal(world.restarts(), 1);
  });

  it("restarts for an optional object that comes late, and not for one that pods have waited for", async () => {
    await using world = new ReloadWorld();
    world.workload({ name: "optional", annotations: auto, podSpec: envSpec("app", "level", true) });
    world.workload({ name: "needs", annotations: auto });
    await world.start();
    await world.sim.pass(5000);
    world.configMap({ level: "info" });
    await world.sim.pass(5000);
    equal(world.restarts("optional"), 1);
    equal(world.restarts("needs"), 0);
  });

  it("does not roll again what somebody rolls to use another key", async () => {
    await using world = await begun();
    const { containers } = envSpec("app", "other") as { readonly containers: object[] };
    world.sim.patch(DEPLOYMENT, "default/web", { spec: { template: { spec: { containers } } } });
    world.sim.patchStatus(DEPLOYMENT, "default/web", { status: { observedGeneration: 99 } });
    await world.sim.pass(20_000);
    equal(world.restarts(), 0);
    world.change({ other: "2" });
    await world.sim.pass(5000);
    equal(world.restarts(), 1);
  });

  it("loses nothing when somebody replaces the workload without its annotations", async () => {
    await using world = await begun();
    world.change({ level: "debug" });
    world.sim.patch(DEPLOYMENT, "default/web", { metadata: { annotations: { [BASELINE]: null } } });
    await world.sim.pass(5000);
    equal(world.restarts(), 1);
  });

  it("forgets what it kept when nothing is asked for any more", async () => {
    await using world = await begun();
    const annotation = { "driftless.dev/reload": null };
    world.sim.patch(DEPLOYMENT, "default/web", { metadata: { annotations: annotation } });
    await world.sim.pass(1000);
    equal(world.get().metadata.annotations?.[BASELINE], undefined);
    world.change({ level: "debug" });
    await world.sim.pass(5000);
    world.sim.patch(DEPLOYMENT, "default/web", { metadata: { annotations: auto } });
    await world.sim.pass(5000);
    equal(world.restarts(), 0);
  });

  it("restarts nothing for a workload without pods, and remembers what they will start with", async () => {
    await using world = await begun();
    world.sim.delete(POD, "default/web-pod", { gracePeriodSeconds: 0 });
    world.change({ level: "debug" });
    await world.sim.pass(5000);
    equal(world.restarts(), 0);
    await world.restartController();
    await world.sim.pass(5000);
    equal(world.restarts(), 0);
  });

  it("never deletes a bare pod: it says that nobody would make it anew", async () => {
    await using world = new ReloadWorld();
    world.configMap({ level: "info" });
    const spec = { ...envSpec(), nodeName: "n" };
    world.sim.create(POD, { metadata: { name: "bare", annotations: auto }, spec });
    world.startPod("bare");
    await world.start();
    world.change({ level: "debug" });
    await world.sim.pass(5000);
    ok(world.sim.get(POD, "default/bare"));
    match(
      world.messages("ConfigReloadImpossible").join(),
      /^configmap\/app changed \(level\): noth/,
    );
    await world.restartController();
    await world.sim.pass(5000);
    equal(world.messages("ConfigReloadImpossible").length, 1);
    world.change({ level: "trace" });
    await world.sim.pass(5000);
    equal(world.messages("ConfigReloadImpossible").length, 2);
  });

  it("gives pods what their workload asks agents to do, and takes it back", async () => {
    const annotations = {
      "driftless.dev/reload": "signal:HUP",
      "driftless.dev/reload.port": "restart",
    };
    await using world = await begun({ annotations });
    const ofPod = (): object => world.sim.get(POD, "default/web-pod")?.metadata.annotations ?? {};
    await world.sim.settle();
    deepEqual(ofPod(), {
      ...annotations,
      "driftless.dev/reload-inherited": "driftless.dev/reload,driftless.dev/reload.port",
    });
    const change = { "driftless.dev/reload": "auto", "driftless.dev/reload.port": null };
    world.sim.patch(DEPLOYMENT, "default/web", { metadata: { annotations: change } });
    await world.sim.settle();
    deepEqual(ofPod(), {});
    equal(world.restarts(), 0);
  });

  it("says which annotations it does not understand, once", async () => {
    await using world = await begun({ annotations: { "driftless.dev/reload": "often" } });
    await world.restartController();
    world.sim.patch(DEPLOYMENT, "default/web", { metadata: { labels: { a: "b" } } });
    await world.sim.settle();
    const [first, second, ...more] = world.messages("InvalidReloadAnnotation");
    match(first ?? "", /^driftless\.dev\/reload: "often" is not one of auto, restart/);
    equal(first, second);
    deepEqual(more, []);
    notEqual(first, undefined);
  });
});
