import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import type { Volume } from "../../../api/types.ts";
import { pluginFor } from "./default-plugins.ts";
import { pluginBench } from "./testing/plugin-bench.ts";

describe("defaultPlugins", () => {
  it("has the kubelet's names for everything that it can make, and knows what can change", () => {
    using bench = pluginBench();
    deepEqual(
      bench.plugins.map(({ name, requiresRemount }) => [name, requiresRemount]),
      [
        ["kubernetes.io/configmap", true],
        ["kubernetes.io/secret", true],
        ["kubernetes.io/downward-api", true],
        ["kubernetes.io/projected", true],
        ["kubernetes.io/empty-dir", false],
        ["kubernetes.io/host-path", false],
      ],
    );
  });

  it("finds the one plugin of a volume", () => {
    using bench = pluginBench();
    const volumes: readonly Volume[] = [
      { name: "v", configMap: {} },
      { name: "v", secret: {} },
      { name: "v", downwardAPI: {} },
      { name: "v", projected: {} },
      { name: "v", emptyDir: {} },
      { name: "v", hostPath: { path: "/" } },
    ];
    for (const [i, volume] of volumes.entries()) {
      equal(pluginFor(bench.plugins, volume), bench.plugins[i]);
      equal(bench.plugins.filter((plugin) => plugin.supports(volume)).length, 1);
    }
  });

  it("says what it supports if a volume is of another kind", () => {
    using bench = pluginBench();
    const volume: Volume = { name: "data", nfs: { server: "s", path: "/" } };
    throws(
      () => pluginFor(bench.plugins, volume),
      new Error(
        'no volume plugin matched: volume "data" is made of nfs; Driftless supports configMap, secret, downwardAPI, projected, emptyDir and hostPath',
      ),
    );
  });
});
