// Numbers about the pods of this node.

import type { Counter, Gauge, Histogram, Metrics } from "../../base/metrics.ts";

export interface PodMetrics {
  readonly pods: Gauge<"phase">;
  readonly syncSeconds: Histogram<"operation_type">;
  readonly started: Counter<"container_type">;
  readonly restarts: Counter;
}

export function podMetrics(metrics: Metrics): PodMetrics {
  return {
    pods: metrics.gauge({
      name: "driftless_agent_pods",
      help: "Pods of this node by phase",
      labels: ["phase"],
    }),
    syncSeconds: metrics.histogram({
      name: "kubelet_pod_worker_duration_seconds",
      help: "Time to bring a pod to what it should be: sync, terminating or terminated",
      labels: ["operation_type"],
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
    }),
    started: metrics.counter({
      name: "kubelet_started_containers_total",
      help: "Containers that were started",
      labels: ["container_type"],
    }),
    restarts: metrics.counter({
      name: "driftless_agent_container_restarts_total",
      help: "Containers that were started again",
    }),
  };
}
