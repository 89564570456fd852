// Numbers about probes. A pod's series go with it.

import type { Container, Pod } from "../../api/types.ts";
import type { Counter, Metrics } from "../../base/metrics.ts";
import type { ProbeKind } from "./probe-tally.ts";

/** The original has "unknown" as well, and never counts it: an answer that cannot be read is no result. */
const RESULTS = { success: "successful", failure: "failed" } as const;

type Label = "probe_type" | "result" | "container" | "pod" | "namespace" | "pod_uid";
type Series = Readonly<Record<Label, string>>;

export class ProbeMetrics {
  readonly #total: Counter<Label>;
  /** By pod uid, then by all that tells a series from the others of its pod. */
  readonly #series = new Map<string, Map<string, Series>>();

  constructor(metrics: Metrics) {
    this.#total = metrics.counter({
      name: "prober_probe_total",
      help: "Answers to a liveness, readiness or startup probe of a container, by result",
      labels: ["probe_type", "result", "container", "pod", "namespace", "pod_uid"],
    });
  }

  count(
    { metadata }: Pod,
    { container, kind }: { readonly container: Container; readonly kind: ProbeKind },
    answer: keyof typeof RESULTS,
  ): void {
    const { name = "", namespace = "", uid = "" } = metadata;
    const series = {
      ...{ probe_type: kind, result: RESULTS[answer], container: container.name },
      ...{ pod: name, namespace, pod_uid: uid },
    };
    const ofPod = this.#series.get(uid) ?? new Map<string, Series>();
    this.#series.set(uid, ofPod.set(`${kind} ${answer} ${container.name}`, series));
    this.#total.inc(series);
  }

  forget(podUid: string): void {
    for (const series of this.#series.get(podUid)?.values() ?? []) this.#total.remove(series);
    this.#series.delete(podUid);
  }
}
