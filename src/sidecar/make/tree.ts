// YAML and JSON as a tree whose scalars keep their spelling: 0644 stays 0644, 1.10 stays 1.10, a number of thirty digits keeps them all, and a quoted "no" stays
// a text for every version of YAML. Comments and anchors do not survive: what an alias repeats is written out, within limits that bombs do not pass.

import {
  type Alias,
  Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  LineCounter as Lines,
  type Node,
  Pair,
  parseAllDocuments,
  Scalar,
  visit,
  YAMLMap,
  YAMLSeq,
} from "yaml";
import { type Input, MakeError, textOf } from "./make-error.ts";

export type Tree =
  | { readonly type: "map"; readonly entries: ReadonlyMap<string, Tree> }
  | { readonly type: "list"; readonly items: readonly Tree[] }
  /** Plain: what it is (number, boolean, null, text) shows in its spelling. Otherwise a text. */
  | { readonly type: "scalar"; readonly text: string; readonly isPlain: boolean };

/** Nodes that a tree may have once aliases are written out. */
const MAX_NODES = 500_000;
const MAX_DEPTH = 200;
const CORE_TAG = /^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/;
const TEXT_TAG = "tag:yaml.org,2002:str";

/** JSON is read as the YAML that it is. Throws MakeError with line and column, and with no content. */
export function treeOf(input: Input): Tree {
  const lines = new Lines();
  // "failsafe": every scalar is its text; nothing is resolved, so nothing is lost.
  const documents = parseAllDocuments(textOf(input), {
    schema: "failsafe",
    prettyErrors: false,
    lineCounter: lines,
    logLevel: "silent",
  });
  const [document] = Array.isArray(documents) ? documents : [];
  if (document === undefined) return { type: "map", entries: new Map() };
  const [error] = document.errors;
  if (error !== undefined) {
    const what = input.isSecret ? "is not valid YAML" : error.message;
    throw new MakeError(`${placeOf(input, lines, error.pos[0])}: ${what}`);
  }
  if (documents.length > 1) {
    throw new MakeError(
      `${input.address} has ${documents.length} documents; only one can be merged`,
    );
  }
  return new TreeReader(input, document, lines).read();
}

function placeOf({ address }: Input, lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${address}:${line}:${col}`;
}

class TreeReader {
  readonly #input: Input;
  readonly #document: Document.Parsed;
  readonly #lines: LineCounter;
  /** What each alias stands for: the last anchor of its name before it. */
  readonly #targets = new Map<Alias, Node>();
  #nodes = 0;

  constructor(input: Input, document: Document.Parsed, lines: LineCounter) {
    this.#input = input;
    this.#document = document;
    this.#lines = lines;
  }

  read(): Tree {
    const anchors = new Map<string, Node>();
    visit(this.#document, {
      Node: (_, node) => {
        const target = isAlias(node) ? anchors.get(node.source) : undefined;
        if (isAlias(node) && target !== undefined) this.#targets.set(node, target);
        else if (!isAlias(node) && node.anchor !== undefined) anchors.set(node.anchor, node);
      },
    });
    return this.#tree(this.#document.contents, 0);
  }

  #tree(node: unknown, depth: number): Tree {
    this.#nodes++;
    if (this.#nodes > MAX_NODES || depth > MAX_DEPTH) {
      const what = depth > MAX_DEPTH ? `${MAX_DEPTH} levels` : `${MAX_NODES} values`;
      throw new MakeError(`${this.#input.address} has more than ${what}, aliases written out`);
    }
    if (isAlias(node)) {
      const target = this.#targets.get(node);
      if (target === undefined) throw this.#error(node, "it is an alias of nothing");
      return this.#tree(target, depth + 1);
    }
    this.#checkTag(node);
    if (isMap(node)) return this.#map(node, depth);
    if (isSeq(node)) {
      return { type: "list", items: node.items.map((item) => this.#tree(item, depth + 1)) };
    }
    if (!isScalar(node)) return { type: "scalar", text: "null", isPlain: true };
    const isPlain = node.type === "PLAIN" && node.tag !== TEXT_TAG;
    return { type: "scalar", text: typeof node.value === "string" ? node.value : "", isPlain };
  }

  #map(node: YAMLMap, depth: number): Tree {
    const entries = new Map<string, Tree>();
    const merged: Tree[] = [];
    for (const { key, value } of node.items) {
      const name = this.#tree(key, depth + 1);
      if (name.type !== "scalar") throw this.#error(key, "a key must be a text");
      const tree = this.#tree(value, depth + 1);
      if (name.isPlain && name.text === "<<" && tree.type !== "scalar") merged.push(tree);
      else entries.set(name.text, tree);
    }
    // YAML 1.1's merge key: what the map itself says wins, then the earlier of several.
    for (const tree of merged.flatMap((one) => (one.type === "list" ? one.items : [one]))) {
      if (tree.type !== "map") throw this.#error(node, '"<<" takes maps only');
      for (const [key, value] of tree.entries) if (!entries.has(key)) entries.set(key, value);
    }
    return { type: "map", entries };
  }

  #checkTag(node: unknown): void {
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return;
    const { tag } = node;
    if (tag === undefined || tag === "!" || CORE_TAG.test(tag)) return;
    throw this.#error(node, "it has a tag that would not survive a merge; use copy or template");
  }

  #error(node: unknown, what: string): MakeError {
    const hasPlace = isScalar(node) || isMap(node) || isSeq(node) || isAlias(node);
    const offset = hasPlace ? node.range?.[0] : undefined;
    const place =
      offset === undefined ? this.#input.address : placeOf(this.#input, this.#lines, offset);
    return new MakeError(`${place}: ${what}`);
  }
}

