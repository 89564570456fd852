// What every parser promises, tried with inputs that nobody would send: it returns or throws what it says, in time, and
// leaves the prototypes of the language alone. Inputs are valid ones that were damaged, or values made to annoy.

import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonValue } from "../json.ts";

/** Thirty times as much with `npm run test:long`. */
const runs = process.env["DRIFTLESS_TEST_LONG"] === "1" ? 30_000 : 1000;
/** Of one input. Generous: it is about what takes minutes. */
const maxMs = 5000;

export interface FuzzOptions<T> {
  readonly input: fc.Arbitrary<T>;
  readonly run: (input: T) => unknown;
  /** What it may throw. */
  readonly throws: readonly (new (
    ...args: never[]
  ) => Error)[];
}

/** The seed of a failure is printed with it; `npm test -- fuzz --seed N` repeats it. */
export function fuzz<T>({ input, run, throws }: FuzzOptions<T>): void {
  const given = Number(process.env["DRIFTLESS_TEST_SEED"] ?? "");
  const before = prototypes();
  const property = fc.property(input, (value) => {
    const began = performance.now();
    try {
      run(value);
    } catch (err) {
      const isPromised = throws.some((type) => err instanceof type);
      if (!isPromised) throw err;
    }
    const ms = performance.now() - began;
    assert.ok(ms < maxMs, `took ${ms.toFixed(0)} ms`);
    assert.deepEqual(prototypes(), before);
  });
  fc.assert(property, { numRuns: runs, ...(given > 0 && { seed: given }) });
}

function prototypes(): readonly PropertyKey[] {
  return [Object, Array, Function, String, Map].flatMap(({ prototype }) =>
    Reflect.ownKeys(prototype as object),
  );
}

const annoyingTexts = [
  "",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "$patch",
  "$setElementOrder/containers",
  "$retainKeys",
  "name",
  "replace",
  "delete",
  "~0",
  "~1",
  "-",
  "-1",
  "0",
  "f:a",
  'k:{"name":"a"}',
  "v:1",
  "i:0",
  ".",
  "\0",
  "\ud800",
  "1e400",
  "2024-01-01T00:00:00Z",
];

export const annoyingText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...annoyingTexts),
  fc.string({ unit: "binary", maxLength: 12 }),
);

/** JSON of any shape, with keys that mean something to somebody. */
export const annoyingJson: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthIdentifier: "annoying" },
    annoyingText,
    fc.constantFrom<JsonValue>(null, true, 0, -1, 1.5, 2 ** 53, -(2 ** 31) - 1),
    fc.array(tie("value"), { maxLength: 4, depthIdentifier: "annoying" }),
    fc
      .array(fc.tuple(annoyingText, tie("value")), { maxLength: 5, depthIdentifier: "annoying" })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value;

/** Some of the JSON replaced by other JSON. */
export function damagedJson(whole: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> {
  const choices = fc.array(fc.nat(40), { minLength: 1, maxLength: 30 });
  return fc.tuple(whole, choices, annoyingJson).map(([value, numbers, other]) => {
    let at = 0;
    const next = (): number => numbers[at++ % numbers.length] ?? 0;
    return replaced(value, () => (next() + at < 30 ? undefined : other));
  });
}

function replaced(value: JsonValue, other: () => JsonValue | undefined): JsonValue {
  const instead = other();
  if (instead !== undefined) return instead;
  if (Array.isArray(value)) return value.map((item) => replaced(item, other));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, child]) => [
    key,
    replaced(child ?? null, other),
  ]);
  return Object.fromEntries(entries) as JsonValue;
}

/** A valid text with pieces cut, doubled, swapped or put in. */
export function damagedText(...valid: readonly string[]): fc.Arbitrary<string> {
  const damage = fc.tuple(
    fc.constantFrom("cut", "end", "double", "put"),
    fc.nat(),
    fc.nat(20),
    annoyingText,
  );
  return fc
    .tuple(fc.constantFrom(...valid), fc.constantFrom(...valid), fc.array(damage, { maxLength: 4 }))
    .map(([text, other, damages]) =>
      damages.reduce((given, [how, place, length, put]) => {
        const at = place % (given.length + 1);
        const piece =
          how === "double" ? given.slice(at, at + length) : put || other.slice(0, length);
        if (how === "end") return given.slice(0, at);
        const rest = given.slice(how === "cut" ? at + length : at);
        return given.slice(0, at) + (how === "cut" ? "" : piece) + rest;
      }, text),
    );
}

/** Valid bytes with some changed, cut or doubled. */
export function damagedBytes(valid: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> {
  const damage = fc.tuple(
    fc.nat(),
    fc.nat(255),
    fc.constantFrom("set", "flip", "end", "double", "ones"),
  );
  return fc.tuple(valid, fc.array(damage, { maxLength: 5 })).map(([bytes, damages]) =>
    damages.reduce((given, [place, byte, how]) => {
      const at = place % (given.length + 1);
      if (how === "end") return given.slice(0, at);
      if (how === "double")
        return Uint8Array.from([...given.slice(0, at + (byte % 16)), ...given.slice(at)]);
      const changed = given.slice();
      // A number that does not end.
      if (how === "ones") return changed.fill(0xff, at, at + 12);
      changed[at] = how === "set" ? byte : (changed[at] ?? 0) ^ (1 << (byte % 8));
      return changed;
    }, bytes),
  );
}
