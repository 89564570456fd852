import { equal, match } from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiObject } from "../../api/object.ts";
import { createMetrics, type Metrics } from "../../base/metrics.ts";
import { KindCache } from "../cache/kind-cache.ts";
import { cached } from "../node/testing/cache-of.ts";
import { countFleet } from "./fleet-metrics.ts";

class Fleet {
  readonly configViews: KindCache = new KindCache();
  readonly pods: KindCache = new KindCache();
  readonly nodes: KindCache = new KindCache();
  readonly metrics: Metrics = createMetrics();

  constructor() {
    countFleet(this);
  }

  /** The value of a series, or NaN if it is not there. */
  async value(series: string): Promise<number> {
    const lines = (await this.metrics.text()).split("\n");
    const found = lines.find((line) => line.startsWith(`${series} `));
    return Number(found?.split(" ")[1] ?? Number.NaN);
  }
}

function view(name: string, ...uses: readonly object[]): ApiObject {
  const metadata = { name, namespace: "a" };
  const type = { kind: "ConfigView", apiVersion: "driftless.dev/v1" };
  return { ...type, metadata, pod: { name }, uses } as object as ApiObject;
}

function pod(name: string, phase: string, spec: object): ApiObject {
  const metadata = { name, namespace: "a" };
  const rest = { metadata, spec: { nodeName: "n1", ...spec }, status: { phase } };
  return { kind: "Pod", apiVersion: "v1", ...rest } as object as ApiObject;
}

const use = { kind: "ConfigMap", name: "c", how: "volume", container: "main" };
const synced = { ...use, wanted: { hash: "1" }, onDisk: { hash: "1" } };
const frozen = {
  ...{ ...use, how: "env", wanted: { hash: "2" }, onDisk: { hash: "1" } },
  drift: { reason: "EnvFrozen", message: "started before" },
};
const configured = {
  containers: [{ name: "main", volumeMounts: [{ name: "v", mountPath: "/etc/c" }] }],
  volumes: [{ name: "v", configMap: { name: "c" } }],
};

describe("countFleet", () => {
  it("has every state and reason from the beginning, as 0", async () => {
    const fleet = new Fleet();
    equal(await fleet.value('driftless_fleet_uses{state="Rejected"}'), 0);
    equal(await fleet.value('driftless_fleet_drift{reason="NodeAway"}'), 0);
    equal(await fleet.value('driftless_fleet_nodes{ready="Unknown"}'), 0);
  });

  it("counts uses by what the views say now, also when these change or go", async () => {
    const fleet = new Fleet();
    fleet.configViews.put(cached(view("p1", synced, frozen)));
    fleet.configViews.put(cached(view("p2", synced)));
    equal(await fleet.value('driftless_fleet_uses{state="InSync"}'), 2);
    equal(await fleet.value('driftless_fleet_drift{reason="EnvFrozen"}'), 1);
    fleet.configViews.put(cached(view("p1", synced, synced)));
    fleet.configViews.delete("a/p2", 9n);
    equal(await fleet.value('driftless_fleet_uses{state="InSync"}'), 2);
    equal(await fleet.value('driftless_fleet_uses{state="Frozen"}'), 0);
    equal(await fleet.value('driftless_fleet_drift{reason="EnvFrozen"}'), 0);
  });

  it("forgets everything when the cache is rebuilt", async () => {
    const fleet = new Fleet();
    fleet.configViews.put(cached(view("p1", synced, synced)));
    equal(await fleet.value('driftless_fleet_uses{state="InSync"}'), 2);
    fleet.configViews.reset([cached(view("p2", synced))], 10n);
    equal(await fleet.value('driftless_fleet_uses{state="InSync"}'), 1);
  });

  it("counts running pods that use configuration and have no view, and no others", async () => {
    const fleet = new Fleet();
    fleet.pods.put(cached(pod("p1", "Running", configured)));
    fleet.pods.put(cached(pod("p2", "Succeeded", configured)));
    fleet.pods.put(cached(pod("p3", "Running", { containers: [{ name: "main" }] })));
    fleet.pods.put(cached(pod("p4", "Running", { ...configured, nodeName: "" })));
    equal(await fleet.value("driftless_fleet_pods_without_view"), 1);
    fleet.configViews.put(cached(view("p1", synced)));
    equal(await fleet.value("driftless_fleet_pods_without_view"), 0);
    fleet.configViews.delete("a/p1", 3n);
    fleet.pods.delete("a/p1", 4n);
    equal(await fleet.value("driftless_fleet_pods_without_view"), 0);
  });

  it("counts nodes by whether they are ready; one that never said so is not known", async () => {
    const fleet = new Fleet();
    const node = (name: string, status?: string): ApiObject => {
      const conditions = status === undefined ? [] : [{ type: "Ready", status }];
      const type = { kind: "Node", apiVersion: "v1" };
      return { ...type, metadata: { name }, status: { conditions } } as object as ApiObject;
    };
    for (const one of [node("n1", "True"), node("n2", "Unknown"), node("n3")]) {
      fleet.nodes.put(cached(one));
    }
    equal(await fleet.value('driftless_fleet_nodes{ready="True"}'), 1);
    equal(await fleet.value('driftless_fleet_nodes{ready="Unknown"}'), 2);
    match(await fleet.metrics.text(), /driftless_fleet_nodes\{ready="False"\} 0/);
  });
});