export function yamlOf(tree: Tree): string {
  const document = new Document(undefined, { schema: "failsafe" });
  document.contents = nodeOf(tree) as typeof document.contents;
  return document.toString({ lineWidth: 0 });
}

function nodeOf(tree: Tree): YAMLMap | YAMLSeq | Scalar {
  switch (tree.type) {
    case "map": {
      const map = new YAMLMap();
      for (const [key, value] of tree.entries) {
        map.items.push(new Pair(keyNode(key), nodeOf(value)));
      }
      map.flow = map.items.length === 0;
      return map;
    }
    case "list": {
      const list = new YAMLSeq();
      list.items = tree.items.map(nodeOf);
      list.flow = list.items.length === 0;
      return list;
    }
    case "scalar":
      return scalarNode(tree.text, tree.isPlain);
  }
}

/** Keys such as "on" and 8080 are quoted: as keys of JSON and of ConfigMaps they are texts. */
function keyNode(key: string): Scalar {
  const isSafe =
    /^[A-Za-z_][\w./-]*$/.test(key) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(key);
  const node = new Scalar(key);
  node.type = isSafe ? "PLAIN" : "QUOTE_DOUBLE";
  return node;
}

function scalarNode(text: string, isPlain: boolean): Scalar {
  const node = new Scalar(text === "" && isPlain ? "null" : text);
  if (isPlain) node.type = "PLAIN";
  else
    node.type = /^[^\s].*\n/.test(text) && !text.includes("\r") ? "BLOCK_LITERAL" : "QUOTE_DOUBLE";
  return node;
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/** Indented by two. Plain scalars are what YAML 1.2 takes them for. */
export function jsonOf(tree: Tree, indent = ""): string {
  const inner = `${indent}  `;
  switch (tree.type) {
    case "map": {
      const lines = [...tree.entries].map(
        ([key, value]) => `${inner}${JSON.stringify(key)}: ${jsonOf(value, inner)}`,
      );
      return lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n${indent}}`;
    }
    case "list": {
      const lines = tree.items.map((item) => inner + jsonOf(item, inner));
      return lines.length === 0 ? "[]" : `[\n${lines.join(",\n")}\n${indent}]`;
    }
    case "scalar":
      return tree.isPlain ? jsonScalar(tree.text) : JSON.stringify(tree.text);
  }
}

function jsonScalar(text: string): string {
  if (isNullText(text)) return "null";
  if (/^(?:true|True|TRUE)$/.test(text)) return "true";
  if (/^(?:false|False|FALSE)$/.test(text)) return "false";
  if (JSON_NUMBER.test(text)) return text;
  if (/^[-+]?\d+$/.test(text)) return BigInt(text.replace("+", "")).toString();
  if (/^0o[0-7]+$|^0x[\da-fA-F]+$/.test(text)) return BigInt(text).toString();
  if (/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(text)) return String(Number(text));
  return JSON.stringify(text);
}

function isNullText(text: string): boolean {
  return text === "" || text === "~" || text === "null" || text === "Null" || text === "NULL";
}

export function isNull(tree: Tree): boolean {
  return tree.type === "scalar" && tree.isPlain && isNullText(tree.text);
}

/** As JavaScript values without prototypes, for templates. Numbers become numbers if none of their digits is lost, else texts. */
export function plainValue(tree: Tree): unknown {
  switch (tree.type) {
    case "map": {
      const object = Object.create(null) as Record<string, unknown>;
      for (const [key, value] of tree.entries) object[key] = plainValue(value);
      return object;
    }
    case "list":
      return tree.items.map(plainValue);
    case "scalar": {
      if (!tree.isPlain) return tree.text;
      const value: unknown = JSON.parse(jsonScalar(tree.text));
      const isExact = typeof value !== "number" || String(value) === tree.text;
      return isExact ? value : tree.text;
    }
  }
}
