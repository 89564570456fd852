import { equal, match } from "node:assert/strict";
import { describe, it } from "node:test";
import { contentVersion } from "../../base/content-version.ts";
import { DEPLOYMENT } from "../deployment/deployment-objects.ts";
import { POD } from "../pods/pod-object.ts";
import { RELOADED_FOR } from "./reload-writer.ts";
import { CONFIG_MAP, CONFIG_VIEW, container, ReloadWorld } from "./testing/reload-world.ts";

/** Of the ConfigMap `app` as it is now. */
function versionNow(world: ReloadWorld): string {
  const object = world.sim.get<{ readonly data?: Record<string, string> }>(
    CONFIG_MAP,
    "default/app",
  );
  const data = Object.entries(object?.data ?? {});
  const content = new Map(data.map(([key, value]) => [key, Buffer.from(value)]));
  return contentVersion({ kind: "ConfigMap", uid: "" }, content);
}

function report(world: ReloadWorld, seen: object): void {
  const uid = world.sim.get(POD, "default/web-pod")?.metadata.uid;
  const use = { kind: "ConfigMap", name: "app", how: "env", container: "c", mountPath: "" };
  const view = {
    metadata: { name: "web-pod", namespace: "default" },
    pod: { name: "web-pod", uid },
    node: "n",
    uses: [{ ...use, ...seen }],
  };
  if (world.sim.get(CONFIG_VIEW, "default/web-pod") === undefined)
    world.sim.create(CONFIG_VIEW, view);
  else world.sim.patch(CONFIG_VIEW, "default/web-pod", view);
}

async function begun(): Promise<ReloadWorld> {
  const world = new ReloadWorld({ hasViews: true });
  world.configMap({ level: "info" });
  world.workload({ annotations: { "driftless.dev/reload": "auto" } });
  const hash = versionNow(world);
  report(world, { wanted: { hash }, onDisk: { hash } });
  await world.start();
  return world;
}

describe("ReloadController with views", () => {
  it("restarts a pod whose view says that it has the old content", async () => {
    await using world = await begun();
    const before = versionNow(world);
    world.change({ level: "debug" });
    report(world, { wanted: { hash: versionNow(world) }, onDisk: { hash: before } });
    await world.sim.pass(1500);
    equal(world.restarts(), 1);
  });

  it("does not roll again what somebody rolled after the change, and remembers that", async () => {
    await using world = await begun();
    await world.sim.stop();
    world.change({ level: "debug" });
    const hash = versionNow(world);
    report(world, { wanted: { hash }, onDisk: { hash } });
    await world.start();
    await world.sim.pass(20_000);
    equal(world.restarts(), 0);
    await world.restartController();
    await world.sim.pass(20_000);
    equal(world.restarts(), 0);
  });

  it("waits for word of a view that is behind, and restarts without it when it does not come", async () => {
    await using world = await begun();
    world.change({ level: "debug" });
    await world.sim.pass(5000);
    equal(world.restarts(), 0);
    await world.sim.pass(6000);
    equal(world.restarts(), 1);
  });

  it("does not restart for content that nodes hold back, and does when they let it through", async () => {
    await using world = await begun();
    const before = versionNow(world);
    world.change({ level: "broken" });
    const wanted = { hash: versionNow(world) };
    const drift = { reason: "GateRejected", message: "schema" };
    report(world, { wanted, onDisk: { hash: before }, drift });
    await world.sim.pass(120_000);
    equal(world.restarts(), 0);
    match(world.messages("ConfigReloadHeld").join(), /the nodes hold it back/);
    report(world, {
      wanted,
      onDisk: { hash: before },
      drift: { reason: "EnvFrozen", message: "" },
    });
    await world.sim.pass(100);
    equal(world.restarts(), 1);
  });

  it("restarts a pod that has drifted before anybody asked for it, once", async () => {
    await using world = new ReloadWorld({ hasViews: true });
    world.configMap({ level: "info" });
    world.workload({});
    const onDisk = { hash: versionNow(world) };
    world.change({ level: "debug" });
    const frozen = { drift: { reason: "EnvFrozen", message: "" }, onDisk };
    report(world, { wanted: { hash: versionNow(world) }, ...frozen });
    await world.start();
    await world.sim.pass(20_000);
    equal(world.restarts(), 0);
    const annotations = { "driftless.dev/reload": "auto" };
    world.sim.patch(DEPLOYMENT, "default/web", { metadata: { annotations } });
    await world.sim.pass(20_000);
    equal(world.restarts(), 1);
    // The old pod is still there, of a rollout that is slow or paused.
    await world.sim.pass(3_600_000);
    equal(world.restarts(), 1);
  });

  it("does not wait with what is asked for anew because of an earlier restart", async () => {
    await using world = await begun();
    const annotations = { [RELOADED_FOR]: JSON.stringify({ at: "2024-01-01T00:00:00Z" }) };
    world.sim.patch(DEPLOYMENT, "default/web", {
      spec: { template: { metadata: { annotations } } },
    });
    world.sim.patch(POD, "default/web-pod", { metadata: { annotations } });
    const ask = (reload: string | null): void => {
      const wish = { annotations: { "driftless.dev/reload": reload } };
      world.sim.patch(DEPLOYMENT, "default/web", { metadata: wish });
    };
    ask(null);
    await world.sim.settle();
    const onDisk = { hash: versionNow(world) };
    world.change({ level: "debug" });
    const drift = { reason: "EnvFrozen", message: "" };
    report(world, { wanted: { hash: versionNow(world) }, onDisk, drift });
    ask("auto");
    const before = world.restarts();
    await world.sim.pass(5000);
    equal(world.restarts(), before + 1);
  });

  it("restarts again, later, if pods of the restart itself have old content", async () => {
    await using world = await begun();
    const onDisk = { hash: versionNow(world) };
    world.change({ level: "debug" });
    const wanted = { hash: versionNow(world) };
    const drift = { reason: "EnvFrozen", message: "" };
    report(world, { wanted, onDisk, drift });
    await world.sim.pass(1500);
    equal(world.restarts(), 1);
    const annotations = world.get().spec.template.metadata?.annotations;
    world.sim.patch(POD, "default/web-pod", { metadata: { annotations } });
    report(world, { wanted, onDisk, drift: { ...drift, message: "still" } });
    await world.sim.pass(60_000);
    equal(world.restarts(), 1);
    await world.sim.pass(300_000);
    equal(world.restarts(), 2);
  });

  it("does not restart for drift that may be in a key which asks for none", async () => {
    await using world = new ReloadWorld({ hasViews: true });
    world.configMap({ level: "info", other: "1" });
    const podSpec = container({ envFrom: [{ configMapRef: { name: "app" } }] });
    const annotations = { "driftless.dev/reload": "auto", "driftless.dev/reload.other": "none" };
    world.workload({ annotations, podSpec });
    const onDisk = { hash: versionNow(world) };
    world.change({ other: "2" });
    const drift = { reason: "EnvFrozen", message: "" };
    report(world, { wanted: { hash: versionNow(world) }, onDisk, drift });
    await world.start();
    await world.sim.pass(20_000);
    equal(world.restarts(), 0);
  });
});
