import { equal, match } from "node:assert/strict";
import { describe, it } from "node:test";
import { contentVersion } from "../../base/content-version.ts";
import { POD } from "../pods/pod-object.ts";
import { CONFIG_MAP, CONFIG_VIEW, ReloadWorld } from "./testing/reload-world.ts";

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
});
