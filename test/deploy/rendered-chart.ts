// The Helm chart as Helm renders it, as far as that can be had without Helm: by the same engine, Go's text/template (Debian packages a program that is little
// more than that), from the same data. The chart's templates use nothing that Helm adds to the engine.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { JsonObject, JsonValue } from "../../src/api/json.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { DEPLOY } from "./built-manifests.ts";

export const CHART: string = join(DEPLOY, "helm", "driftless");

interface RenderOptions {
  /** The program. */
  readonly engine: string;
  readonly values?: JsonObject;
  readonly release?: string;
  readonly namespace?: string;
}

interface Rendered {
  /** All manifests. */
  readonly text: string;
  readonly notes: string;
}

/** Throws if a template does not render, or refers to a value that there is not. */
export function render(options: RenderOptions): Rendered {
  const { engine, values = {}, release = "driftless", namespace = "driftless" } = options;
  const chart = parse(read("Chart.yaml")) as Readonly<Record<string, string>>;
  const data = {
    Values: merged(defaultValues(), values),
    Release: { Name: release, Namespace: namespace, Service: "Helm" },
    Chart: { Name: chart["name"], Version: chart["version"], AppVersion: chart["appVersion"] },
  };
  const files = readdirSync(join(CHART, "templates")).filter((name) => !name.startsWith("_"));
  const texts = files.toSorted().map((name) => [name, rendered(engine, name, data)] as const);
  const manifests = texts.filter(([name, text]) => name.endsWith(".yaml") && text.trim() !== "");
  return {
    text: manifests.map(([, text]) => `---\n${text}`).join("\n"),
    notes: texts.find(([name]) => name === "NOTES.txt")?.[1] ?? "",
  };
}

export function defaultValues(): JsonObject {
  return parse(read("values.yaml")) as JsonObject;
}

export function valuesSchema(): JsonObject {
  return JSON.parse(read("values.schema.json")) as JsonObject;
}

/** As Helm lays what somebody gives over the chart's own: maps key by key, all else as a whole. */
export function merged(base: JsonObject, over: JsonObject): JsonObject {
  const both = Object.entries(over).map(([key, value = null]): [string, JsonValue] => {
    const before = base[key];
    return [key, isMap(before) && isMap(value) ? merged(before, value) : value];
  });
  return { ...base, ...Object.fromEntries(both) };
}

function rendered(engine: string, name: string, data: object): string {
  using dir = tempDir();
  const file = dir.join("out.tmpl");
  writeFileSync(file, read("templates/_helpers.tpl") + read(`templates/${name}`));
  execFileSync(engine, ["-data", JSON.stringify(data), file], { stdio: "pipe" });
  const text = readFileSync(dir.join("out"), "utf8");
  if (text.includes("<no value>")) throw new Error(`${name} asks for what there is not: ${text}`);
  return text;
}

function read(path: string): string {
  return readFileSync(join(CHART, path), "utf8");
}

function isMap(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
