// The views of this node's pods, with all that they need of its server.

import { kindOf } from "../../api/kinds.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { Informer } from "../../client/informer.ts";
import { listWatchOf } from "../../client/list-watch.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import type { OwnNode } from "../node/own-node.ts";
import { isOver } from "../pods/pod-actions.ts";
import type { PodSource } from "../pods/pod-source.ts";
import type { PodWorkers } from "../pods/pod-workers.ts";
import type { StatusWriter } from "../pods/status-writer.ts";
import { keyOfPod, PodViews, type PodViewsOptions } from "./pod-views.ts";
import { ViewMetrics } from "./view-metrics.ts";
import { type StoredView, ViewReporter } from "./view-reporter.ts";

export interface ReportViewsOptions
  extends Pick<
    PodViewsOptions,
    "stages" | "acks" | "tampering" | "reloads" | "volumes" | "subPaths" | "runtime"
  > {
  readonly nodeName: string;
  readonly client: ApiClient;
  readonly own: Pick<OwnNode, "object" | "onChange">;
  readonly source: Pick<PodSource, "onServer" | "synced">;
  readonly workers: Pick<PodWorkers, "named" | "get" | "all">;
  readonly statuses: Pick<StatusWriter, "get" | "onNews">;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Settles when everything that it started has stopped. */
export async function reportViews(options: ReportViewsOptions, signal: AbortSignal): Promise<void> {
  const { nodeName, client, own, source, workers, statuses, clock, random, logger } = options;
  const kind = kindOf("driftless.dev/v1", "ConfigView");
  if (kind === undefined) throw new Error("Cannot report views: the API has no such kind");
  const fieldSelector = `node=${nodeName}`;
  const views = new PodViews({
    ...options,
    named: (key) => workers.named(key)?.pod,
    podOf: (uid) => workers.get(uid)?.pod,
    onServer: (pod) => source.onServer(pod),
    isOver: (pod) => isOver(statuses.get(pod.metadata.uid ?? "")?.phase ?? pod.status.phase),
  });
  const base = { clock, random, logger };
  const keys = (): readonly string[] => workers.all().map(({ pod }) => keyOfPod(pod));
  const reporter = new ViewReporter({
    ...{ nodeName, keys, ...base },
    views: new ResourceClient<StoredView>(client, kind),
    informer: new Informer<StoredView>({
      listWatch: listWatchOf<StoredView>({ client, kind, fieldSelector }),
      ...{ indexers: {}, startsWithNewest: true, ...base },
    }),
    pod: (key) => views.pod(key),
    podsKnown: source.synced,
    isNodeHeard: () => isHeard(own),
    metrics: new ViewMetrics(options.metrics),
  });
  using _pods = statuses.onNews((pod) => reporter.changed(keyOfPod(pod)));
  let wasHeard = isHeard(own);
  using _node = own.onChange(() => {
    const isBack = isHeard(own) && !wasHeard;
    wasHeard = isHeard(own);
    if (isBack) for (const key of keys()) reporter.changed(key);
  });
  await views.report(reporter, signal);
}

/** Silence makes its condition Unknown; whether it is well or not, a node that says so is there. */
function isHeard({ object }: Pick<OwnNode, "object">): boolean {
  const conditions = object?.status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === "Ready" && status !== "Unknown");
}
