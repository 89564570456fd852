import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { WriteError } from "../../files/write-error.ts";
import { isMountTimeout, mountFailureMessage } from "./mount-failure.ts";
import { podWith, VolumeWorld } from "./testing/volume-world.ts";
import { MountError } from "./volumes.ts";

const never = new AbortController().signal;

describe("VolumeManager, a change of an object", () => {
  it("Z22 is shown without any time passing", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.volumes.mounted("p", never);
    world.change("app", "2");
    await world.settle();
    assert.equal(world.text("p", "data"), "ConfigMap/default/app=2 ");
    assert.equal(world.clock.monotonicMs(), 0);
  });

  it("together with another of the same volume is one write", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("a", "1").set("b", "1");
    world.volumes.want(podWith("p", { both: ["a", "b"] }));
    await world.volumes.mounted("p", never);
    world.projected.calls.length = 0;
    world.changes.length = 0;
    world.change("a", "2");
    world.change("b", "2");
    await world.settle();
    assert.deepEqual(world.projected.calls, ["setUp p/both"]);
    assert.deepEqual(
      world.changes.map(({ content }) => content?.version),
      ["ConfigMap/default/a=2 ConfigMap/default/b=2 "],
    );
  });

  it("touches the one volume of a thousand that shows it", async () => {
    await using world = await new VolumeWorld().start();
    for (let i = 0; i < 1000; i++) {
      world.objects.set(`app-${i}`, "1");
      world.volumes.want(podWith(`p-${i}`, { data: `app-${i}` }));
    }
    await Promise.all(
      Array.from({ length: 1000 }, (_, i) => world.volumes.mounted(`p-${i}`, never)),
    );
    world.configMaps.calls.length = 0;
    world.change("app-700", "2");
    await world.settle();
    assert.deepEqual(world.configMaps.calls, ["setUp p-700/data"]);
  });

  it("reaches all of a hundred pods that share the object", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    const uids = Array.from({ length: 100 }, (_, i) => `p-${i}`);
    for (const uid of uids) world.volumes.want(podWith(uid, { data: "app" }));
    await Promise.all(uids.map((uid) => world.volumes.mounted(uid, never)));
    world.change("app", "2");
    await world.settle();
    for (const uid of uids) assert.equal(world.text(uid, "data"), "ConfigMap/default/app=2 ");
  });

  for (const at of ["read", "write"] as const) {
    it(`Z23 while a set-up is in the middle of its ${at} is not lost`, async () => {
      await using world = await new VolumeWorld().start();
      world.objects.set("app", "1");
      world.volumes.want(podWith("p", { data: "app" }));
      await world.volumes.mounted("p", never);
      const letGo = world.configMaps.hang("data", at);
      world.change("app", "2");
      await world.settle();
      world.change("app", "3");
      await world.settle();
      letGo();
      await world.settle();
      assert.equal(world.text("p", "data"), "ConfigMap/default/app=3 ");
      assert.equal(world.configMaps.overlaps, 0);
    });
  }

  it("is measured from hearing of it to showing it, over failures too", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.volumes.mounted("p", never);
    world.configMaps.fail("data", new Error("no"));
    world.change("app", "2");
    await world.settle();
    world.configMaps.heal("data");
    await world.step(500);
    assert.equal(world.text("p", "data"), "ConfigMap/default/app=2 ");
    const text = await world.metrics.text();
    assert.match(text, /driftless_agent_propagation_seconds_sum 0\.5\n/);
    assert.match(text, /driftless_agent_propagation_seconds_count 1\n/);
  });

  it("does not wait behind set-ups that hang on a server", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1").set("slow", "1");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.volumes.mounted("p", never);
    world.configMaps.hang("hanging", "read");
    for (let i = 0; i < 200; i++) world.volumes.want(podWith(`q-${i}`, { hanging: "slow" }));
    for (let i = 0; i < 10; i++) await world.settle();
    assert.ok(world.configMaps.mostRunning < 64, "bounded");
    world.change("app", "2");
    await world.settle();
    assert.equal(world.text("p", "data"), "ConfigMap/default/app=2 ");
  });
});

