// The numbers of flow control. What happens with every request is counted in plain numbers and handed over when the
// metrics are printed: counting with labels costs more than deciding.

import type { Counter, Gauge, Histogram, Metrics } from "../../base/metrics.ts";
import type { LevelQueue } from "./level-queue.ts";
import type { LimitedLevel } from "./priority-level.ts";

export type RejectReason = "queue-full" | "time-out" | "cancelled";

export class FlowMetrics {
  readonly #dispatched: Counter<"priority_level">;
  readonly #rejected: Counter<"priority_level" | "reason">;
  readonly #waiting: Gauge<"priority_level">;
  readonly #executing: Gauge<"priority_level">;
  readonly #waits: Histogram<"priority_level" | "execute">;
  /** Since the last time that they were handed over. */
  readonly #newlyDispatched: Map<LimitedLevel, number>;

  constructor(metrics: Metrics, levels: readonly LimitedLevel[]) {
    this.#newlyDispatched = new Map(levels.map((level) => [level, 0]));
    this.#dispatched = metrics.counter({
      name: "apiserver_flowcontrol_dispatched_requests_total",
      help: "Requests that got a seat.",
      labels: ["priority_level"],
    });
    this.#rejected = metrics.counter({
      name: "apiserver_flowcontrol_rejected_requests_total",
      help: "Requests that were sent away, or left while they waited.",
      labels: ["priority_level", "reason"],
    });
    this.#waiting = metrics.gauge({
      name: "apiserver_flowcontrol_current_inqueue_requests",
      help: "Requests that wait for a seat.",
      labels: ["priority_level"],
    });
    this.#executing = metrics.gauge({
      name: "apiserver_flowcontrol_current_executing_requests",
      help: "Requests that have a seat.",
      labels: ["priority_level"],
    });
    this.#waits = metrics.histogram({
      name: "apiserver_flowcontrol_request_wait_duration_seconds",
      help: "How long requests waited for a seat, of those that had to.",
      labels: ["priority_level", "execute"],
      buckets: [0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15],
    });
  }

  dispatched(level: LimitedLevel): void {
    this.#newlyDispatched.set(level, (this.#newlyDispatched.get(level) ?? 0) + 1);
  }

  rejected(level: LimitedLevel, reason: RejectReason): void {
    this.#rejected.inc({ priority_level: level, reason });
  }

  waited(level: LimitedLevel, seconds: number, isExecuted: boolean): void {
    this.#waits.observe(seconds, { priority_level: level, execute: String(isExecuted) });
  }

  publish(levels: readonly LevelQueue[]): void {
    for (const { name, waiting, executing } of levels) {
      const labels = { priority_level: name };
      this.#waiting.set(waiting, labels);
      this.#executing.set(executing, labels);
      this.#dispatched.add(this.#newlyDispatched.get(name) ?? 0, labels);
      this.#newlyDispatched.set(name, 0);
    }
  }
}
