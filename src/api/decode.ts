// From the JSON that a client sent to the object that is stored, by the table of its kind. An object has one form:
// fields in table order, zero values absent unless the table says otherwise, map keys sorted, times and quantities
// canonical. Values of the wrong type are refused in the words of Go's JSON decoder, the first of the document first.

import { canonicalBase64 } from "./decode-base64.ts";
import { DecodeError } from "./decode-error.ts";
import { embeddedStruct, goStructName, goTypeName } from "./decode-go-type.ts";
import { canonicalTime, type TimePrecision } from "./decode-time.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { assemble, kept, layoutOf, setOwn, sortedKeys, zeroOf } from "./object-form.ts";
import { canonicalQuantity, QuantityError } from "./quantity.ts";
import type {
  FieldSchema,
  ListSchema,
  MapSchema,
  ScalarSchema,
  TypeSchema,
  ValueSchema,
} from "./schema/schema.ts";
import { string } from "./schema/schema.ts";

export interface DecodedObject {
  /** Shares nothing with the input but values of type `json`. */
  readonly object: JsonObject;
  /** Paths of what the table does not know, in the order of the document: `spec.containers[0].imag`. */
  readonly unknownFields: readonly string[];
}

/** Throws a DecodeError for a value of the wrong type. Does not judge values, and fills in no defaults. */
export function decodeObject(type: TypeSchema, value: JsonValue): DecodedObject {
  const decoder = new Decoder();
  const object = decoder.root(type, value);
  return { object, unknownFields: decoder.unknownFields };
}

/** As many as the API reports at most. */
const maxUnknownFields = 100;
/** Of all paths together: below a key of a megabyte every unknown field has a path of a megabyte. */
const maxToldLength = 64 * 1024;

const plainTypes = { string: "string", bool: "boolean", double: "number" } as const;

/** One step on the way to a value: a field of a struct, a key of a map, an index of a list. */
type Step = { readonly type: TypeSchema; readonly field: FieldSchema } | string | number;

class Decoder {
  readonly unknownFields: string[] = [];
  #toldLength = 0;
  readonly #path: Step[] = [];
  /** The first wrong type. The rest is still read: an unreadable time or quantity further on has precedence. */
  #mismatch: string | undefined;

  root(type: TypeSchema, value: JsonValue): JsonObject {
    const object = this.#object({ is: "object", type: () => type }, value ?? {}) ?? {};
    if (this.#mismatch !== undefined) throw new DecodeError(this.#mismatch);
    return object;
  }

  /** Undefined if the value has the wrong type. */
  #value(schema: ValueSchema, value: JsonValue): JsonValue | undefined {
    switch (schema.is) {
      case "scalar":
        return this.#scalar(schema, value);
      case "object":
        return this.#object(schema, value);
      case "list":
        return this.#list(schema, value);
      case "map":
        return this.#map(schema, value);
    }
  }