describe("VolumeManager, a failure", () => {
  it("Z17 K18 of a refresh leaves the volume mounted as it was, and is told", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.volumes.mounted("p", never);
    world.changes.length = 0;
    world.change("app", undefined);
    await world.settle();
    assert.equal(world.text("p", "data"), "ConfigMap/default/app=1 ");
    const [{ failure, content, volume } = assert.fail()] = world.changes;
    assert.equal(content?.version, "ConfigMap/default/app=1 ");
    assert.equal(world.volumes.current("p").get("data")?.failure, failure);
    assert.equal(
      mountFailureMessage(volume, failure),
      'MountVolume.SetUp failed for volume "data" : configmaps "app" not found',
    );
    assert.ok(!world.configMaps.calls.includes("tearDown p/data"));
  });

  it("K17 of a refresh that takes too long leaves the volume mounted, and it is tried again", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.volumes.mounted("p", never);
    const letGo = world.configMaps.hang("data", "read");
    world.change("app", "2");
    await world.step(30_000);
    assert.equal(world.text("p", "data"), "ConfigMap/default/app=1 ");
    assert.match(String(world.volumes.current("p").get("data")?.failure), /30000 ms/);
    letGo();
    await world.step(500);
    assert.equal(world.text("p", "data"), "ConfigMap/default/app=2 ");
  });

  it("of the object is retried after 500 ms, doubling to 2 min 2 s", async () => {
    await using world = await new VolumeWorld().start();
    world.volumes.want(podWith("p", { data: "app" }));
    await world.settle();
    const times: number[] = [];
    for (let i = 0; i < 11; i++) {
      const before = world.configMaps.calls.length;
      const startMs = world.clock.monotonicMs();
      while (world.configMaps.calls.length === before) await world.clock.step(250);
      times.push(world.clock.monotonicMs() - startMs);
    }
    assert.deepEqual(
      times,
      [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 122_000, 122_000, 122_000],
    );
  });

  for (const err of [
    new WriteError({ directory: "/d", path: "key" }, "full"),
    Object.assign(new Error("ENOSPC"), { code: "ENOSPC" }),
    new Error("Cannot make it", { cause: Object.assign(new Error(), { code: "EROFS" }) }),
  ]) {
    it(`of this machine (${err.name} ${err.message}) is retried after 100 ms, doubling to 1 s`, async () => {
      await using world = await new VolumeWorld().start();
      world.objects.set("app", "1");
      world.configMaps.fail("data", err);
      world.volumes.want(podWith("p", { data: "app" }));
      await world.settle();
      const times: number[] = [];
      for (let i = 0; i < 6; i++) {
        const before = world.configMaps.calls.length;
        const startMs = world.clock.monotonicMs();
        while (world.configMaps.calls.length === before) await world.clock.step(50);
        times.push(world.clock.monotonicMs() - startMs);
      }
      assert.deepEqual(times, [100, 200, 400, 800, 1000, 1000]);
    });
  }

  it("Z26 Z27 is tried at once when the object comes, and counts from the start then", async () => {
    await using world = await new VolumeWorld().start();
    world.volumes.want(podWith("p", { data: "app" }));
    await world.step(200_000);
    const startMs = world.clock.monotonicMs();
    world.configMaps.fail("data", new Error("not this time"));
    world.change("app", "1");
    await world.settle();
    world.configMaps.heal("data");
    await world.step(500);
    assert.equal(world.text("p", "data"), "ConfigMap/default/app=1 ");
    assert.equal(world.clock.monotonicMs() - startMs, 500);
  });

  it("Z27 of a run is made good at once by a change that came while it ran", async () => {
    await using world = await new VolumeWorld().start();
    const letGo = world.configMaps.hang("data", "write");
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.settle();
    world.configMaps.fail("data", new Error("only this run"));
    world.volumes.onChange(() => world.configMaps.heal("data"));
    world.change("app", "2");
    letGo();
    await world.settle();
    assert.equal(world.text("p", "data"), "ConfigMap/default/app=2 ");
    assert.equal(world.clock.monotonicMs(), 0);
  });

  it("Z27 counts from the start when a change came while the run was failing", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.configMaps.fail("data", new Error("no"));
    world.volumes.want(podWith("p", { data: "app" }));
    await world.step(200_000);
    const letGo = world.configMaps.hang("data", "write");
    world.change("app", "2");
    await world.settle();
    world.change("app", "3");
    letGo();
    await world.settle();
    world.configMaps.heal("data");
    await world.step(500);
    assert.equal(world.text("p", "data"), "ConfigMap/default/app=3 ");
  });

  it("is not tried again for a volume that nobody wants any more and that may not go yet", async () => {
    await using world = await new VolumeWorld().start();
    const letGo = world.configMaps.hang("data", "read");
    world.volumes.want(podWith("p", { data: "app" }));
    // The first run took too long; the second one is under way when the volume is dropped.
    await world.step(30_500);
    world.volumes.want(podWith("p", {}));
    letGo();
    await world.settle();
    const before = world.configMaps.calls.length;
    await world.step(130_000);
    assert.equal(world.configMaps.calls.length, before);
    world.volumes.allWanted();
    await world.settle();
    assert.equal(world.configMaps.calls.at(-1), "tearDown p/data");
  });

  it("is tried again soon for who began to wait while the run was failing", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.volumes.mounted("p", never);
    world.configMaps.fail("data", new Error("no"));
    world.change("app", "2");
    await world.step(63_499);
    const letGo = world.configMaps.hang("data", "write");
    await world.step(1);
    const mounted = world.volumes.mounted("p", never);
    letGo();
    await world.settle();
    world.configMaps.heal("data");
    await world.step(500);
    assert.equal((await mounted).get("data")?.version, "ConfigMap/default/app=2 ");
    assert.equal(world.clock.monotonicMs(), 64_000);
  });

  it("is told to be over, although what is visible is the same", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.volumes.mounted("p", never);
    world.change("app", undefined);
    await world.settle();
    world.change("app", "1");
    await world.settle();
    assert.deepEqual(
      world.changes.map(({ content, failure }) => [content?.hasChanged, failure !== undefined]),
      [
        [true, false],
        [true, true],
        [false, false],
      ],
    );
  });

  it("is not tried again because all pods are known", async () => {
    await using world = await new VolumeWorld().start();
    world.volumes.want(podWith("p", { data: "app" }));
    await world.step(10_000);
    world.configMaps.calls.length = 0;
    world.volumes.allWanted();
    await world.settle();
    assert.deepEqual(world.configMaps.calls, []);
  });

  it("is tried at once when the server is back, if it was the server's", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.configMaps.fail("far", new Error("Cannot reach the API server"));
    world.configMaps.fail("near", new WriteError({ directory: "/d", path: "key" }, "full"));
    world.volumes.want(podWith("p", { far: "app", near: "app" }));
    for (let i = 0; i < 8; i++) await world.step(64_000);
    world.configMaps.heal("far");
    world.configMaps.calls.length = 0;
    world.volumes.serverIsBack();
    await world.settle();
    assert.deepEqual(world.configMaps.calls, ["setUp p/far"]);
    assert.equal(world.text("p", "far"), "ConfigMap/default/app=1 ");
  });

  it("Z27 is tried at once when the pod changes", async () => {
    await using world = await new VolumeWorld().start();
    world.configMaps.fail("data", new Error("no"));
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.step(200_000);
    world.configMaps.heal("data");
    world.volumes.want(podWith("p", { data: "app" }, { labels: { app: "x" } }));
    await world.settle();
    assert.equal(world.text("p", "data"), "ConfigMap/default/app=1 x");
  });

  it("K3 makes no hot loop when the unchanged pod is wanted and awaited over and over", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.volumes.mounted("p", never);
    world.change("app", undefined);
    await world.settle();
    world.configMaps.calls.length = 0;
    for (let i = 0; i < 100; i++) {
      world.volumes.want(podWith("p", { data: "app" }));
      void world.volumes.mounted("p", never);
      await world.step(10);
    }
    // One second: one try when the first delay is over, and one after each more of it.
    assert.equal(world.configMaps.calls.length, 2);
  });

  it("of a removal makes no hot loop when an object changed just before the pod went", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.volumes.mounted("p", never);
    world.configMaps.fail("data", new Error("busy"));
    world.change("app", "2");
    world.volumes.unwant("p");
    world.configMaps.calls.length = 0;
    await world.settle();
    await world.settle();
    assert.deepEqual(world.configMaps.calls, ["tearDown p/data"]);
    world.configMaps.heal("data");
    await world.step(500);
    assert.deepEqual(world.configMaps.calls, ["tearDown p/data", "tearDown p/data"]);
  });

  it("is logged once in a row, and its end too", async () => {
    await using world = await new VolumeWorld().start();
    world.volumes.want(podWith("p", { data: "app" }));
    await world.step(10_000);
    world.change("app", "1");
    await world.settle();
    const lines = world.logger.records.filter(({ level }) => level !== "debug");
    assert.deepEqual(
      lines.map(({ message }) => message),
      ["cannot set up volume", "volume is set up again"],
    );
  });

  it("is counted, and so are the volumes that fail now", async () => {
    await using world = await new VolumeWorld().start();
    world.volumes.want(podWith("p", { data: "app" }));
    await world.step(500);
    const plugin = 'plugin="kubernetes.io/configmap"';
    const failing = await world.metrics.text();
    assert.ok(failing.includes(`driftless_agent_volume_failures_total{${plugin}} 2\n`));
    assert.ok(failing.includes(`driftless_agent_volumes_failing{${plugin}} 1\n`));
    world.change("app", "1");
    await world.settle();
    const healed = await world.metrics.text();
    assert.ok(healed.includes(`driftless_agent_volumes_failing{${plugin}} 0\n`));
    assert.ok(healed.includes(`driftless_agent_volumes{${plugin},state="mounted"} 1\n`));
  });

  it("of a handler does not keep others from hearing", async () => {
    await using world = new VolumeWorld();
    world.volumes.onChange(() => assert.fail("a handler's own fault"));
    const heard: string[] = [];
    world.volumes.onChange(({ volume }) => heard.push(volume));
    await world.start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.settle();
    assert.deepEqual(heard, ["data"]);
  });
});

