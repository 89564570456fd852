import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Counter, createMetrics, type Gauge, type Histogram } from "./metrics.ts";

describe("createMetrics", () => {
  it("prints counters, gauges and histograms in the text format of Prometheus", async () => {
    const metrics = createMetrics();
    const writes: Counter<"result"> = metrics.counter({
      name: "writes_total",
      help: "Writes.",
      labels: ["result"],
    });
    const pods: Gauge = metrics.gauge({ name: "pods", help: "Pods on this node." });
    const lag: Histogram = metrics.histogram({
      name: "lag_seconds",
      help: "Lag.",
      buckets: [0.1, 1],
    });

    writes.inc({ result: "ok" });
    writes.add(2, { result: "ok" });
    writes.inc({ result: "failed" });
    pods.set(5);
    pods.add(-2);
    lag.observe(0.5);

    assert.equal(
      await metrics.text(),
      `# HELP writes_total Writes.
# TYPE writes_total counter
writes_total{result="ok"} 3
writes_total{result="failed"} 1

# HELP pods Pods on this node.
# TYPE pods gauge
pods 3

# HELP lag_seconds Lag.
# TYPE lag_seconds histogram
lag_seconds_bucket{le="0.1"} 0
lag_seconds_bucket{le="1"} 1
lag_seconds_bucket{le="+Inf"} 1
lag_seconds_sum 0.5
lag_seconds_count 1
`,
    );
    assert.match(metrics.contentType, /^text\/plain/);
  });

  it("forgets a series of a counter that was removed", async () => {
    const metrics = createMetrics();
    const counter = metrics.counter({ name: "asked_total", help: "Asked.", labels: ["pod"] });
    counter.inc({ pod: "a" });
    counter.inc({ pod: "b" });

    counter.remove({ pod: "a" });

    const text = await metrics.text();
    assert.match(text, /asked_total\{pod="b"\} 1/);
    assert.doesNotMatch(text, /pod="a"/);
  });

  it("forgets a series of a gauge that was removed", async () => {
    const metrics = createMetrics();
    const gauge = metrics.gauge({ name: "drift", help: "Drift.", labels: ["pod"] });
    gauge.set(1, { pod: "a" });
    gauge.set(1, { pod: "b" });

    gauge.remove({ pod: "a" });

    assert.doesNotMatch(await metrics.text(), /pod="a"/);
    assert.match(await metrics.text(), /pod="b"/);
  });

  it("keeps the metrics of two instances apart", async () => {
    const [one, two] = [createMetrics(), createMetrics()];

    one.counter({ name: "same_total", help: "Same." }).inc();
    two.counter({ name: "same_total", help: "Same." });

    assert.match(await one.text(), /same_total 1/);
    assert.match(await two.text(), /same_total 0/);
  });

  it("does not compile with a label that was not declared, or without one that was", () => {
    const metrics = createMetrics();
    const labelled = metrics.counter({ name: "a_total", help: "A.", labels: ["verb", "code"] });
    const plain = metrics.counter({ name: "b_total", help: "B." });

    labelled.inc({ verb: "get", code: "200" });
    plain.inc();
    // @ts-expect-error a label is misspelt
    assert.throws(() => labelled.inc({ verb: "get", coed: "200" }));
    // @ts-expect-error a label is missing
    labelled.inc({ verb: "get" });
    // @ts-expect-error the labels are missing
    labelled.inc();
    // @ts-expect-error this one has no labels
    assert.throws(() => plain.inc({ verb: "get" }));
  });

  it("refuses a name that is taken", () => {
    const metrics = createMetrics();
    metrics.gauge({ name: "taken", help: "Taken." });

    assert.throws(() => metrics.gauge({ name: "taken", help: "Taken." }), /taken/);
  });

  it("has what is found out late brought up to date before it is printed", async () => {
    const metrics = createMetrics();
    const asked = metrics.gauge({ name: "asked", help: "How often it was asked for." });
    metrics.beforeText(async () => asked.add(1));
    await metrics.text();
    assert.match(await metrics.text(), /^asked 2$/m);
  });
});
