// Holds what somebody wrote against the table of its kind, and makes it fit: what has the wrong type is told with its path, and left out or
// turned into text, so that the rest can still be judged. An API server would stop at the first such value.

import { canonicalBase64 } from "../api/decode-base64.ts";
import { canonicalTime, type TimePrecision } from "../api/decode-time.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../api/json.ts";
import { canonicalQuantity } from "../api/quantity.ts";
import type { ScalarName, ScalarSchema, TypeSchema, ValueSchema } from "../api/schema/schema.ts";
import type { FieldPath } from "./finding.ts";

export interface Misfit {
  readonly path: FieldPath;
  readonly problem: "unreadable" | "not-a-string" | "bad-base64";
  /** "text is expected, and this is a number". Never the value. */
  readonly message: string;
}

export interface Fitted {
  readonly value: JsonObject;
  readonly misfits: readonly Misfit[];
}

/** Fields that the table does not know are left alone. */
export function fitToSchema(type: TypeSchema, value: JsonObject): Fitted {
  const misfits: Misfit[] = [];
  const fitted = new Fitting(misfits).object(type, value);
  return { value: fitted, misfits };
}

interface ScalarRule {
  readonly expected: string;
  readonly fits: (value: JsonValue) => boolean;
}

const SCALARS: Readonly<Record<Exclude<ScalarName, "string" | "bytes">, ScalarRule>> = {
  bool: { expected: "true or false", fits: (value) => typeof value === "boolean" },
  int32: {
    expected: "a whole number",
    fits: (value) => typeof value === "number" && value === (value | 0),
  },
  int64: { expected: "a whole number", fits: (value) => Number.isSafeInteger(value) },
  double: { expected: "a number", fits: (value) => typeof value === "number" },
  intOrString: {
    expected: "a whole number or text",
    fits: (value) =>
      typeof value === "string" || (typeof value === "number" && value === (value | 0)),
  },
  time: timeRule("time"),
  microTime: timeRule("microTime"),
  quantity: {
    expected: "a quantity such as 100m or 1Gi",
    fits: (value) =>
      (typeof value === "string" || typeof value === "number") &&
      isFine(() => canonicalQuantity(String(value))),
  },
  json: { expected: "anything", fits: () => true },
};

function timeRule(precision: TimePrecision): ScalarRule {
  return {
    expected: "a time",
    fits: (value) => typeof value === "string" && isFine(() => canonicalTime(value, precision)),
  };
}

class Fitting {
  readonly #misfits: Misfit[];
  readonly #path: (string | number)[] = [];

  constructor(misfits: Misfit[]) {
    this.#misfits = misfits;
  }

  object(type: TypeSchema, value: JsonObject): JsonObject {
    return fromEntries(
      Object.entries(value).map(([key, given]) => {
        const field = type.fields.get(key);
        return [key, field === undefined ? given : this.#inside(key, field.value, given)];
      }),
    );
  }

  #inside(
    step: string | number,
    schema: ValueSchema,
    value: JsonValue | undefined,
  ): JsonValue | undefined {
    if (value === null || value === undefined) return value;
    this.#path.push(step);
    const fitted = this.#value(schema, value);
    this.#path.pop();
    return fitted;
  }

  #value(schema: ValueSchema, value: JsonValue): JsonValue | undefined {
    switch (schema.is) {
      case "scalar":
        return this.#scalar(schema, value);
      case "object":
        return isJsonObject(value)
          ? this.object(schema.type(), value)
          : this.#refused("an object", value);
      case "list":
        if (!Array.isArray(value)) return this.#refused("a list", value);
        return value.map((item, i) => this.#inside(i, schema.items, item) ?? null);
      case "map":
        if (!isJsonObject(value)) return this.#refused("a map", value);
        return fromEntries(
          Object.entries(value).map(([key, item]) => [
            key,
            this.#inside(key, schema.values, item) ?? null,
          ]),
        );
    }
  }

  #scalar({ scalar }: ScalarSchema, value: JsonValue): JsonValue | undefined {
    if (scalar === "string") return typeof value === "string" ? value : this.#asText(value);
    if (scalar === "bytes") return this.#bytes(value);
    const { fits, expected } = SCALARS[scalar];
    return fits(value) ? value : this.#refused(expected, value);
  }

  #bytes(value: JsonValue): JsonValue {
    if (typeof value !== "string") {
      this.#asText(value);
      return "";
    }
    if (isFine(() => canonicalBase64(value))) return value;
    this.#tell("bad-base64", "this is not base64");
    return "";
  }

  /** What is no text but can be written as one counts as what was meant. */
  #asText(value: JsonValue): JsonValue | undefined {
    if (typeof value === "object") return this.#refused("text", value);
    this.#tell("not-a-string", `text is expected, and this is ${nameOfType(value)}`);
    return String(value);
  }

  #refused(expected: string, value: JsonValue): undefined {
    this.#tell("unreadable", `${expected} is expected, and this is ${nameOfType(value)}`);
    return undefined;
  }

  #tell(problem: Misfit["problem"], message: string): void {
    this.#misfits.push({ path: [...this.#path], problem, message });
  }
}

function nameOfType(value: JsonValue): string {
  if (Array.isArray(value)) return "a list";
  if (isJsonObject(value)) return "a map";
  const names = { string: "text", number: "a number", boolean: "true or false" };
  return names[typeof value as keyof typeof names] ?? "nothing";
}

function isFine(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false; // Whatever it says: it is none.
  }
}

/** Defines properties, so that `__proto__` is a key like any other. */
function fromEntries(entries: readonly (readonly [string, JsonValue | undefined])[]): JsonObject {
  return Object.fromEntries(entries);
}
