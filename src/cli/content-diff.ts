// What differs between two contents of a ConfigMap or Secret, key by key, for people. Of Secrets it is said that a key changed, and nothing of
// its value: not even how long it is.

import { isUtf8 } from "node:buffer";
import { type Content, contentChange } from "../base/object-content.ts";
import { type Colour, type Look, painted } from "./answers/look.ts";
import { type DiffLine, lineDiff } from "./line-diff.ts";
import { plainText } from "./plain-text.ts";

/** Beyond, and with several lines, values are shown line by line. */
const MAX_INLINE_CHARS = 60;

const SIGNS = { added: "+", changed: "~", removed: "-" } as const;
const COLOURS: Readonly<Record<KeyChangeType, Colour>> = {
  added: "green",
  changed: "yellow",
  removed: "red",
};
const LINE_COLOURS: Readonly<Record<DiffLine["type"], Colour | undefined>> = {
  same: undefined,
  removed: "red",
  added: "green",
  place: "cyan",
};

type KeyChangeType = keyof typeof SIGNS;

export interface ContentDiffOptions {
  readonly before: Content;
  readonly after: Content;
  readonly isSecret: boolean;
  readonly look: Look;
}

/** Lines with an end; "" if there is no difference. */
export function contentDiffText({ before, after, isSecret, look }: ContentDiffOptions): string {
  const change = contentChange(before, after);
  const keys = (["added", "changed", "removed"] as const)
    .flatMap((type) => change[type].map((key) => ({ type, key })))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const texts = keys.map(({ type, key }) => {
    const head = painted(look, COLOURS[type], `${SIGNS[type]} ${plainText(key)}`);
    if (isSecret) return `${head}: ${type} (the value of a Secret is not shown)\n`;
    return `${head}:${valueText(look, before.get(key), after.get(key))}`;
  });
  return texts.join("");
}

/** "~log.level +new -old", in one line. */
export function changesText(summary: {
  readonly added?: readonly string[] | null | undefined;
  readonly changed?: readonly string[] | null | undefined;
  readonly removed?: readonly string[] | null | undefined;
}): string {
  return (["changed", "added", "removed"] as const)
    .flatMap((type) => (summary[type] ?? []).map((key) => `${SIGNS[type]}${plainText(key)}`))
    .join(" ");
}

function valueText(
  look: Look,
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): string {
  const values = [before, after].filter((value) => value !== undefined);
  if (values.some((value) => !isUtf8(value))) {
    return ` ${values.map(sizeText).join(" -> ")} (binary)\n`;
  }
  const texts = values.map(textOf);
  if (texts.every(isShort)) return ` ${texts.map(quoted).join(" -> ")}\n`;
  const lines = lineDiff(textOf(before), textOf(after)).map(({ type, text }) => {
    const colour = LINE_COLOURS[type];
    const plain = text.split("\t").map(plainText).join("\t");
    return `    ${colour === undefined ? plain : painted(look, colour, plain)}\n`;
  });
  return `\n${lines.join("")}`;
}

function textOf(value: Uint8Array | undefined): string {
  return value === undefined ? "" : Buffer.from(value).toString("utf8");
}

function sizeText({ length }: Uint8Array): string {
  return length === 1 ? "1 byte" : `${length} bytes`;
}

function isShort(text: string): boolean {
  return text.length <= MAX_INLINE_CHARS && !text.includes("\n");
}

function quoted(text: string): string {
  return plainText(JSON.stringify(text));
}