describe("VolumeManager, a first mount", () => {
  it("K15 that fails is not there, and nothing is torn down when the pod goes", async () => {
    await using world = await new VolumeWorld().start();
    world.volumes.want(podWith("p", { data: "app" }));
    await world.settle();
    assert.equal(world.volumes.current("p").size, 0);
    world.volumes.unwant("p");
    await world.volumes.unmounted("p", never);
    assert.deepEqual(world.configMaps.calls, ["setUp p/data"]);
  });

  it("K14 K19 that takes too long may be there: it is not current, and is torn down", async () => {
    await using world = await new VolumeWorld().start();
    world.configMaps.hang("data", "read");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.step(30_000);
    assert.equal(world.volumes.current("p").size, 0);
    assert.match(await world.metrics.text(), /volumes\{[^}]*state="uncertain"\} 1\n/);
    world.volumes.unwant("p");
    await world.volumes.unmounted("p", never);
    assert.equal(world.configMaps.calls.at(-1), "tearDown p/data");
  });

  it("K16 that takes too long and then fails is not there", async () => {
    await using world = await new VolumeWorld().start();
    const letGo = world.configMaps.hang("data", "read");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.step(30_000);
    letGo();
    await world.step(500);
    world.volumes.unwant("p");
    await world.volumes.unmounted("p", never);
    assert.deepEqual(world.configMaps.calls, ["setUp p/data", "setUp p/data"]);
  });

  it("K11 is never made of a volume that no container uses", async () => {
    await using world = await new VolumeWorld().start();
    world.volumes.want(podWith("p", { data: "app" }, { unused: ["data"] }));
    assert.equal((await world.volumes.mounted("p", never)).size, 0);
    assert.deepEqual(world.configMaps.calls, []);
  });

  it("K12 of one object under two names makes both", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { one: "app", two: "app" }));
    const mounted = await world.volumes.mounted("p", never);
    assert.deepEqual([...mounted.keys()], ["one", "two"]);
  });

  it("K13 of a pod that is wanted twice happens once", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { data: "app" }));
    world.volumes.want(podWith("p", { data: "app" }));
    await world.settle();
    assert.deepEqual(world.configMaps.calls, ["setUp p/data"]);
  });
});

