// What changed, key by key, for people: short values beside each other, long ones line by line, and of Secrets nothing but sizes.

import { isUtf8 } from "node:buffer";
import type { KeyDifference } from "./config-keys.ts";
import { plainText } from "./plain-text.ts";

/** Beyond, a value is told by lines. */
const MAX_INLINE_CHARS = 60;
const MAX_LINES = 10;
const MAX_LINE_CHARS = 100;

/** Lines with an end. `isSecret` values are never shown. */
export function keyDiffText(differences: readonly KeyDifference[], isSecret: boolean): string {
  return differences.map((one) => `${differenceText(one, isSecret)}\n`).join("");
}

function differenceText({ key, before, after }: KeyDifference, isSecret: boolean): string {
  const sign = before === undefined ? "+" : after === undefined ? "-" : "~";
  const values = [before, after].filter((value) => value !== undefined);
  const head = `  ${sign} ${plainText(key)}`;
  if (isSecret || values.some((value) => !isUtf8(value))) return `${head}: ${sizes(values)}`;
  const texts = values.map((value) => Buffer.from(value).toString("utf8"));
  if (texts.every(isShort)) return `${head}: ${texts.map(quoted).join(" -> ")}`;
  const [from, to] = [linesOf(before), linesOf(after)];
  return [`${head}:`, ...lineDiff(from, to).map((line) => `      ${cut(plainText(line))}`)].join(
    "\n",
  );
}

function sizes(values: readonly Uint8Array[]): string {
  return values.map(({ length }) => (length === 1 ? "1 byte" : `${length} bytes`)).join(" -> ");
}

function isShort(text: string): boolean {
  return text.length <= MAX_INLINE_CHARS && !text.includes("\n");
}

function quoted(text: string): string {
  return plainText(JSON.stringify(text));
}

function cut(line: string): string {
  return line.length <= MAX_LINE_CHARS ? line : `${line.slice(0, MAX_LINE_CHARS)}…`;
}

function linesOf(value: Uint8Array | undefined): readonly string[] {
  if (value === undefined || value.length === 0) return [];
  return Buffer.from(value).toString("utf8").replace(/\n$/, "").split("\n");
}

/** What is alike at the beginning and at the end is left out. */
function lineDiff(from: readonly string[], to: readonly string[]): readonly string[] {
  const least = Math.min(from.length, to.length);
  let start = 0;
  while (start < least && from[start] === to[start]) start++;
  let end = 0;
  while (end < least - start && from.at(-1 - end) === to.at(-1 - end)) end++;
  const removed = from.slice(start, from.length - end).map((line) => `- ${line}`);
  const added = to.slice(start, to.length - end).map((line) => `+ ${line}`);
  return [...shortened(removed), ...shortened(added)];
}

function shortened(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES), `  … and ${lines.length - MAX_LINES} more lines`];
}
