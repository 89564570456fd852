// Fixes as edits of the text: everything that is not edited stays as it is, comments and order included.

import { isMap, isScalar, type Pair, type YAMLMap } from "yaml";
import type { Finding, Fix } from "../finding.ts";
import { findNode } from "./locate.ts";
import type { ManifestFile } from "./manifest-file.ts";
import { offsetOf } from "./node-value.ts";

export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** For people: what it does. */
  readonly done: string;
}

/** Undefined if the finding cannot be fixed where it stands. */
export function editFor(file: ManifestFile, { fix, subject, path }: Finding): TextEdit | undefined {
  if (fix === undefined || subject.source === undefined) return undefined;
  if (fix.type === "annotate") return annotation(file, subject.source, fix);
  const found = findNode(file, subject.source, path);
  if (found?.isExact !== true || !isScalar(found.node) || !found.node.range) return undefined;
  const [start, end] = found.node.range;
  const written = file.text.slice(start, end);
  if (fix.type === "quote") {
    return { start, end, text: JSON.stringify(written), done: "put the value in quotes" };
  }
  const text = subject.isJson ? String(fix.mode) : `0${fix.mode.toString(8)}`;
  return { start, end, text, done: `wrote ${text} for ${written}` };
}

/** Later ones first, so that places stay right; those that overlap an earlier one, or repeat it, are left out. */
export function withEdits(text: string, edits: readonly TextEdit[]): string {
  const sorted = edits.toSorted((a, b) => b.start - a.start || b.end - a.end);
  let result = text;
  let before = Number.POSITIVE_INFINITY;
  for (const { start, end, text: put } of sorted) {
    if (end > before || (start === end && start === before)) continue;
    result = result.slice(0, start) + put + result.slice(end);
    before = start;
  }
  return result;
}

type Annotate = Extract<Fix, { readonly type: "annotate" }>;

function annotation(
  file: ManifestFile,
  source: Parameters<typeof findNode>[1],
  { key, value }: Annotate,
): TextEdit | undefined {
  const metadata = findNode(file, source, ["metadata"]);
  // Behind an alias it would be added to other objects as well.
  if (metadata?.isExact !== true || !isMap(metadata.node)) return undefined;
  const done = `added ${key}: ${value}`;
  const pair = metadata.node.items.find(
    ({ key: name }) => isScalar(name) && name.value === "annotations",
  );
  if (pair === undefined)
    return entered(
      file,
      { map: metadata.node, holder: metadata.pair?.key },
      { key: "annotations", value: { key, value }, done },
    );
  if (isMap(pair.value))
    return entered(file, { map: pair.value, holder: pair.key }, { key, value, done });
  return isEmpty(pair) ? filled(file, pair, { key, value, done }) : undefined;
}

interface HeldMap {
  readonly map: YAMLMap;
  readonly holder: unknown;
}

interface Entry {
  readonly key: string;
  readonly value: string | { readonly key: string; readonly value: string };
  readonly done: string;
}

/** As the first entry: right behind `holder`, the key of the map, so that comments stay with what they are about. */
function entered(file: ManifestFile, { map, holder }: HeldMap, entry: Entry): TextEdit | undefined {
  const first = map.items[0];
  const { key, value, done } = entry;
  if (map.flow === true) {
    const start = offsetOf(map) + 1;
    const text =
      typeof value === "string"
        ? JSON.stringify(value)
        : `{ ${JSON.stringify(value.key)}: ${JSON.stringify(value.value)} }`;
    const one = `${JSON.stringify(key)}: ${text}`;
    if (first === undefined) return { start, end: start, text: one, done };
    const at = offsetOf(first.key);
    const gap = file.text.slice(start, at);
    return { start: at, end: at, text: `${one},${gap === "" ? " " : gap}`, done };
  }
  if (first === undefined) return undefined;
  const at = offsetOf(first.key);
  const indent = " ".repeat(file.lines.linePos(at).col - 1);
  const newline = newlineOf(file);
  const text =
    typeof value === "string"
      ? `${key}: ${value}`
      : `${key}:${newline}${indent}  ${value.key}: ${value.value}`;
  const lineEnd = file.text.indexOf(newline, offsetOf(holder));
  if (lineEnd < 0 || lineEnd > at)
    return { start: at, end: at, text: `${text}${newline}${indent}`, done };
  return { start: lineEnd, end: lineEnd, text: `${newline}${indent}${text}`, done };
}

/** "annotations:" with nothing behind it. */
function filled(
  file: ManifestFile,
  pair: Pair,
  { key, value, done }: Entry & { value: string },
): TextEdit | undefined {
  const at = offsetOf(pair.key);
  const colon = file.text.indexOf(":", at) + 1;
  const { line } = file.lines.linePos(at);
  if (colon === 0 || file.lines.linePos(colon).line !== line) return undefined;
  const indent = " ".repeat(file.lines.linePos(at).col + 1);
  return { start: colon, end: colon, text: `${newlineOf(file)}${indent}${key}: ${value}`, done };
}

function isEmpty({ value }: Pair): boolean {
  return (
    value === null || (isScalar(value) && (value.source ?? "") === "" && value.type === "PLAIN")
  );
}

function newlineOf({ text }: ManifestFile): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}