describe("VolumeManager, a changed pod", () => {
  it("refreshes at once what can show it, and leaves alone what cannot", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { data: "app", scratch: "" }));
    await world.volumes.mounted("p", never);
    world.volumes.want(podWith("p", { data: "app", scratch: "" }, { labels: { app: "new" } }));
    await world.settle();
    assert.equal(world.text("p", "data"), "ConfigMap/default/app=1 new");
    assert.deepEqual(world.emptyDirs.calls, ["setUp p/scratch"]);
  });

  it("whose status alone differs refreshes nothing", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    const pod = podWith("p", { data: "app" });
    world.volumes.want(pod);
    await world.volumes.mounted("p", never);
    world.configMaps.calls.length = 0;
    world.volumes.want({ ...pod, status: { phase: "Running" } });
    await world.settle();
    assert.deepEqual(world.configMaps.calls, []);
  });

  it("that uses more volumes gets them, and loses those that it uses no more", async () => {
    await using world = await new VolumeWorld().start();
    world.volumes.allWanted();
    world.objects.set("a", "1").set("b", "1");
    world.volumes.want(podWith("p", { one: "a", two: "b" }, { unused: ["two"] }));
    await world.volumes.mounted("p", never);
    world.volumes.want(podWith("p", { one: "a", two: "b" }, { unused: ["one"] }));
    await world.settle();
    assert.deepEqual([...world.volumes.current("p").keys()], ["two"]);
    assert.equal(world.configMaps.calls.at(-1), "tearDown p/one");
  });

  it("that refers to another object follows that one only", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("a", "1").set("b", "1");
    world.volumes.want(podWith("p", { data: "a" }));
    await world.volumes.mounted("p", never);
    world.volumes.want(podWith("p", { data: "b" }));
    await world.settle();
    world.configMaps.calls.length = 0;
    world.change("a", "2");
    await world.settle();
    assert.deepEqual(world.configMaps.calls, []);
    world.change("b", "2");
    await world.settle();
    assert.equal(world.text("p", "data"), "ConfigMap/default/b=2 ");
  });

  it("that was given up and is wanted again keeps what it uses no more until all pods are known", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.volumes.mounted("p", never);
    world.volumes.unwant("p");
    world.volumes.want(podWith("p", {}));
    await world.settle();
    assert.ok(!world.configMaps.calls.includes("tearDown p/data"));
    world.volumes.allWanted();
    await world.settle();
    assert.equal(world.configMaps.calls.at(-1), "tearDown p/data");
  });

  it("that had no volumes, was given up and is wanted with one is known to have it", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", {}));
    world.volumes.unwant("p");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.volumes.mounted("p", never);
    world.volumes.unwant("p");
    await world.volumes.unmounted("p", never);
    assert.deepEqual(world.configMaps.calls, ["setUp p/data", "tearDown p/data"]);
  });

  it("that was given up hears nothing of a set-up that did not notice", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    const letGo = world.configMaps.hang("data", "write");
    const setUp = world.configMaps.setUp.bind(world.configMaps);
    world.configMaps.setUp = (volume) => setUp(volume, never);
    world.volumes.want(podWith("p", { data: "app" }));
    await world.settle();
    world.volumes.unwant("p");
    letGo();
    await world.volumes.unmounted("p", never);
    assert.deepEqual(world.changes, []);
    assert.deepEqual(world.configMaps.calls, ["setUp p/data", "tearDown p/data"]);
  });

  it("without a uid that can name a directory is refused", async () => {
    await using world = await new VolumeWorld().start();
    assert.throws(() => world.volumes.want(podWith("..", {})), /no usable uid/);
    assert.throws(() => world.volumes.want(podWith("", {})), /no usable uid/);
  });
});

