// Reads a YAML file by its fields and notes every mistake with its place, so that people see all of them at once and where they are. Whatever is asked of a field
// that is wrong gives undefined, after it was noted.

import { posix } from "node:path";
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
} from "yaml";

export interface Mistake {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Aliases are for people who repeat themselves, not for bombs. */
const MAX_ALIASES = 100;

/** A file that is read. */
export class FieldFile {
  readonly mistakes: Mistake[] = [];
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;
  #aliases = 0;

  constructor(text: string) {
    this.#document = parseDocument(text, {
      lineCounter: this.#lines,
      prettyErrors: false,
      logLevel: "silent",
    });
    for (const { message, pos } of this.#document.errors) this.note(pos[0], message);
  }

  get top(): Field {
    return new Field(this, this.#document.contents, "the file");
  }

  note(offset: number | undefined, message: string): void {
    const { line, col } = offset === undefined ? { line: 1, col: 1 } : this.#lines.linePos(offset);
    // Some fields are looked at more than once.
    const isNoted = (one: Mistake): boolean =>
      one.line === line && one.column === col && one.message === message;
    if (!this.mistakes.some(isNoted)) this.mistakes.push({ line, column: col, message });
  }

  /** What an alias stands for. */
  resolve(node: unknown): unknown {
    if (!isAlias(node)) return node;
    this.#aliases++;
    if (this.#aliases > MAX_ALIASES) {
      this.note(node.range?.[0], `there are more than ${MAX_ALIASES} aliases`);
      return undefined;
    }
    const found = node.resolve(this.#document);
    if (found === undefined) this.note(node.range?.[0], `there is no anchor for *${node.source}`);
    return found;
  }
}

export class Field {
  /** For messages: "files[2].mode". */
  readonly path: string;
  readonly #file: FieldFile;
  readonly #node: unknown;
  readonly #offset: number | undefined;

  constructor(file: FieldFile, node: unknown, path: string, offset?: number) {
    this.#file = file;
    this.#node = file.resolve(node);
    this.path = path;
    this.#offset = (node as Node | null)?.range?.[0] ?? offset;
  }

  mistake(message: string): undefined {
    // Of an alias that stands for nothing that is said already.
    if (this.#node !== undefined) this.#file.note(this.#offset, `${this.path}: ${message}`);
    return undefined;
  }

  get isMap(): boolean {
    return isMap(this.#node);
  }

  get isList(): boolean {
    return isSeq(this.#node);
  }

  /** Neither a map nor a list, and not left empty. */
  get isScalar(): boolean {
    return isScalar(this.#node) && this.#node.value !== null;
  }

  /** As it is spelled, for modes. */
  get spelling(): string | undefined {
    return isScalar(this.#node) ? this.#node.source : undefined;
  }

  get isQuoted(): boolean {
    return isScalar(this.#node) && this.#node.type !== "PLAIN";
  }

  /** The fields of a map. Those that are not in `known` are mistakes, with the nearest that is. */
  fields(known?: readonly string[]): Fields | undefined {
    if (!isMap(this.#node)) {
      const what = known === undefined ? "" : ` with ${listed(known)}`;
      return this.mistake(`it must be a map${what}`);
    }
    const fields = new Map<string, Field>();
    for (const { key, value } of this.#node.items) {
      const name = String(isScalar(key) ? key.value : "");
      const offset = (key as Node | null)?.range?.[0];
      const path = this.path === "the file" ? name : `${this.path}.${name}`;
      const field = new Field(this.#file, value, path, offset);
      if (known === undefined || known.includes(name)) fields.set(name, field);
      else this.#file.note(offset, `${path}: there is no such field; ${adviceFor(name, known)}`);
    }
    return new Fields(this, fields);
  }

  items(): readonly Field[] {
    if (!isSeq(this.#node)) return this.mistake("it must be a list") ?? [];
    return this.#node.items.map(
      (item, index) => new Field(this.#file, item, `${this.path}[${index}]`, this.#offset),
    );
  }

  /** A list of texts, or one that stands alone. */
  texts(): readonly string[] {
    if (this.isScalar) return [this.text()].filter((one) => one !== undefined);
    return this.items()
      .map((item) => item.text())
      .filter((one) => one !== undefined);
  }

  /** Numbers and booleans that are meant as texts are taken as they are spelled. */
  text(): string | undefined {
    if (!isScalar(this.#node) || this.#node.value === null) {
      return this.mistake("it must be a text");
    }
    const { value, source = "" } = this.#node;
    return typeof value === "string" ? value : source;
  }

  flag(): boolean | undefined {
    if (isScalar(this.#node) && typeof this.#node.value === "boolean") return this.#node.value;
    return this.mistake("it must be true or false");
  }

  oneOf<const T extends string>(choices: readonly T[]): T | undefined {
    const text = this.text();
    if (text === undefined) return undefined;
    const choice = choices.find((one) => one === text);
    return choice ?? this.mistake(`"${text}" is not one of ${listed(choices)}`);
  }

  wholeNumber(): number | undefined {
    const value = isScalar(this.#node) ? this.#node.value : undefined;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
    return this.mistake("it must be a whole number, 0 or more");
  }

  absolutePath(): string | undefined {
    const text = this.text();
    if (text === undefined) return undefined;
    // One spelling for each: paths are compared.
    if (text.startsWith("/") && !text.includes("\0")) return posix.resolve(text);
    return this.mistake(`"${text}" must be an absolute path, such as ${posix.resolve("/", text)}`);
  }

  /** Milliseconds of "10s", "1m30s", "500ms". A bare number has no unit, so it is a mistake. */
  durationMs(): number | undefined {
    const text = this.text();
    if (text === undefined) return undefined;
    return (
      parsedDuration(text) ?? this.mistake(`"${text}" is no duration; write 10s, 1m30s or 500ms`)
    );
  }

  /** Bytes of "10MiB", "64KiB", "1000". */
  bytes(): number | undefined {
    const text = this.text();
    if (text === undefined) return undefined;
    const [, digits, unit = ""] = /^(\d{1,9})\s*(KiB|MiB|GiB|kB|MB|B|)$/.exec(text) ?? [];
    if (digits !== undefined) return Number(digits) * (UNITS[unit] ?? 1);
    return this.mistake(`"${text}" is no size; write 64KiB or 10MiB`);
  }
}

const UNITS: Readonly<Record<string, number>> = {
  ...{ KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, kB: 1000, MB: 1e6 },
};
const DURATION =
  /^(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?$/;
/** 30 days: more is a slip. */
const MAX_DURATION_MS = 30 * 24 * 3_600_000;

export function parsedDuration(text: string): number | undefined {
  if (text === "0") return 0;
  const match = text === "" ? null : DURATION.exec(text);
  if (match === null) return undefined;
  const [h = 0, m = 0, s = 0, ms = 0] = match.slice(1).map((part) => Number(part ?? 0));
  const total = Math.round(h * 3_600_000 + m * 60_000 + s * 1000 + ms);
  return total <= MAX_DURATION_MS ? total : undefined;
}

/** The fields of one map, each asked for by name. */
export class Fields {
  readonly #owner: Field;
  readonly #fields: ReadonlyMap<string, Field>;

  constructor(owner: Field, fields: ReadonlyMap<string, Field>) {
    this.#owner = owner;
    this.#fields = fields;
  }

  get names(): readonly string[] {
    return [...this.#fields.keys()];
  }

  get(name: string): Field | undefined {
    return this.#fields.get(name);
  }

  entries(): Iterable<[string, Field]> {
    return this.#fields.entries();
  }

  text(name: string): string | undefined {
    return this.#fields.get(name)?.text();
  }

  absolutePath(name: string): string | undefined {
    return this.#fields.get(name)?.absolutePath();
  }

  /** As the next: the fallback if it is missing or wrong. */
  flag(name: string, fallback: boolean): boolean {
    return this.#fields.get(name)?.flag() ?? fallback;
  }

  durationMs(name: string, fallback: number): number {
    return this.#fields.get(name)?.durationMs() ?? fallback;
  }

  /** Noted if it is missing. */
  required(name: string): Field | undefined {
    const field = this.#fields.get(name);
    return field ?? this.#owner.mistake(`it needs the field "${name}"`);
  }

  /** The one of these that is there; none or several are mistakes. */
  exactlyOne<const T extends string>(names: readonly T[]): [T, Field] | undefined {
    const found = names.flatMap((name) => {
      const field = this.#fields.get(name);
      return field === undefined ? [] : [[name, field] as [T, Field]];
    });
    if (found.length === 1) return found[0];
    const has = found.length === 0 ? "none" : found.map(([name]) => name).join(" and ");
    return this.#owner.mistake(`it needs exactly one of ${listed(names)}, and has ${has}`);
  }
}

function listed(names: readonly string[]): string {
  return names.join(", ");
}

function adviceFor(name: string, known: readonly string[]): string {
  const near = known.find(
    (one) => distance(one.toLowerCase(), name.toLowerCase()) <= (name.length < 5 ? 1 : 2),
  );
  return near === undefined ? `there are ${listed(known)}` : `do you mean "${near}"?`;
}

/** How many letters differ, by Levenshtein; names are short. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
