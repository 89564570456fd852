// The tables of docs/metrics.md.

import { readFileSync } from "node:fs";

interface DocumentedMetric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

const file = new URL("../../docs/metrics.md", import.meta.url);

/** In the order of the page; one that is there twice is here twice. */
export function documentedMetrics(): readonly DocumentedMetric[] {
  const rows = readFileSync(file, "utf8").matchAll(
    /^\| `(\w+)` +\| (counter|gauge|histogram) +\| (.*?) +\| (.*?) +\|$/gm,
  );
  return Array.from(rows, ([, name = "", type = "", labels = "", help = ""]) => ({
    ...{ name, type, help: help.replaceAll("\\|", "|") },
    labels: Array.from(labels.matchAll(/`(\w+)`/g), ([, label = ""]) => label),
  }));
}