  #object(
    schema: { readonly is: "object"; readonly type: () => TypeSchema },
    value: JsonValue,
  ): JsonObject | undefined {
    if (!isJsonObject(value)) return this.#refuse(schema, value);
    const type = schema.type();
    const { fields, positions } = layoutOf(type);
    const found = new Array<JsonValue | undefined>(fields.length);
    for (const key in value) {
      const position = positions.get(key);
      if (position === undefined) {
        this.#unknown(key);
        continue;
      }
      const field = fields[position];
      const given = value[key];
      if (field !== undefined && given != null) found[position] = this.#field(type, field, given);
    }
    return assemble(fields, found);
  }

  #field(type: TypeSchema, field: FieldSchema, value: JsonValue): JsonValue | undefined {
    this.#path.push({ type, field });
    const decoded = this.#value(field.value, value);
    this.#path.pop();
    return decoded === undefined ? undefined : kept(field, decoded);
  }

  #list(schema: ListSchema, value: JsonValue): JsonValue[] | undefined {
    if (!Array.isArray(value)) return this.#refuse(schema, value);
    const { items } = schema;
    const list = new Array<JsonValue>(value.length);
    for (let i = 0; i < value.length; i++) {
      this.#path.push(i);
      list[i] = this.#member(items, value[i]);
      this.#path.pop();
    }
    return list;
  }

  #map(schema: MapSchema, value: JsonValue): JsonObject | undefined {
    if (!isJsonObject(value)) return this.#refuse(schema, value);
    const { values } = schema;
    const plain = values === string;
    const map: JsonObject = {};
    for (const key of sortedKeys(value)) {
      const given = value[key];
      if (plain && typeof given === "string") {
        setOwn(map, key, given);
        continue;
      }
      this.#path.push(key);
      setOwn(map, key, this.#member(values, given));
      this.#path.pop();
    }
    return map;
  }

  /** Items and values cannot be absent: null is the zero value. */
  #member(schema: ValueSchema, value: JsonValue | undefined): JsonValue {
    const decoded = value == null ? undefined : this.#value(schema, value);
    return decoded ?? zeroOf({ value: schema });
  }

  #scalar(schema: ScalarSchema, value: JsonValue): JsonValue | undefined {
    switch (schema.scalar) {
      case "string":
      case "bool":
      case "double":
        return this.#plain(schema, value, plainTypes[schema.scalar]);
      case "int32":
      case "int64":
        return this.#integer(schema, value);
      case "bytes":
        return this.#bytes(schema, value);
      case "time":
      case "microTime":
        return this.#time(schema.scalar, value);
      case "quantity":
        return quantityOf(value);
      case "intOrString":
        return this.#intOrString(value);
      case "json":
        return value;
    }
  }

  #plain(schema: ScalarSchema, value: JsonValue, wanted: string): JsonValue | undefined {
    const given: string = typeof value;
    return given === wanted ? value : this.#refuse(schema, value);
  }

  #time(precision: TimePrecision, value: JsonValue): string | undefined {
    if (typeof value !== "string") throw new DecodeError(this.#mismatchText(value, "string"));
    return canonicalTime(value, precision) ?? undefined;
  }

  #integer(schema: ScalarSchema, value: JsonValue): JsonValue | undefined {
    if (typeof value !== "number") return this.#refuse(schema, value);
    // JSON numbers are doubles here: what a double cannot hold exactly is refused rather than changed.
    const fits = schema.scalar === "int32" ? value === (value | 0) : Number.isSafeInteger(value);
    // Adding zero makes a zero of minus zero.
    return fits ? value + 0 : this.#refuse(schema, value, `number ${value}`);
  }

  #bytes(schema: ScalarSchema, value: JsonValue): JsonValue | undefined {
    if (typeof value !== "string") return this.#refuse(schema, value);
    try {
      return canonicalBase64(value);
    } catch (err) {
      if (!(err instanceof DecodeError)) throw err;
      this.#mismatch ??= err.message;
      return undefined;
    }
  }

  #intOrString(value: JsonValue): JsonValue {
    if (typeof value === "string") return value;
    if (typeof value !== "number") throw new DecodeError(this.#mismatchText(value, "int32"));
    if (value === (value | 0)) return value + 0;
    throw new DecodeError(this.#mismatchText(value, "int32", `number ${value}`));
  }

  #refuse(schema: ValueSchema, value: JsonValue, given = kindOfValue(value)): undefined {
    this.#mismatch ??= this.#mismatchText(value, goTypeName(schema), given);
    return undefined;
  }

  #mismatchText(value: JsonValue, goType: string, given = kindOfValue(value)): string {
    return `json: cannot unmarshal ${given} into Go ${this.#place()} of type ${goType}`;
  }

  /** The innermost struct, then the names of all fields on the way; indexes and keys of maps are not told. */
  #place(): string {
    let struct = "";
    const names: string[] = [];
    for (const step of this.#path) {
      if (typeof step !== "object") continue;
      struct = goStructName(step.type);
      const around = step.field.within.length > 0 ? embeddedStruct(step.type) : undefined;
      if (around !== undefined) names.push(around);
      names.push(step.field.name);
    }
    return struct === "" ? "value" : `struct field ${struct}.${names.join(".")}`;
  }

  #unknown(key: string): void {
    if (this.unknownFields.length >= maxUnknownFields || this.#toldLength > maxToldLength) return;
    let path = "";
    for (const step of [...this.#path, key]) {
      if (typeof step === "number") path += `[${step}]`;
      else path += `${path === "" ? "" : "."}${typeof step === "string" ? step : step.field.name}`;
    }
    this.#toldLength += path.length;
    this.unknownFields.push(path);
  }
}

function quantityOf(value: JsonValue): string {
  try {
    if (typeof value === "object" || typeof value === "boolean") return canonicalQuantity("");
    return canonicalQuantity(String(value).trim());
  } catch (err) {
    if (err instanceof QuantityError) throw new DecodeError(err.message, { cause: err });
    throw err;
  }
}

function kindOfValue(value: JsonValue): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}
