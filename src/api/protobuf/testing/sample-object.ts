// Objects of any type, made up from a list of numbers: the same numbers give the same object. Good enough to try every
// field of every table; what validation would say of them is another matter.

import type { JsonObject, JsonValue } from "../../json.ts";
import type { FieldSchema, ScalarName, TypeSchema, ValueSchema } from "../../schema/schema.ts";

/** `numbers` are read over and over again; there must be one at least. */
export function sampleObject(
  type: TypeSchema,
  numbers: readonly number[],
  typeMeta: { readonly apiVersion: string; readonly kind: string },
): JsonObject {
  const object = new Sampler(numbers).object(type, 0);
  return { ...object, ...typeMeta };
}

/** Deeper, only what has to be there is there. */
const maxDepth = 6;

class Sampler {
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  object(type: TypeSchema, depth: number): JsonObject {
    const entries = [...type.fields.values()]
      // Fields outside the message would be lost on the way.
      .filter((field) => field.number !== 0 && this.#isGiven(field, depth))
      .map((field) => [field.name, this.#value(field.value, depth)]);
    return Object.fromEntries(entries) as JsonObject;
  }

  #isGiven(field: FieldSchema, depth: number): boolean {
    return depth < maxDepth && (this.#next(3) === 0 || field.required === true);
  }

  #value(schema: ValueSchema, depth: number): JsonValue {
    switch (schema.is) {
      case "scalar":
        return this.#scalar(schema.scalar);
      case "object":
        return this.object(schema.type(), depth + 1);
      case "list":
        return Array.from({ length: 1 + this.#next(2) }, () =>
          this.#value(schema.items, depth + 1),
        );
      case "map":
        return Object.fromEntries(
          Array.from({ length: 1 + this.#next(3) }, () => [
            this.#text(),
            this.#value(schema.values, depth + 1),
          ]),
        );
    }
  }

  #scalar(scalar: ScalarName): JsonValue {
    switch (scalar) {
      case "string":
        return this.#text();
      case "bool":
        return this.#next(2) === 0;
      case "int32":
        return this.#next(2 ** 20) - 2 ** 19;
      case "int64":
        return (this.#next(2 ** 20) - 2 ** 19) * 2 ** this.#next(33);
      case "double":
        return this.#next(1000) / 8;
      case "bytes":
        return btoa(
          String.fromCharCode(...Array.from({ length: this.#next(5) }, () => this.#next(256))),
        );
      default:
        return this.#special(scalar);
    }
  }

  #special(scalar: ScalarName): JsonValue {
    const digits = (n: number, size: number): string => String(n).padStart(size, "0");
    const seconds = `20${digits(this.#next(100), 2)}-02-${digits(1 + this.#next(28), 2)}T00:00:${digits(this.#next(60), 2)}`;
    if (scalar === "time") return `${seconds}Z`;
    if (scalar === "microTime") return `${seconds}.${digits(this.#next(1_000_000), 6)}Z`;
    if (scalar === "quantity")
      return `${this.#next(5000)}${["", "m", "Ki", "M", "e3"][this.#next(5)] ?? ""}`;
    if (scalar === "intOrString") return this.#next(2) === 0 ? this.#next(70_000) : this.#text();
    return { "f:x": { ".": {} }, n: this.#next(9) };
  }

  #text(): string {
    return ["", "a", "Ünï", "__proto__", "\u{1f600}", "0", "word ".repeat(20)][this.#next(7)] ?? "";
  }

  #next(limit: number): number {
    const number = this.#numbers[this.#at % this.#numbers.length] ?? 0;
    // Going round the list again should not repeat the choices.
    this.#at++;
    return (number + Math.floor(this.#at / this.#numbers.length) * 7 + this.#at) % limit;
  }
}
