// Whether an applied configuration has the shape that the table asks for. It is checked before it is decoded, because
// decoding would lose what decides about ownership: nulls, zero values, which fields were sent at all.

import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { goSyntax, goType, goValue } from "../patch/go-format.ts";
import { getOwn } from "../patch/own-property.ts";
import type {
  ListSchema,
  MapSchema,
  ObjectSchema,
  ScalarName,
  TypeSchema,
  ValueSchema,
} from "../schema/schema.ts";
import { placeOfRoot } from "./field-walk.ts";
import { elementText, fieldElement, itemElement, ListItemError } from "./path-element.ts";

/** What is wrong, in the API's words; undefined if nothing is. */
export function faultOf(type: TypeSchema, object: JsonObject): string | undefined {
  const faults: string[] = [];
  checkEntries({ faults, path: "" }, placeOfRoot(type), object);
  return faults.length > 1 ? ["errors:", ...faults].join("\n  ") : faults[0];
}

interface Check {
  readonly faults: string[];
  /** As messages write it. */
  readonly path: string;
}

function checkValue(check: Check, schema: ValueSchema, value: JsonValue): void {
  if (value === null) {
    return;
  }
  switch (schema.is) {
    case "scalar":
      report(check, scalarFault(schema.scalar, value));
      return;
    case "list":
      if (Array.isArray(value)) {
        checkItems(check, schema, value);
      } else {
        report(check, `expected list, got &{${goValue(value)}}`);
      }
      return;
    case "object":
    case "map":
      if (isJsonObject(value)) {
        checkEntries(check, schema, value);
      } else {
        report(check, `expected map, got &{${goValue(value)}}`);
      }
  }
}

function checkEntries(check: Check, schema: ObjectSchema | MapSchema, object: JsonObject): void {
  const fields = schema.is === "object" ? schema.type().fields : undefined;
  const keys = Object.keys(object);
  const unknown = fields === undefined ? undefined : keys.find((key) => !fields.has(key));
  if (unknown !== undefined) {
    report(inside(check, fieldElement(unknown)), "field not declared in schema");
    return;
  }
  for (const key of keys) {
    const value = schema.is === "map" ? schema.values : fields?.get(key)?.value;
    const child = getOwn(object, key);
    if (value !== undefined && child !== undefined) {
      checkValue(inside(check, fieldElement(key)), value, child);
    }
  }
}

function checkItems(check: Check, list: ListSchema, items: readonly JsonValue[]): void {
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    const element = elementOf(list, item, i);
    if (element instanceof ListItemError) {
      report(check, `element ${i}: ${element.message}`);
      return;
    }
    if (seen.has(element)) {
      report(check, `duplicate entries for key ${elementText(element)}`);
    }
    seen.add(element);
    checkValue(inside(check, element), list.items, item);
  }
}

function elementOf(list: ListSchema, item: JsonValue, index: number): string | ListItemError {
  try {
    return list.listType === "atomic" ? `i:${index}` : itemElement(list, item);
  } catch (err) {
    if (err instanceof ListItemError) {
      return err;
    }
    throw err;
  }
}

const scalarShapes: Readonly<
  Record<ScalarName, "anything" | "boolean" | "numeric" | "string" | "untyped">
> = {
  string: "string",
  bool: "boolean",
  int32: "numeric",
  int64: "numeric",
  double: "numeric",
  bytes: "string",
  time: "string",
  microTime: "string",
  quantity: "untyped",
  intOrString: "untyped",
  json: "anything",
};

function scalarFault(scalar: ScalarName, value: JsonValue): string | undefined {
  switch (scalarShapes[scalar]) {
    case "anything":
      return undefined;
    case "numeric":
      return unless(
        typeof value === "number",
        `expected numeric (int or float), got ${goType(value)}`,
      );
    case "boolean":
      return unless(typeof value === "boolean", `expected boolean, got &{${goValue(value)}}`);
    case "untyped":
      return unless(typeof value !== "object", `expected any scalar, got &{${goValue(value)}}`);
    case "string":
      return unless(
        typeof value === "string",
        `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`,
      );
  }
}

function unless(right: boolean, fault: string): string | undefined {
  return right ? undefined : fault;
}

function report(check: Check, fault: string | undefined): void {
  if (fault !== undefined) {
    check.faults.push(check.path === "" ? fault : `${check.path}: ${fault}`);
  }
}

function inside({ faults, path }: Check, element: string): Check {
  return { faults, path: path + elementText(element) };
}
