// Numbers about the views of this node's pods. Bounded whatever the number of objects: they count uses, and name no object.

import { judgeUse } from "../../api/config/use-state.ts";
import { driftReasons, useStates } from "../../api/config/use-words.ts";
import type { ConfigUse } from "../../api/types.ts";
import type { Counter, Gauge, Histogram, Metrics } from "../../base/metrics.ts";

const stageNames = ["gated", "onDisk", "noticed", "applied"] as const;

/** What a use that is not in sync lacks: the content, or the word of the process that it has it. */
const waitedFor = ["onDisk", "applied"] as const;
type WaitedFor = (typeof waitedFor)[number];

const writeResults = ["written", "deleted", "conflict", "gone", "failed"] as const;

interface Counted {
  readonly states: ReadonlyMap<string, number>;
  readonly reasons: ReadonlyMap<string, number>;
  /** Since when the oldest use has waited, by what it waits for. */
  readonly waitsSinceMs: ReadonlyMap<WaitedFor, number>;
}

export class ViewMetrics {
  readonly #uses: Gauge<"state">;
  readonly #drift: Gauge<"reason">;
  readonly #lags: Histogram<"stage">;
  readonly #oldest: Gauge<"stage">;
  readonly #writes: Counter<"result">;
  /** By the pod's "namespace/name". */
  readonly #counted = new Map<string, Counted>();

  constructor(metrics: Metrics) {
    this.#uses = metrics.gauge({
      name: "driftless_config_uses",
      help: "Uses of ConfigMaps and Secrets by containers of this node: InSync, Behind, Frozen, Rejected or Unknown",
      labels: ["state"],
    });
    this.#drift = metrics.gauge({
      name: "driftless_config_drift",
      help: "Uses that delivery alone will not bring up to date, by reason",
      labels: ["reason"],
    });
    this.#lags = metrics.histogram({
      name: "driftless_config_stage_seconds",
      help: "Time from when a new content was seen until it was let through, on disk, noticed and applied",
      labels: ["stage"],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600],
    });
    this.#oldest = metrics.gauge({
      name: "driftless_config_oldest_waiting_timestamp_seconds",
      help: "When the content was seen that some container has waited for longest to be onDisk, or on disk and to be applied; 0 if none waits",
      labels: ["stage"],
    });
    this.#writes = metrics.counter({
      name: "driftless_config_view_writes_total",
      help: "Requests that write views of pods to the server, by result",
      labels: ["result"],
    });
    for (const state of useStates) this.#uses.set(0, { state });
    for (const reason of driftReasons) this.#drift.set(0, { reason });
    for (const result of writeResults) this.#writes.add(0, { result });
    // Not at each change: a thousand pods that change would each have all of them looked through.
    metrics.beforeText(() => this.#setOldest());
  }

  wrote(result: (typeof writeResults)[number]): void {
    this.#writes.inc({ result });
  }

  /** The pod's uses now, undefined if it has none, and those that were reported before. */
  made(pod: string, uses: readonly ConfigUse[] | undefined, before: readonly ConfigUse[]): void {
    const old = this.#counted.get(pod);
    const now = uses && counted(uses);
    addAll(old, now, (state, by) => this.#uses.add(by, { state }), "states");
    addAll(old, now, (reason, by) => this.#drift.add(by, { reason }), "reasons");
    if (now === undefined) this.#counted.delete(pod);
    else this.#counted.set(pod, now);
    for (const use of uses ?? []) this.#observe(use, before);
  }

  #setOldest(): void {
    for (const stage of waitedFor) {
      let oldestMs = 0;
      for (const { waitsSinceMs } of this.#counted.values()) {
        const sinceMs = waitsSinceMs.get(stage) ?? 0;
        if (sinceMs > 0 && (oldestMs === 0 || sinceMs < oldestMs)) oldestMs = sinceMs;
      }
      this.#oldest.set(oldestMs / 1000, { stage });
    }
  }

  /** Stages that were not reported before; what was there before the use was, says nothing about speed. */
  #observe(use: ConfigUse, before: readonly ConfigUse[]): void {
    const last = before.find((one) => isSameUse(one, use));
    const { stages } = use;
    if (last?.wanted === undefined || stages?.["seen"] === undefined) return;
    const known = last.wanted.hash === use.wanted?.hash ? last.stages : undefined;
    const seenMs = Date.parse(stages["seen"]);
    for (const stage of stageNames) {
      const at = stages[stage];
      if (at === undefined || known?.[stage] !== undefined) continue;
      this.#lags.observe(Math.max(0, Date.parse(at) - seenMs) / 1000, { stage });
    }
  }
}

function isSameUse(a: ConfigUse, b: ConfigUse): boolean {
  return (
    a.kind === b.kind &&
    a.name === b.name &&
    a.how === b.how &&
    (a.container ?? "") === (b.container ?? "") &&
    (a.mountPath ?? "") === (b.mountPath ?? "")
  );
}

function counted(uses: readonly ConfigUse[]): Counted {
  const states = new Map<string, number>();
  const reasons = new Map<string, number>();
  const waitsSinceMs = new Map<WaitedFor, number>();
  for (const use of uses) {
    const { state } = judgeUse(use, { version: undefined });
    states.set(state, (states.get(state) ?? 0) + 1);
    if (use.drift) reasons.set(use.drift.reason, (reasons.get(use.drift.reason) ?? 0) + 1);
    const seen = use.stages?.["seen"];
    if (state === "InSync" || seen === undefined) continue;
    const isOnDisk = use.wanted !== undefined && use.onDisk?.hash === use.wanted.hash;
    const stage = isOnDisk ? "applied" : "onDisk";
    waitsSinceMs.set(stage, Math.min(waitsSinceMs.get(stage) ?? Infinity, Date.parse(seen)));
  }
  return { states, reasons, waitsSinceMs };
}

function addAll(
  old: Counted | undefined,
  now: Counted | undefined,
  add: (label: string, by: number) => void,
  which: "states" | "reasons",
): void {
  for (const [label, count] of old?.[which] ?? []) add(label, -count);
  for (const [label, count] of now?.[which] ?? []) add(label, count);
}
