// From a path in an object to its place in the text: where an editor would put the cursor.

import { type Document, isMap, isScalar, isSeq, type Pair } from "yaml";
import type { FieldPath } from "../finding.ts";
import type { SourcePlace } from "../subject.ts";
import type { ManifestFile } from "./manifest-file.ts";
import { offsetOf, resolved } from "./node-value.ts";

/** Both counted from 1; columns in UTF-16 units. The end is after the last character. */
export interface Region {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

export interface FoundNode {
  readonly document: Document.Parsed;
  readonly node: unknown;
  /** The pair that holds it, if a map does. */
  readonly pair: Pair | undefined;
  /** False: this is the nearest parent that is written down. */
  readonly isExact: boolean;
}

export function findNode(
  file: ManifestFile,
  { document: index, path: start }: SourcePlace,
  path: FieldPath,
): FoundNode | undefined {
  const document = file.documents[index];
  if (document === undefined) return undefined;
  let at: Omit<FoundNode, "document" | "isExact"> = { node: document.contents, pair: undefined };
  for (const step of [...start, ...path]) {
    const next = child(document, at.node, step);
    if (next === undefined) return { document, ...at, isExact: false };
    at = next;
  }
  return { document, ...at, isExact: true };
}

function child(
  document: Document.Parsed,
  of: unknown,
  step: string | number,
): Omit<FoundNode, "document" | "isExact"> | undefined {
  const parent = resolved(document, of);
  if (isSeq(parent)) {
    const node = typeof step === "number" ? parent.items[step] : undefined;
    return node === undefined ? undefined : { node, pair: undefined };
  }
  if (!isMap(parent)) return undefined;
  const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
  if (pair !== undefined) return { node: pair.value, pair };
  return merged(document, parent.items, step);
}

/** What comes by "<<" stands where it was written first. */
function merged(
  document: Document.Parsed,
  pairs: readonly Pair[],
  step: string | number,
): Omit<FoundNode, "document" | "isExact"> | undefined {
  for (const { key, value } of pairs) {
    if (!isScalar(key) || key.value !== "<<") continue;
    const source = resolved(document, value);
    for (const part of isSeq(source) ? source.items : [source]) {
      const found = child(document, part, step);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Of a key with its value if that is short; of the key alone, or the beginning of an item, otherwise. */
export function regionOf(file: ManifestFile, place: SourcePlace, path: FieldPath): Region {
  const found = findNode(file, place, path);
  const start = offsetOf(found?.pair?.key ?? found?.node);
  const first = file.lines.linePos(start);
  const end = file.lines.linePos(endOf(file, found, start));
  return {
    ...{ line: Math.max(1, first.line), column: Math.max(1, first.col) },
    ...{ endLine: Math.max(1, end.line), endColumn: Math.max(1, end.col) },
  };
}

function endOf(file: ManifestFile, found: FoundNode | undefined, start: number): number {
  const lineEnd = file.text.indexOf("\n", start);
  const limit = lineEnd < 0 ? file.text.length : lineEnd;
  const node = found?.node;
  const range = (isScalar(node) ? node : (found?.pair?.key ?? node)) as {
    readonly range?: readonly number[] | null;
  } | null;
  const end = range?.range?.[1] ?? start;
  return Math.min(Math.max(end, start), limit);
}
