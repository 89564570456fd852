import { deepEqual, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { askedBy, metricFamilies } from "./metrics-text.ts";

describe("askedBy", () => {
  it("finds metrics and labels, and takes neither functions nor words of the language for them", () => {
    const { metrics, labels } = askedBy(
      'histogram_quantile(0.99, sum by (le, stage) (rate(lag_bucket{node=~"sum(x)"}[5m]))) > 1 unless on (zone) up == bool 0',
    );
    deepEqual([...metrics], ["lag_bucket", "up"]);
    deepEqual([...labels].toSorted(), ["le", "node", "stage", "zone"]);
  });
});

describe("metricFamilies", () => {
  it("knows the type, the help and the labels of what is there", () => {
    const text = `# HELP lag Time.\n# TYPE lag histogram\nlag_bucket{stage="a,b=\\"",le="1"} 2\nlag_sum 3\n`;
    const lag = metricFamilies(text).get("lag");
    deepEqual([lag?.type, lag?.help], ["histogram", "Time."]);
    deepEqual([...(lag?.labels ?? [])], ["stage", "le"]);
  });

  it("refuses samples that nothing declares", () => {
    throws(() => metricFamilies("lag 3\n"), /no metric is declared for lag 3/);
  });
});