describe("VolumeManager.mounted", () => {
  it("waits for a set-up that began after the call, and callers share it", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.volumes.mounted("p", never);
    const letGo = world.configMaps.hang("data", "write");
    world.change("app", "2");
    await world.settle();
    // The run in flight has read already; what is written now was not heard of.
    world.objects.set("app", "3");
    const both = [world.volumes.mounted("p", never), world.volumes.mounted("p", never)];
    world.configMaps.calls.length = 0;
    letGo();
    const [one, two] = await Promise.all(both);
    assert.equal(one?.get("data")?.version, "ConfigMap/default/app=3 ");
    assert.equal(two?.get("data")?.version, "ConfigMap/default/app=3 ");
    assert.deepEqual(world.configMaps.calls, ["setUp p/data"]);
  });

  it("takes what cannot be refreshed but was there as there", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.volumes.mounted("p", never);
    world.configMaps.fail("data", new Error("no"));
    const mounted = await world.volumes.mounted("p", never);
    assert.equal(mounted.get("data")?.version, "ConfigMap/default/app=1 ");
    assert.match(String(mounted.get("data")?.failure), /no/);
  });

  it("takes what is there as there when its refresh does not end in time", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.volumes.mounted("p", never);
    const letGo = world.configMaps.hang("data", "read");
    const setUp = world.configMaps.setUp.bind(world.configMaps);
    world.configMaps.setUp = (volume) => setUp(volume, never);
    const mounted = world.volumes.mounted("p", never);
    await world.step(123_000);
    assert.equal((await mounted).get("data")?.version, "ConfigMap/default/app=1 ");
    letGo();
  });

  it("settles when the pod no longer uses what is missing", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { data: "app", more: "missing" }));
    const mounted = world.volumes.mounted("p", never);
    await world.settle();
    world.volumes.want(podWith("p", { data: "app", more: "missing" }, { unused: ["more"] }));
    assert.deepEqual([...(await mounted).keys()], ["data"]);
  });

  it("settles as soon as the missing object comes", async () => {
    await using world = await new VolumeWorld().start();
    world.volumes.want(podWith("p", { data: "app" }));
    const mounted = world.volumes.mounted("p", never);
    await world.step(100_000);
    const startMs = world.clock.monotonicMs();
    world.change("app", "1");
    await mounted;
    assert.equal(world.clock.monotonicMs(), startMs);
  });

  it("gives up after 2 min 3 s in the original's words, with the failure as the cause", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("there", "1");
    world.volumes.want(podWith("p", { zeta: "app", alpha: "app", fine: "there" }));
    const mounted = world.volumes.mounted("p", never);
    await world.step(122_999);
    await Promise.all([
      assert.rejects(mounted, (err: MountError) => {
        assert.ok(err instanceof MountError && isMountTimeout(err));
        assert.equal(
          err.message,
          "unmounted volumes=[alpha zeta], unattached volumes=[], failed to process volumes=[]: context deadline exceeded",
        );
        assert.match(String(err.cause), /configmaps "app" not found/);
        return true;
      }),
      world.step(1),
    ]);
  });

  it("K10 throws at once for volumes that nobody can make, sorted", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { vol3: undefined, vol03: undefined, data: "app" }));
    await world.settle();
    await assert.rejects(world.volumes.mounted("p", never), (err: MountError) => {
      assert.ok(!isMountTimeout(err));
      assert.equal(
        err.message,
        "unmounted volumes=[vol03 vol3], unattached volumes=[], failed to process volumes=[vol03 vol3]: " +
          'failed to get Plugin from volumeSpec for volume "vol3" err=no volume plugin matched; ' +
          'failed to get Plugin from volumeSpec for volume "vol03" err=no volume plugin matched',
      );
      return true;
    });
    assert.equal(world.text("p", "data"), "ConfigMap/default/app=1 ");
  });

  it("ends with the signal's reason, and leaves no timer", async () => {
    await using world = await new VolumeWorld().start();
    world.volumes.want(podWith("p", { data: "app" }));
    await world.settle();
    const before = world.clock.waiting;
    const controller = new AbortController();
    const mounted = world.volumes.mounted("p", controller.signal);
    const reason = new Error("enough");
    controller.abort(reason);
    await assert.rejects(mounted, reason);
    assert.equal(world.clock.waiting, before);
  });

  it("ends when the pod is given up", async () => {
    await using world = await new VolumeWorld().start();
    world.volumes.want(podWith("p", { data: "app" }));
    const mounted = world.volumes.mounted("p", never);
    world.volumes.unwant("p");
    await assert.rejects(mounted, /pod is not wanted/);
  });
});

