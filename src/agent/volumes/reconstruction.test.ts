import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { type TempDir, tempDir } from "../../base/testing/temp-dir.ts";
import { podWith, VolumeWorld } from "./testing/volume-world.ts";
import { MountError } from "./volumes.ts";

const never = new AbortController().signal;

/** An agent that set these pods up, each with a volume `data` of `app`, and ended. */
async function formerLife(dir: TempDir, ...uids: readonly string[]): Promise<VolumeWorld> {
  const world = await new VolumeWorld({ root: dir.path }).start();
  world.objects.set("app", "1");
  for (const uid of uids) {
    world.volumes.want(podWith(uid, { data: "app" }));
    await world.volumes.mounted(uid, never);
    writeFileSync(world.paths.etcHosts(uid), "127.0.0.1 localhost\n");
    const place = { podUid: uid, plugin: "kubernetes.io/configmap", volume: "data" };
    mkdirSync(dirname(world.paths.readyMarker(place)), { recursive: true });
    writeFileSync(world.paths.readyMarker(place), "");
  }
  await world.stop();
  return world;
}

function textOf(world: VolumeWorld, podUid: string): string {
  const place = { podUid, plugin: "kubernetes.io/configmap", volume: "data" };
  return readFileSync(join(world.paths.volume(place), "text"), "utf8");
}

describe("VolumeManager after a restart", () => {
  it("K20 finds what is there and does not count it as mounted", async () => {
    using dir = tempDir();
    const after = await formerLife(dir, "p");
    await using world = await new VolumeWorld({ root: dir.path, after }).start();
    assert.equal(world.volumes.current("p").size, 0);
    assert.match(await world.metrics.text(), /volumes\{[^}]*state="uncertain"\} 1\n/);
  });

  it("removes nothing until it knows all pods that are wanted", async () => {
    using dir = tempDir();
    const after = await formerLife(dir, "p");
    await using world = await new VolumeWorld({ root: dir.path, after }).start();
    await world.step(600_000);
    assert.equal(textOf(world, "p"), "ConfigMap/default/app=1 ");
    assert.deepEqual(world.configMaps.calls, []);
  });

  it("K21 takes over what a pod wants", async () => {
    using dir = tempDir();
    const after = await formerLife(dir, "p");
    await using world = await new VolumeWorld({ root: dir.path, after }).start();
    world.volumes.want(podWith("p", { data: "app" }));
    world.volumes.allWanted();
    await world.volumes.mounted("p", never);
    assert.equal(world.text("p", "data"), "ConfigMap/default/app=1 ");
    assert.deepEqual(world.configMaps.calls, ["setUp p/data"]);
  });

  it("K22 keeps as uncertain what it cannot set up, and shows what is on disk still", async () => {
    using dir = tempDir();
    const after = await formerLife(dir, "p");
    await using world = await new VolumeWorld({ root: dir.path, after }).start();
    world.configMaps.fail("data", new Error("the server is away"));
    world.volumes.want(podWith("p", { data: "app" }));
    world.volumes.allWanted();
    await world.step(10_000);
    assert.equal(world.volumes.current("p").size, 0);
    assert.equal(textOf(world, "p"), "ConfigMap/default/app=1 ");
    world.volumes.unwant("p");
    world.configMaps.heal("data");
    await world.volumes.unmounted("p", never);
    assert.equal(world.configMaps.calls.at(-1), "tearDown p/data");
  });

  it("K24 Z31 removes what nobody wants, with the directories of its pods", async () => {
    using dir = tempDir();
    const after = await formerLife(dir, "p", "q", "r");
    dir.write({ "pods/empty/etc-hosts": "" });
    await using world = await new VolumeWorld({ root: dir.path, after }).start();
    world.volumes.want(podWith("r", { data: "app" }));
    world.volumes.allWanted();
    await world.settle();
    assert.deepEqual(readdirSync(world.paths.pods), ["r"]);
    assert.equal(textOf(world, "r"), "ConfigMap/default/app=1 ");
  });

  it("removes what nobody wants also when that is known before it has looked", async () => {
    using dir = tempDir();
    const after = await formerLife(dir, "p");
    await using world = new VolumeWorld({ root: dir.path, after });
    world.volumes.allWanted();
    await world.start();
    assert.deepEqual(readdirSync(world.paths.pods), []);
  });

  it("K23 tries once to remove what it does not know, and only mounts and empty directories", async () => {
    using dir = tempDir();
    dir.write({ "pods/p/volumes/example.com~disk/full/precious": "data" });
    mkdirSync(dir.join("pods/q/volumes/example.com~disk/empty"), { recursive: true });
    await using world = new VolumeWorld({ root: dir.path });
    const unknown = dir.join("pods/q/volumes/example.com~disk/empty");
    world.mounts.bind("/disk", unknown, { isReadOnly: false });
    await world.start();
    world.volumes.allWanted();
    await world.step(300_000);
    assert.ok(existsSync(dir.join("pods/p/volumes/example.com~disk/full/precious")));
    assert.ok(!existsSync(dir.join("pods/q")));
    assert.deepEqual(world.mounts.calls.slice(1), [`unmount ${unknown}`]);
    const warnings = world.logger.records.filter(({ level }) => level === "warn");
    assert.deepEqual(
      warnings.map(({ message }) => message),
      ["cannot remove volume of unknown plugin", "cannot remove the directory of a pod"],
    );
  });

  it("K23 leaves alone what it does not know of a pod that is wanted", async () => {
    using dir = tempDir();
    mkdirSync(dir.join("pods/p/volumes/example.com~disk/empty"), { recursive: true });
    await using world = await new VolumeWorld({ root: dir.path }).start();
    world.volumes.want(podWith("p", {}));
    world.volumes.allWanted();
    await world.step(300_000);
    assert.ok(existsSync(dir.join("pods/p/volumes/example.com~disk/empty")));
  });
});

