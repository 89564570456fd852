// Strategic merge patch: a merge patch that knows from the tables which lists are merged by key, with directives:
// `$patch` (replace or delete), `$retainKeys`, `$setElementOrder/x` and `$deleteFromPrimitiveList/x`.

import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { setOwn } from "../object-form.ts";
import type { ListSchema, TypeSchema, ValueSchema } from "../schema/schema.ts";
import { goValue } from "./go-format.ts";
import { withoutNulls } from "./merge-patch.ts";
import { getOwn, omit } from "./own-property.ts";
import { badPatch, failedPatch, wrongType } from "./patch-error.ts";
import { checkPatchedShape } from "./patched-shape.ts";
import {
  checkElementOrder,
  deleteFromList,
  inElementOrder,
  type ListRules,
  mergeLists,
  unknownDirective,
  wrongArgument,
} from "./strategic-list.ts";

const deletionPrefix = "$deleteFromPrimitiveList";
const orderPrefix = "$setElementOrder";

/** The patched object. Neither argument is changed; unchanged parts are shared with the target. */
export function applyStrategicMerge(
  type: TypeSchema,
  target: JsonObject,
  patch: JsonValue,
): JsonObject {
  if (patch === null) {
    return target;
  }
  if (!isJsonObject(patch)) {
    throw badPatch(wrongType(patch, "value of type map[string]interface {}"));
  }
  const patched = mergeMaps({ is: "object", type: () => type }, target, patch);
  checkPatchedShape(type, patched, goValue(patch));
  return patched;
}

function mergeMaps(schema: ValueSchema, original: JsonObject, patch: JsonObject): JsonObject {
  const directive = getOwn(patch, "$patch");
  if (directive !== undefined) {
    return replaceMap(directive, patch);
  }
  const rest = omit(patch, "$retainKeys");
  const merged = retainKeys(original, rest, getOwn(patch, "$retainKeys"));
  // Lists with an order first: what is done with them is taken out of `rest`.
  for (const key of Object.keys(rest)) {
    if (key.startsWith(orderPrefix)) {
      mergeOrderedList({ schema, merged, rest }, key);
    }
  }
  for (const key of Object.keys(rest)) {
    mergeField(schema, merged, { key, value: rest[key] ?? null });
  }
  return merged;
}

function replaceMap(directive: JsonValue, patch: JsonObject): JsonObject {
  switch (directive) {
    case "replace":
      return omit(patch, "$patch");
    case "delete":
      return {};
    default:
      throw unknownDirective(directive, patch);
  }
}

/** A copy of the original; with `$retainKeys`, of the keys that it names, which must include the patch's. */
function retainKeys(
  original: JsonObject,
  patch: JsonObject,
  retained: JsonValue | undefined,
): JsonObject {
  if (retained === undefined) {
    return omit(original);
  }
  if (!Array.isArray(retained)) {
    throw badPatch("invalid patch format of retainKeys");
  }
  const named = new Set(retained);
  const isExempt = (key: string): boolean =>
    getOwn(patch, key) === null || key.startsWith(deletionPrefix) || key.startsWith(orderPrefix);
  if (!Object.keys(patch).every((key) => isExempt(key) || named.has(key))) {
    throw badPatch("invalid patch format of retainKeys");
  }
  const kept: JsonObject = {};
  for (const key of Object.keys(original).filter((name) => named.has(name))) {
    setOwn(kept, key, original[key] ?? null);
  }
  return kept;
}

/** Changes `merged`, and takes the order and the list out of `rest`. */
function mergeOrderedList(
  into: { readonly schema: ValueSchema; readonly merged: JsonObject; readonly rest: JsonObject },
  orderKey: string,
): void {
  const { schema, merged, rest } = into;
  const order = asList(rest[orderKey] ?? null);
  delete rest[orderKey];
  const key = afterPrefix(orderKey, orderPrefix);
  const own = getOwn(merged, key);
  const sent = getOwn(rest, key);
  const original = own === undefined ? undefined : asList(own);
  const patch = sent === undefined ? undefined : asList(sent);
  const list = listOf(schema, key);
  const mergeKey = keyFor(list);
  checkElementOrder(patch ?? [], order, mergeKey);
  if (original === undefined && patch === undefined) {
    return;
  }
  const items = orderedItems(list, original, patch);
  const lists = { merged: items, order, original: original ?? [], patch: patch ?? [] };
  setOwn(merged, key, inElementOrder({ ...lists, mergeKey }));
  delete rest[key];
}

