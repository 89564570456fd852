// The strategies by the kubelet's names (configMapAndSecretChangeDetectionStrategy).

import type { Metrics } from "../../base/metrics.ts";
import { CachedObjects } from "./cached-objects.ts";
import { FetchedObjects } from "./fetched-objects.ts";
import type { FollowerParts } from "./object-follower.ts";
import { ObjectMetrics } from "./object-metrics.ts";
import type { UpkeptObjects } from "./upkept-objects.ts";
import { WatchObjects } from "./watch-objects.ts";

export type ChangeDetectionStrategy = "Watch" | "Cache" | "Get";

export interface ObjectManagerParts extends FollowerParts {
  readonly metrics: Metrics;
  /** For Cache: see ttlOfNode. */
  readonly ttlMs: () => number;
  /** For Watch: how long an object that only environments use is watched after it was read. The kubelet's is five minutes. */
  readonly maxIdleMs: number;
}

/** Throws for a strategy that there is not: it may come from a file. */
export function createObjectManager(
  strategy: ChangeDetectionStrategy,
  parts: ObjectManagerParts,
): UpkeptObjects {
  const own = { ...parts, metrics: new ObjectMetrics(parts.metrics) };
  switch (strategy) {
    case "Watch":
      return new WatchObjects(own);
    case "Cache":
      return new CachedObjects(own);
    case "Get":
      return new FetchedObjects(own);
    default:
      throw new Error(`unknown configmap and secret manager mode: ${String(strategy)}`);
  }
}
