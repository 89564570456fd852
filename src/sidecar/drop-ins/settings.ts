// Variables and flags, read by name and type. Mistakes are collected, so that all of them are said at once; an empty value counts as none.

import { Secret } from "../../base/secret.ts";
import type { HttpAuth } from "../compose-model.ts";
import { DropInError } from "./drop-in-model.ts";
import { parseGoDuration } from "./go-duration.ts";

export interface NumberRange {
  readonly fallback: number;
  readonly min: number;
  readonly max?: number;
  readonly isWhole?: boolean;
}

export interface Address {
  readonly url: string;
  /** From "user:password@" in the address. */
  readonly auth: HttpAuth | undefined;
}

export class Settings {
  readonly #lookup: (name: string) => readonly string[];
  readonly #problems: string[] = [];
  readonly #notes: string[] = [];

  /** `lookup` gives all values of a name, in order. */
  constructor(lookup: (name: string) => readonly string[]) {
    this.#lookup = lookup;
  }

  get notes(): readonly string[] {
    return this.#notes;
  }

  problem(text: string): void {
    this.#problems.push(text);
  }

  note(text: string): void {
    this.#notes.push(text);
  }

  /** Throws DropInError if anything was wrong. */
  assertRight(): void {
    if (this.#problems.length > 0) throw new DropInError(this.#problems.join("\n"));
  }

  all(name: string): readonly string[] {
    return this.#lookup(name).filter((value) => value !== "");
  }

  /** The last one counts. */
  text(name: string): string | undefined {
    return this.all(name).at(-1);
  }

  /** Even if it is empty. */
  isSet(name: string): boolean {
    return this.#lookup(name).length > 0;
  }

  /** Separated by commas; blanks around them are nothing. */
  list(name: string): readonly string[] {
    const parts = (this.text(name) ?? "").split(",").map((part) => part.trim());
    return [...new Set(parts.filter((part) => part !== ""))];
  }

  number(name: string, { fallback, min, max = Infinity, isWhole = false }: NumberRange): number {
    const text = this.text(name)?.trim();
    if (text === undefined) return fallback;
    const value = /^[+-]?(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max && (!isWhole || Number.isInteger(value))) return value;
    const range = max === Infinity ? `${min} or more` : `from ${min} to ${max}`;
    this.problem(
      `${name} is ${quoted(text)}: must be a ${isWhole ? "whole " : ""}number, ${range}`,
    );
    return fallback;
  }

  /** As Go writes it: "3m", "1m30s", "0". In milliseconds. */
  duration(name: string, fallbackMs: number): number {
    const text = this.text(name);
    if (text === undefined) return fallbackMs;
    const ms = parseGoDuration(text);
    if (ms !== undefined && ms >= 0) return ms;
    this.problem(`${name} is ${quoted(text)}: must be a duration such as 30s, 1m30s or 0`);
    return fallbackMs;
  }

  /** `isExact`: "True" is not "true". What is neither true nor false counts as false, as in the program that is replaced, but is said. */
  isTrue(name: string, { isExact = false }: { readonly isExact?: boolean } = {}): boolean {
    const text = this.text(name) ?? "false";
    const lower = text.toLowerCase();
    if (isExact ? text === "true" : lower === "true") return true;
    if (lower !== "false")
      this.note(`${name} is ${quoted(text)}, which counts as false: only "true" is true`);
    return false;
  }

  /** The value of the choice that is named, whatever its case. */
  choice<T>(name: string, choices: Readonly<Record<string, T>>, fallback: T): T {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const lower = text.toLowerCase();
    if (Object.hasOwn(choices, lower)) return choices[lower] as T;
    this.problem(`${name} is ${quoted(text)}: must be one of ${Object.keys(choices).join(", ")}`);
    return fallback;
  }

  address(name: string): Address | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : this.#address(name, text);
  }

  addresses(name: string): readonly Address[] {
    return this.all(name).flatMap((text) => this.#address(name, text) ?? []);
  }

  #address(name: string, text: string): Address | undefined {
    const parsed = URL.parse(text);
    if (parsed !== null && /^https?:$/.test(parsed.protocol)) return addressOf(text, parsed);
    // Not the text: it may hold a password.
    this.problem(`${name} is not an address that begins with http:// or https://`);
    return undefined;
  }
}

export function quoted(text: string): string {
  return JSON.stringify(text);
}

/** The text as it was, without who asks: that becomes a header, which no log shows. */
function addressOf(text: string, { username, password }: URL): Address {
  if (username === "" && password === "") return { url: text, auth: undefined };
  const secret = new Secret(Buffer.from(unescaped(password)));
  return {
    url: text.replace(/^(\s*https?:\/\/)[^/?#]*@/i, "$1"),
    auth: { username: unescaped(username), password: secret },
  };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A "%" that means itself.
  }
}
