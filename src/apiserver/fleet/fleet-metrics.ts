// How the whole fleet stands, for whoever asks this one server: uses of configuration by state and drift by reason, as the views say, pods
// that should have a view and have none, and nodes by whether they are heard of. A change only notes which object it was; it is looked at
// when somebody reads the metrics, so that a burst of a thousand views costs their writers nothing.

import { podUses } from "../../api/config/pod-uses.ts";
import { judgeUse } from "../../api/config/use-state.ts";
import { driftReasons, useStates } from "../../api/config/use-words.ts";
import type { ApiObject } from "../../api/object.ts";
import type { ConfigView, Node, Pod } from "../../api/types.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import type { KindCache } from "../cache/kind-cache.ts";
import { Tally } from "./tally.ts";

export interface FleetMetricsOptions {
  readonly configViews: KindCache;
  readonly pods: KindCache;
  readonly nodes: KindCache;
  readonly metrics: Metrics;
}

const READY = ["True", "False", "Unknown"];

/** Follows the caches from now on. */
export function countFleet({ configViews, pods, nodes, metrics }: FleetMetricsOptions): void {
  const useTally = new Tally(configViews, useLabels);
  // Pods that use configuration and are where an agent sees them.
  const podTally = new Tally(pods, ({ object }) => (needsView(object) ? ["needed"] : []));
  const nodeTally = new Tally(nodes, ({ object }) => [readyOf(object)]);
  const uses = metrics.gauge({
    name: "driftless_fleet_uses",
    help: "Uses of ConfigMaps and Secrets by containers of all nodes, as their views say: InSync, Behind, Frozen, Rejected or Unknown.",
    labels: ["state"],
  });
  const drift = metrics.gauge({
    name: "driftless_fleet_drift",
    help: "Uses on all nodes that delivery alone will not bring up to date, by reason.",
    labels: ["reason"],
  });
  const withoutView = metrics.gauge({
    name: "driftless_fleet_pods_without_view",
    help: "Running pods that use a ConfigMap or Secret and of which no node has reported.",
  });
  const nodeGauge = metrics.gauge({
    name: "driftless_fleet_nodes",
    help: "Nodes by whether they are ready: True, False, or Unknown for those that are not heard of.",
    labels: ["ready"],
  });
  metrics.beforeText(() => {
    const counts = useTally.counts();
    for (const state of useStates) uses.set(counts.get(state) ?? 0, { state });
    for (const reason of driftReasons) drift.set(counts.get(`drift ${reason}`) ?? 0, { reason });
    podTally.counts();
    const missing = [...podTally.keys()].filter((key) => configViews.get(key) === undefined);
    withoutView.set(missing.length);
    for (const ready of READY) nodeGauge.set(nodeTally.counts().get(ready) ?? 0, { ready });
  });
}

function useLabels({ object }: CachedObject): readonly string[] {
  const { uses = [] } = object as ApiObject & ConfigView;
  return uses.flatMap((use) => {
    const { state } = judgeUse(use, { version: undefined });
    return use.drift === undefined ? [state] : [state, `drift ${use.drift.reason}`];
  });
}

function needsView(object: ApiObject): boolean {
  const { spec, status } = object as ApiObject & Pod;
  if (status?.phase !== "Running" || (spec.nodeName ?? "") === "") return false;
  return podUses(spec).some(({ containerType }) => containerType !== "init");
}

function readyOf(object: ApiObject): string {
  const { conditions = [] } = (object as ApiObject & Node).status ?? {};
  const status = conditions.find(({ type }) => type === "Ready")?.status ?? "";
  return READY.includes(status) ? status : "Unknown";
}
