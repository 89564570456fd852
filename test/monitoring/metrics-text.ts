// The text format of Prometheus, read far enough to know which metrics there are, and what queries ask for.

export interface MetricFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** Of the samples that are there. */
  readonly labels: ReadonlySet<string>;
}

type Growing = MetricFamily & { type: string; readonly labels: Set<string> };

/** Throws if a sample belongs to no family: that is no text that a collector would take. */
export function metricFamilies(text: string): ReadonlyMap<string, MetricFamily> {
  const found = new Map<string, Growing>();
  for (const line of text.split("\n")) {
    if (line.startsWith("#")) declare(found, line);
    else if (line !== "") addSample(found, line);
  }
  return found;
}

function declare(found: Map<string, Growing>, line: string): void {
  const [, word = "", name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
  if (word === "HELP") found.set(name, { name, type: "", help: rest, labels: new Set() });
  const family = found.get(name);
  if (word === "TYPE" && family !== undefined) family.type = rest;
}

function addSample(found: Map<string, Growing>, line: string): void {
  const name = /^([a-zA-Z_:][\w:]*)/.exec(line)?.[1] ?? "";
  const owner = found.get(familyName(name, found));
  if (owner === undefined) throw new Error(`no metric is declared for ${line}`);
  for (const [, label = ""] of line.matchAll(/[{,](\w+)="(?:[^"\\]|\\.)*"/g)) {
    owner.labels.add(label);
  }
}

export interface Asked {
  readonly metrics: ReadonlySet<string>;
  /** Every label that it selects by or keeps. */
  readonly labels: ReadonlySet<string>;
}

const KEYWORDS = /\b(by|on|without|ignoring|unless|and|or|bool|offset|group_left|group_right)\b/g;

/** What an expression of PromQL speaks of. */
export function askedBy(expression: string): Asked {
  const labels = new Set<string>();
  const bare = expression.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  const selecting = /\{([^}]*)\}/g;
  const keeping = /\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/g;
  for (const [, list = ""] of [...bare.matchAll(selecting), ...bare.matchAll(keeping)]) {
    for (const [, label = ""] of list.matchAll(/([a-zA-Z_]\w*)/g)) labels.add(label);
  }
  const rest = bare
    .replaceAll(selecting, " ")
    .replaceAll(keeping, " ")
    .replaceAll(/\[[^\]]*\]/g, " ")
    .replaceAll(KEYWORDS, " ");
  // A name before a parenthesis is a function.
  const names = rest.matchAll(/([a-zA-Z_:][\w:]*)(?![\w:]*\s*\()/g);
  return { metrics: new Set(Array.from(names, ([, name = ""]) => name)), labels };
}

/** The metric that a name in a query is a part of. */
export function familyName(name: string, families: ReadonlyMap<string, unknown>): string {
  return families.has(name) ? name : name.replace(/_(bucket|sum|count)$/, "");
}