describe("VolumeManager, time", () => {
  it("sets up 1,000 idle volumes again within 60 to 90 s, spread, with one timer", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    const uids = Array.from({ length: 1000 }, (_, i) => `p-${i}`);
    for (const uid of uids) world.volumes.want(podWith(uid, { data: "app", scratch: "" }));
    for (let i = 0; i < 100; i++) await world.settle();
    assert.equal(world.configMaps.calls.length, 1000);
    assert.equal(world.clock.waiting, 1);
    await world.step(60_000 - 1);
    assert.equal(world.configMaps.calls.length, 1000);
    const perSecond: number[] = [];
    for (let second = 0; second < 30; second++) {
      const before = world.configMaps.calls.length;
      await world.step(1000);
      perSecond.push(world.configMaps.calls.length - before);
    }
    assert.equal(new Set(world.configMaps.calls.slice(1000)).size, 1000);
    assert.ok(Math.max(...perSecond) < 100, `a burst: ${perSecond.join(" ")}`);
    assert.equal(world.emptyDirs.calls.length, 1000);
  });

  it("sets up a volume again when its plugin asked for it", async () => {
    await using world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.configMaps.refreshAfterMs = 5000;
    world.volumes.want(podWith("p", { data: "app" }));
    await world.settle();
    await world.step(4999);
    assert.equal(world.configMaps.calls.length, 1);
    await world.step(1);
    assert.equal(world.configMaps.calls.length, 2);
  });

  it("finds a change that nobody told of", async () => {
    await using world = await new VolumeWorld({ syncPeriodMs: 1000 }).start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.settle();
    world.objects.set("app", "2");
    await world.step(1500);
    assert.equal(world.text("p", "data"), "ConfigMap/default/app=2 ");
  });

  it("starts nothing after the end, waits for what runs, and leaves no timer", async () => {
    const world = await new VolumeWorld().start();
    world.objects.set("app", "1");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.settle();
    world.configMaps.hang("data", "read");
    world.change("app", "2");
    await world.settle();
    await world.stop();
    const { length } = world.configMaps.calls;
    world.volumes.want(podWith("q", { data: "app" }));
    await world.step(200_000);
    assert.equal(world.configMaps.calls.length, length);
    assert.equal(world.clock.waiting, 0);
    assert.equal(world.text("p", "data"), "ConfigMap/default/app=1 ");
  });
});