describe("VolumeManager.unmounted", () => {
  it("settles when subPaths, volumes and the pod's directory are gone, in this order", async () => {
    using dir = tempDir();
    const after = await formerLife(dir, "p");
    const subPath = { podUid: "p", volume: "data", container: "app", index: 0 };
    const place = after.paths.subPath(subPath);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, "");
    after.mounts.bind("/volume/key", place, { isReadOnly: false });
    await using world = await new VolumeWorld({ root: dir.path, after }).start();
    world.volumes.want(podWith("p", { data: "app" }));
    await world.volumes.mounted("p", never);
    const tearDown = world.configMaps.tearDown.bind(world.configMaps);
    world.configMaps.tearDown = (volume) => {
      assert.equal(world.mounts.calls.at(-1), `unmount ${place}`, "the subPath went first");
      return tearDown(volume);
    };
    world.volumes.unwant("p");
    await world.volumes.unmounted("p", never);
    assert.deepEqual(world.configMaps.calls.slice(-1), ["tearDown p/data"]);
    assert.ok(!existsSync(world.paths.pod("p")));
  });

  it("never removes a directory below which something is mounted", async () => {
    using dir = tempDir();
    const after = await formerLife(dir, "p");
    const strange = dir.join("pods/p/plugins/strange");
    dir.write({ "pods/p/plugins/strange/precious": "data" });
    after.mounts.bind("/strange", strange, { isReadOnly: false });
    await using world = await new VolumeWorld({ root: dir.path, after }).start();
    world.volumes.unwant("p");
    const unmounted = world.volumes.unmounted("p", never);
    await world.step(1000);
    assert.ok(existsSync(join(strange, "precious")));
    world.mounts.unmount(strange);
    await world.step(10_000);
    await unmounted;
    assert.ok(!existsSync(world.paths.pod("p")));
  });

  it("K25 gives up after 2 min 3 s in the original's words, for each pod, and goes on trying", async () => {
    using dir = tempDir();
    const after = await formerLife(dir, "p", "q");
    await using world = await new VolumeWorld({ root: dir.path, after }).start();
    world.configMaps.fail("data", Object.assign(new Error("EBUSY: busy"), { code: "EBUSY" }));
    for (const uid of ["p", "q"]) world.volumes.unwant(uid);
    const [p, q] = ["p", "q"].map((uid) => world.volumes.unmounted(uid, never));
    const rejected = (uid: string) => (err: Error) => {
      assert.ok(err instanceof MountError);
      assert.equal(
        err.message,
        `mounted volumes=[kubernetes.io/configmap/${uid}-data]: context deadline exceeded`,
      );
      assert.match(String(err.cause), /EBUSY/);
      return true;
    };
    await Promise.all([
      assert.rejects(p ?? assert.fail(), rejected("p")),
      assert.rejects(q ?? assert.fail(), rejected("q")),
      world.step(123_000),
    ]);
    world.configMaps.heal("data");
    await world.step(1000);
    assert.deepEqual(readdirSync(world.paths.pods), []);
  });

  it("settles for a pod that never had a volume, with its directory gone", async () => {
    using dir = tempDir();
    dir.write({ "pods/p/etc-hosts": "" });
    await using world = await new VolumeWorld({ root: dir.path }).start();
    world.volumes.want(podWith("p", {}));
    await world.volumes.mounted("p", never);
    world.volumes.unwant("p");
    await world.volumes.unmounted("p", never);
    assert.ok(!existsSync(dir.join("pods/p")));
  });

  it("removes what a former life left of a pod that this one never wanted", async () => {
    using dir = tempDir();
    const after = await formerLife(dir, "p");
    await using world = await new VolumeWorld({ root: dir.path, after }).start();
    await world.volumes.unmounted("p", never);
    assert.ok(!existsSync(dir.join("pods/p")));
  });

  it("does not wait for a set-up that hangs: it ends that first", async () => {
    using dir = tempDir();
    await using world = await new VolumeWorld({ root: dir.path }).start();
    world.configMaps.hang("data", "read");
    world.volumes.want(podWith("p", { data: "app" }));
    await world.settle();
    world.volumes.unwant("p");
    await world.volumes.unmounted("p", never);
    assert.deepEqual(world.configMaps.calls, ["setUp p/data", "tearDown p/data"]);
    assert.equal(world.clock.monotonicMs(), 0);
    assert.deepEqual(world.changes, []);
  });

  it("K5 K6 keeps volumes until they are given up, whatever becomes of their objects", async () => {
    using dir = tempDir();
    const after = await formerLife(dir, "p");
    await using world = await new VolumeWorld({ root: dir.path, after }).start();
    world.volumes.want(podWith("p", { data: "app" }));
    world.volumes.allWanted();
    await world.settle();
    world.change("app", undefined);
    await world.step(600_000);
    assert.equal(textOf(world, "p"), "ConfigMap/default/app=1 ");
    world.volumes.unwant("p");
    await world.settle();
    assert.ok(!existsSync(world.paths.pod("p")));
  });

  it("makes a volume anew when the pod is wanted again during its removal", async () => {
    using dir = tempDir();
    const after = await formerLife(dir, "p");
    await using world = await new VolumeWorld({ root: dir.path, after }).start();
    world.volumes.want(podWith("p", { data: "app" }));
    await world.volumes.mounted("p", never);
    const letGo = world.configMaps.hang("data", "removal");
    world.volumes.unwant("p");
    await world.settle();
    world.volumes.want(podWith("p", { data: "app" }));
    await world.settle();
    letGo();
    await world.settle();
    assert.equal(world.text("p", "data"), "ConfigMap/default/app=1 ");
    assert.equal(textOf(world, "p"), "ConfigMap/default/app=1 ");
    assert.equal(world.configMaps.overlaps, 0);
  });
});
