// Numbers for machines, with the label names as part of the type: a label that was not declared does
// not compile. Parts take a Metrics; prom-client does the counting behind it, in a registry per instance.

import { createRequire } from "node:module";
import type * as prom from "prom-client";

// One by one: all of prom-client brings a cluster, a push gateway and tracing, and 15 MiB of memory.
const part = createRequire(import.meta.url);
const Registry = part("prom-client/lib/registry.js") as typeof prom.Registry;
const PromCounter = part("prom-client/lib/counter.js") as typeof prom.Counter;
const PromGauge = part("prom-client/lib/gauge.js") as typeof prom.Gauge;
const PromHistogram = part("prom-client/lib/histogram.js") as typeof prom.Histogram;

/** The labels of one sample: nothing when the metric has none, else all of them. */
type LabelArguments<L extends string> = [L] extends [never]
  ? []
  : [labels: Readonly<Record<L, string>>];

export interface Counter<L extends string = never> {
  inc(...labels: LabelArguments<L>): void;
  /** Adds `value`, which is not negative. */
  add(value: number, ...labels: LabelArguments<L>): void;
  /** Forgets one series: what it counted is gone. */
  remove(...labels: LabelArguments<L>): void;
}

export interface Gauge<L extends string = never> {
  set(value: number, ...labels: LabelArguments<L>): void;
  add(value: number, ...labels: LabelArguments<L>): void;
  /** Forgets one series: what it described is gone. */
  remove(...labels: LabelArguments<L>): void;
}

export interface Histogram<L extends string = never> {
  observe(value: number, ...labels: LabelArguments<L>): void;
}

interface MetricOptions<L extends string> {
  /** As Kubernetes names it where an equivalent exists; unit at the end (`_seconds`, `_total`). */
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly L[];
}

interface HistogramOptions<L extends string> extends MetricOptions<L> {
  /** Upper bounds, growing. */
  readonly buckets: readonly number[];
}

/** Makes metrics and prints them. A name can be used once. */
export interface Metrics {
  counter<L extends string = never>(options: MetricOptions<L>): Counter<L>;
  gauge<L extends string = never>(options: MetricOptions<L>): Gauge<L>;
  histogram<L extends string = never>(options: HistogramOptions<L>): Histogram<L>;
  /** For what is found out only when somebody wants to know: `update` is called, and waited for, each time before they are printed. */
  beforeText(update: () => void | Promise<void>): void;
  /** All metrics in the text format of Prometheus. */
  text(): Promise<string>;
  /** What an HTTP answer with text() says that it is. */
  readonly contentType: string;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const updates: (() => void | Promise<void>)[] = [];
  return {
    counter(options) {
      const counter = new PromCounter(promOptions(options, registry));
      return {
        inc: (...[labels]) => counter.inc(labels ?? {}),
        add: (value, ...[labels]) => counter.inc(labels ?? {}, value),
        remove: (...[labels]) => counter.remove(labels ?? {}),
      };
    },
    gauge(options) {
      const gauge = new PromGauge(promOptions(options, registry));
      return {
        set: (value, ...[labels]) => gauge.set(labels ?? {}, value),
        add: (value, ...[labels]) => gauge.inc(labels ?? {}, value),
        remove: (...[labels]) => gauge.remove(labels ?? {}),
      };
    },
    histogram(options) {
      const buckets = [...options.buckets];
      const histogram = new PromHistogram({ ...promOptions(options, registry), buckets });
      return { observe: (value, ...[labels]) => histogram.observe(labels ?? {}, value) };
    },
    beforeText: (update) => void updates.push(update),
    async text() {
      for (const update of updates) await update();
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

function promOptions<L extends string>(
  { name, help, labels = [] }: MetricOptions<L>,
  registry: prom.Registry,
): { name: string; help: string; labelNames: readonly string[]; registers: prom.Registry[] } {
  return { name, help, labelNames: labels, registers: [registry] };
}
