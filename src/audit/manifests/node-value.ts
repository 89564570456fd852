// What a node of a YAML document means to the API: go-yaml's words and numbers, aliases and merge keys. Bounded: a few lines of aliases
// can stand for more values than there is memory.

import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type YAMLMap,
} from "yaml";
import { DecodeError } from "../../api/decode-error.ts";
import type { JsonObject, JsonValue } from "../../api/json.ts";
import { plainYamlScalar } from "../../api/yaml-scalar.ts";

/** Of one document. A List of everything in a large cluster has a few million. */
const MAX_VALUES = 20_000_000;
/** Behind aliases. */
const MAX_ALIASED_VALUES = 100_000;
const MAX_DEPTH = 1000;

/** A value that cannot be read, with the place of it. */
export class NodeError extends Error {
  override readonly name = "NodeError";
  readonly offset: number;

  constructor(message: string, offset: number, cause?: unknown) {
    super(message, { cause });
    this.offset = offset;
  }
}

/** Throws NodeError. */
export function nodeValue(document: Document.Parsed, node: Node | null): JsonValue {
  return new NodeReader(document).value(node, 0);
}

/** What an alias stands for; other nodes are themselves. */
export function resolved(document: Document.Parsed, node: unknown): unknown {
  return isAlias(node) ? (node.resolve(document) ?? null) : node;
}

class NodeReader {
  readonly #document: Document.Parsed;
  readonly #within = new Set<unknown>();
  readonly #targets = new Map<Alias, unknown>();
  #values = 0;
  #aliased = 0;

  constructor(document: Document.Parsed) {
    this.#document = document;
  }

  value(node: unknown, depth: number): JsonValue {
    this.#count(node, depth);
    if (isAlias(node)) return this.#alias(node, depth);
    if (isMap(node)) return this.#map(node, depth);
    if (isSeq(node)) return node.items.map((item) => this.value(item, depth + 1));
    return isScalar(node) ? this.#scalar(node) : null;
  }

  #count(node: unknown, depth: number): void {
    this.#values++;
    if (this.#within.size > 0) this.#aliased++;
    if (this.#values > MAX_VALUES || this.#aliased > MAX_ALIASED_VALUES) {
      throw new NodeError("there are too many values behind its aliases", offsetOf(node));
    }
    if (depth > MAX_DEPTH) throw new NodeError("it is nested too deeply", offsetOf(node));
  }

  #alias(alias: Alias, depth: number): JsonValue {
    const target = this.#target(alias);
    if (this.#within.has(target)) {
      throw new NodeError("an anchor contains itself", offsetOf(alias));
    }
    this.#within.add(target);
    const value = this.value(target, depth + 1);
    this.#within.delete(target);
    return value;
  }

  /** Asking the library walks the document. */
  #target(alias: Alias): unknown {
    const known = this.#targets.get(alias);
    if (known !== undefined) return known;
    const target = resolved(this.#document, alias);
    if (target === null) throw new NodeError("an alias has no anchor", offsetOf(alias));
    this.#targets.set(alias, target);
    return target;
  }

  #map(node: YAMLMap, depth: number): JsonObject {
    const own = new Map<string, JsonValue>();
    const merged = new Map<string, JsonValue>();
    for (const { key, value } of node.items) {
      if (isScalar(key) && key.value === "<<" && key.type === "PLAIN") {
        for (const [name, one] of this.#mergeSource(value, depth)) merged.set(name, one);
      } else {
        own.set(this.#key(key), this.value(value, depth + 1));
      }
    }
    return Object.fromEntries([...merged, ...own]);
  }

  /** Maps that come earlier in a list win, so they are entered last. */
  #mergeSource(node: unknown, depth: number): readonly (readonly [string, JsonValue])[] {
    const source = isAlias(node) ? this.#target(node) : node;
    const parts = isSeq(source) ? source.items.toReversed() : [node];
    return parts.flatMap((part) => {
      const value = this.value(part, depth + 1);
      return typeof value === "object" && value !== null && !Array.isArray(value)
        ? (Object.entries(value) as [string, JsonValue][])
        : [];
    });
  }

  #key(node: unknown): string {
    const key = isScalar(node) ? this.#scalar(node) : isAlias(node) ? this.value(node, 0) : null;
    if (typeof key === "string") return key;
    if (typeof key === "number" || typeof key === "boolean") return String(key);
    throw new NodeError("a key is not a word", offsetOf(node));
  }

  #scalar(node: {
    readonly value: unknown;
    readonly tag?: string;
    readonly type?: string;
  }): JsonValue {
    const text = typeof node.value === "string" ? node.value : "";
    const tag = node.tag?.replace("tag:yaml.org,2002:", "!!") ?? "";
    if (tag === "!!str" || (tag === "" && node.type !== "PLAIN")) return text;
    try {
      return tag === "" || /^!!(?:bool|float|int|null)$/.test(tag)
        ? plainYamlScalar(text, tag)
        : text;
    } catch (err) {
      if (!(err instanceof DecodeError)) throw err;
      throw new NodeError("its tag does not fit the value", offsetOf(node), err);
    }
  }
}

export function offsetOf(node: unknown): number {
  const range = (node as { readonly range?: readonly number[] | null } | null)?.range;
  return range?.[0] ?? 0;
}
