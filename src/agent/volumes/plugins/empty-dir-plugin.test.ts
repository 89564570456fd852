import { deepEqual, equal, rejects, throws } from "node:assert/strict";
import {
  existsSync,
  linkSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { describe, it } from "node:test";
import type { EmptyDirVolumeSource, Volume } from "../../../api/types.ts";
import { FakeMounts } from "../../../mounts/testing/fake-mounts.ts";
import { EmptyDirPlugin } from "./empty-dir-plugin.ts";
import { modeOf, pluginBench, podWith, toMount } from "./testing/plugin-bench.ts";

const noRoot = process.geteuid?.() === 0 ? false : "only root can give directories away";
const scratch = (emptyDir: EmptyDirVolumeSource = {}): Volume => ({ name: "vol1", emptyDir });
const place = { podUid: "pod-1", plugin: "kubernetes.io/empty-dir", volume: "vol1" };

describe("an emptyDir volume on disk", () => {
  for (const [hasDirectory, hasMarker] of [
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ] as const) {
    const there = `${hasDirectory ? "a" : "no"} directory and ${hasMarker ? "a" : "no"} marker`;
    it(`F1: is made where there is ${there}, and removed with its marker`, async () => {
      const mounts = new FakeMounts();
      using bench = pluginBench({ mounts });
      const path = bench.parts.paths.volume(place);
      const marker = bench.parts.paths.readyMarker(place);
      if (hasDirectory) {
        mkdirSync(path, { recursive: true });
        if (hasMarker) await bench.setUp(scratch());
      }
      if (hasMarker && !hasDirectory) {
        mkdirSync(dirname(marker), { recursive: true });
        writeFileSync(marker, "");
      }
      const content = await bench.setUp(scratch());
      equal(content.path, path);
      equal(content.isReadOnly, false);
      equal(content.version, undefined);
      equal(modeOf(path), "777");
      equal(existsSync(marker), true);
      deepEqual(mounts.calls, []);
      await bench.tearDown(scratch());
      equal(existsSync(path), false);
      equal(existsSync(marker), false);
      await bench.tearDown(scratch());
    });
  }

  it("F2: is where the kubelet has it", async () => {
    using bench = pluginBench();
    const { path } = await bench.setUp(scratch());
    equal(path, `${bench.root}/pods/pod-1/volumes/kubernetes.io~empty-dir/vol1`);
    const marker = `${bench.root}/pods/pod-1/plugins/kubernetes.io~empty-dir/vol1/ready`;
    equal(existsSync(marker), true);
  });

  it("keeps what is in it when it is set up again", async () => {
    using bench = pluginBench();
    const { path, hasChanged } = await bench.setUp(scratch());
    equal(hasChanged, true);
    writeFileSync(`${path}/work`, "");
    bench.restart();
    const again = await bench.setUp(scratch());
    equal(again.hasChanged, false);
    equal(existsSync(`${path}/work`), true);
  });

  for (const [mode, shown] of [
    [0o750, "750"],
    [0o1777, "1777"],
    [undefined, "777"],
  ] as const) {
    it(`F7: has mode ${shown} if the pod says ${mode?.toString(8)}`, async () => {
      using bench = pluginBench();
      const { path } = await bench.setUp(scratch({ mode }));
      equal(modeOf(path), shown);
    });
  }

  it("G10: gives its root to the pod's group, and so what is made in it", {
    skip: noRoot,
  }, async () => {
    using bench = pluginBench();
    const pod = podWith({ securityContext: { fsGroup: 3000 } });
    const { path } = await bench.setUp(scratch({ mode: 0o700 }), pod);
    equal(modeOf(path), "2770");
    mkdirSync(`${path}/made`);
    equal(statSync(`${path}/made`).gid, 3000);
  });

  it("says how much is in it, counts no file twice and follows no link", async () => {
    using bench = pluginBench();
    const plugin = new EmptyDirPlugin(bench.parts);
    const { path } = await bench.setUp(scratch());
    const empty = await plugin.usage(place);
    mkdirSync(`${path}/dir`);
    writeFileSync(`${path}/dir/file`, Buffer.alloc(1_000_000, 1));
    const used = await plugin.usage(place);
    const added = used - empty;
    equal(added >= 1_000_000 && added < 1_100_000, true, `${added} bytes`);
    linkSync(`${path}/dir/file`, `${path}/same`);
    symlinkSync("/", `${path}/machine`);
    const linked = (await plugin.usage(place)) - used;
    equal(linked < 100_000, true, `${linked} bytes`);
    rmSync(`${path}/dir`, { recursive: true });
  });
});

describe("an emptyDir volume in memory", () => {
  const memory = (sizeLimit?: string): Volume => scratch({ medium: "Memory", sizeLimit });

  it("is a tmpfs that the pod's users can write to, and is unmounted at its end", async () => {
    const mounts = new FakeMounts();
    using bench = pluginBench({ mounts });
    const { path } = await bench.setUp(memory("1Gi"));
    deepEqual(mounts.at(path)?.tmpfs, { sizeBytes: 2 ** 30, mode: 0o1777, isExecutable: true });
    await bench.setUp(memory("1Gi"));
    equal(mounts.calls.length, 1);
    await bench.tearDown(memory());
    equal(mounts.at(path), undefined);
    equal(existsSync(path), false);
  });

  it("is mounted again after a restart of the machine", async () => {
    const mounts = new FakeMounts();
    using bench = pluginBench({ mounts });
    const { path } = await bench.setUp(memory());
    mounts.unmount(path);
    const { hasChanged } = await bench.setUp(memory());
    equal(hasChanged, true);
    equal(mounts.at(path)?.fsType, "tmpfs");
  });

  it("leaves nothing behind that could not be made", async () => {
    const mounts = new FakeMounts();
    mounts.tmpfs = () => {
      throw new Error("no memory");
    };
    using bench = pluginBench({ mounts });
    await rejects(bench.setUp(memory()), new Error("no memory"));
    equal(existsSync(bench.parts.paths.volume(place)), false);
  });

  it("keeps a directory that was there before when it cannot be made", async () => {
    const mounts = new FakeMounts();
    mounts.tmpfs = () => {
      throw new Error("no memory");
    };
    using bench = pluginBench({ mounts });
    const path = bench.parts.paths.volume(place);
    mkdirSync(path, { recursive: true });
    writeFileSync(`${path}/work`, "");
    await rejects(bench.setUp(memory()), new Error("no memory"));
    equal(existsSync(`${path}/work`), true);
  });

  it("F8: can be resized once it is mounted, to a size and nothing else", async () => {
    const mounts = new FakeMounts();
    using bench = pluginBench({ mounts });
    const plugin = new EmptyDirPlugin(bench.parts);
    const volume = toMount(plugin, memory("1Gi"), podWith());
    throws(
      () => plugin.resize(volume, 2 ** 31),
      new Error("volume vol1 is not yet mounted; deferring resize"),
    );
    const { path } = await bench.setUp(memory("1Gi"));
    plugin.resize(volume, 2 ** 31);
    equal(mounts.at(path)?.tmpfs?.sizeBytes, 2 ** 31);
    for (const size of [undefined, 0]) {
      throws(
        () => plugin.resize(volume, size),
        new Error("addition or removal of size limit is not supported"),
      );
    }
    throws(
      () => plugin.resize(toMount(plugin, scratch(), podWith()), 2 ** 31),
      new Error("only memory-backed emptyDir volumes support direct resize"),
    );
  });
});

describe("an emptyDir volume of another medium", () => {
  for (const [medium, text] of [
    ["Paper", 'unknown storage medium "Paper"'],
    ["HugePages-2Mi", 'storage medium "HugePages-2Mi" is not supported by Driftless'],
  ] as const) {
    it(`is refused: ${medium}`, async () => {
      using bench = pluginBench();
      await rejects(bench.setUp(scratch({ medium })), new Error(text));
    });
  }
});