function orderedItems(
  list: ListSchema,
  original: readonly JsonValue[] | undefined,
  patch: readonly JsonValue[] | undefined,
): JsonValue[] {
  if (patch === undefined) {
    return [...(original ?? [])];
  }
  if (original === undefined) {
    return asList(withoutDirectives([...patch]) ?? []);
  }
  return list.mergeKey === "" ? [...patch] : mergeLists(original, patch, rulesOf(list));
}

/** Changes `merged`. */
function mergeField(
  schema: ValueSchema,
  merged: JsonObject,
  patch: { readonly key: string; readonly value: JsonValue },
): void {
  const deletes = patch.key.startsWith(deletionPrefix);
  const key = deletes ? afterPrefix(patch.key, deletionPrefix) : patch.key;
  const { value } = patch;
  if (value === null) {
    delete merged[key];
    return;
  }
  const current = getOwn(merged, key);
  if (isJsonObject(current) && isJsonObject(value)) {
    setOwn(merged, key, mergeMaps(fieldOf(schema, key), current, value));
  } else if (Array.isArray(current) && Array.isArray(value)) {
    setOwn(merged, key, mergeListField(listOf(schema, key), { current, value, deletes }));
  } else if (!deletes) {
    takeOver(merged, key, value);
  }
}

function mergeListField(
  list: ListSchema,
  lists: {
    readonly current: readonly JsonValue[];
    readonly value: readonly JsonValue[];
    readonly deletes: boolean;
  },
): JsonValue[] {
  const { current, value, deletes } = lists;
  if (deletes) {
    return deleteFromList(current, value, rulesOf(list));
  }
  return list.mergeKey === "" ? [...value] : mergeLists(current, value, rulesOf(list));
}

/** Nothing to merge with: the patch's value, less nulls and directives. */
function takeOver(merged: JsonObject, key: string, value: JsonValue): void {
  const taken = withoutDirectives(withoutNulls(value));
  if (taken === undefined) {
    delete merged[key];
  } else {
    setOwn(merged, key, taken);
  }
}

/** Drops objects that have `$patch`. */
function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) {
    return value.map(withoutDirectives).filter((item) => item !== undefined);
  }
  if (!isJsonObject(value)) {
    return value;
  }
  if (Object.hasOwn(value, "$patch")) {
    return undefined;
  }
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) {
    const child = withoutDirectives(value[key] ?? null);
    if (child !== undefined) {
      setOwn(kept, key, child);
    }
  }
  return kept;
}

function rulesOf(list: ListSchema): ListRules {
  return {
    mergeKey: keyFor(list),
    itemKind: kindOf(list.items),
    mergeItems: (original, patch) => mergeMaps(list.items, original, patch),
  };
}

function keyFor(list: ListSchema): string {
  return list.mergeKey === "*" ? "" : list.mergeKey;
}

function fieldOf(schema: ValueSchema, key: string): ValueSchema {
  if (schema.is !== "object") {
    throw failedPatch(
      `merging an object in json but data type is not struct, instead is: ${kindOf(schema)}`,
    );
  }
  const type = schema.type();
  const field = type.fields.get(key);
  if (field === undefined) {
    const struct = type.name.slice(type.name.lastIndexOf(".") + 1);
    throw failedPatch(
      `unable to find api field in struct ${struct} for the json field ${JSON.stringify(key)}`,
    );
  }
  return field.value;
}

function listOf(schema: ValueSchema, key: string): ListSchema {
  const field = fieldOf(schema, key);
  if (field.is !== "list") {
    throw failedPatch(`expected slice or array type, but got: ${kindOf(schema)}`);
  }
  return field;
}

function kindOf(schema: ValueSchema): string {
  switch (schema.is) {
    case "object":
      return "struct";
    case "list":
      return "slice";
    case "map":
      return "map";
    case "scalar":
      return schema.scalar;
  }
}

function afterPrefix(key: string, prefix: string): string {
  if (!key.startsWith(`${prefix}/`)) {
    throw badPatch(
      prefix === orderPrefix
        ? "invalid patch format of setElementOrder list"
        : "invalid patch format of primitive list",
    );
  }
  return key.slice(prefix.length + 1);
}

function asList(value: JsonValue): JsonValue[] {
  if (!Array.isArray(value)) {
    throw wrongArgument("list", value);
  }
  return value;
}
