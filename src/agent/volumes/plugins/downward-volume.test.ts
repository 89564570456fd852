import { deepEqual, equal, notEqual, rejects } from "node:assert/strict";
import { readlinkSync } from "node:fs";
import { describe, it } from "node:test";
import type { Container, DownwardAPIVolumeFile, Pod, Volume } from "../../../api/types.ts";
import { pluginBench, podWith, shown } from "./testing/plugin-bench.ts";

const downward = (...items: DownwardAPIVolumeFile[]): Volume => ({
  name: "about",
  downwardAPI: { items, defaultMode: 0o644 },
});
const labels = (path: string, mode?: number): DownwardAPIVolumeFile => ({
  path,
  fieldRef: { fieldPath: "metadata.labels" },
  ...(mode !== undefined && { mode }),
});
const labelled = (all: Record<string, string>): Pod => podWith({}, { labels: all });

describe("a downwardAPI volume", () => {
  it("D5: is not written again when nothing changed", async () => {
    using bench = pluginBench();
    const { path } = await bench.setUp(downward(labels("labels")), labelled({ a: "1" }));
    const target = readlinkSync(`${path}/..data`);
    const { hasChanged } = await bench.setUp(downward(labels("labels")), labelled({ a: "1" }));
    equal(hasChanged, false);
    equal(readlinkSync(`${path}/..data`), target);
  });

  it("D6: follows the pod's labels", async () => {
    using bench = pluginBench();
    const { path } = await bench.setUp(downward(labels("labels")), labelled({ a: "1" }));
    const target = readlinkSync(`${path}/..data`);
    const setUp = bench.setUp(downward(labels("labels")), labelled({ a: "1", b: "2" }));
    deepEqual(shown(path), { labels: 'a="1"\nb="2"' });
    equal((await setUp).hasChanged, true);
    notEqual(readlinkSync(`${path}/..data`), target);
  });

  it("D7: makes directories", async () => {
    using bench = pluginBench();
    const items = [labels("these/are/my/labels"), labels("these/are/your/labels")];
    const { path } = await bench.setUp(downward(...items), labelled({ a: "1" }));
    deepEqual(shown(path), { "these/are/my/labels": 'a="1"', "these/are/your/labels": 'a="1"' });
  });

  it("D8: takes two slashes for one", async () => {
    using bench = pluginBench();
    const { path } = await bench.setUp(downward(labels("this//labels")), labelled({ a: "1" }));
    deepEqual(shown(path), { "this/labels": 'a="1"' });
  });

  it("D9, D10: has the default mode, or the item's own", async () => {
    using bench = pluginBench();
    const items = [labels("default"), labels("own", 0o400)];
    const { path } = await bench.setUp(downward(...items), labelled({ a: "1" }));
    deepEqual(shown(path), { default: 'a="1"', own: 'a="1"@400' });
  });

  it("D23 to D28: shows what containers, init containers too, ask for and may use", async () => {
    using bench = pluginBench();
    const resource = (
      path: string,
      of: { containerName?: string; resource: string; divisor?: string },
    ): DownwardAPIVolumeFile => ({
      path,
      resourceFieldRef: { containerName: "main", divisor: "0", ...of },
    });
    const resources = { limits: { cpu: "9" }, requests: { memory: "100Mi" } };
    const pod = podWith({
      containers: [{ name: "main", resources } as unknown as Container],
      initContainers: [{ name: "init", resources } as unknown as Container],
    });
    const items = [
      resource("cpu", { resource: "limits.cpu" }),
      resource("memory", { resource: "requests.memory", divisor: "1Mi" }),
      resource("all-memory", { resource: "limits.memory", divisor: "1Gi" }),
      resource("init", { resource: "limits.cpu", containerName: "init" }),
    ];
    const { path } = await bench.setUp(downward(...items), pod);
    deepEqual(shown(path), { cpu: "9", memory: "100", "all-memory": "16", init: "9" });
  });

  it("keeps what it showed when an item cannot be had", async () => {
    using bench = pluginBench();
    const item = (containerName: string): DownwardAPIVolumeFile => ({
      path: "memory",
      resourceFieldRef: { containerName, resource: "limits.memory", divisor: "1Gi" },
    });
    const pod = podWith({ containers: [{ name: "main" } as Container] });
    const { path } = await bench.setUp(downward(item("main")), pod);
    await rejects(bench.setUp(downward(item("none")), pod), new Error("container none not found"));
    deepEqual(shown(path), { memory: "16" });
  });

  it("is made of no objects", async () => {
    using bench = pluginBench();
    const { versions, refreshAfterMs } = await bench.setUp(downward());
    deepEqual(versions, []);
    equal(refreshAfterMs, undefined);
    deepEqual(bench.objects.asked, []);
  });
});
