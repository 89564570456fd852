// JSON patch in the API's dialect, which is older and laxer than RFC 6902: replacing a missing key adds it, a missing
// key equals null in a test and is copied as null, an absent value is null, a negative index counts from the end,
// and what stands before the first slash of a path is ignored.

import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { maxJsonDepth } from "../json-text-syntax.ts";
import { setOwn } from "../object-form.ts";
import { jsonDepth } from "./json-depth.ts";
import { jsonEqual } from "./json-equal.ts";
import { cloneJson, getOwn } from "./own-property.ts";
import { badPatch, rejectedPatch, tooLargePatch, wrongType } from "./patch-error.ts";

const maxOperations = 10_000;
/** All that copies may add to the object, written as JSON. More would be a cheap way to fill the server's memory. */
const maxCopiedBytes = 3 * 1024 * 1024;

interface Operation {
  readonly op: string;
  readonly path: string | undefined;
  readonly from: string | undefined;
  readonly value: JsonValue;
}

type Container = JsonObject | JsonValue[];

interface Document {
  root: Container;
  copiedBytes: number;
  /** How deep it can be at most. Moves are not measured: each counts as if it moved what is deepest. */
  depth: number;
}

/** The patched value. Neither argument is changed. */
export function applyJsonPatch(target: JsonObject, operations: JsonValue): JsonValue {
  const steps = decodeOperations(operations);
  if (steps.length > maxOperations) {
    throw tooLargePatch(
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${steps.length}`,
    );
  }
  const document: Document = { root: cloneJson(target), copiedBytes: 0, depth: jsonDepth(target) };
  for (const step of steps) {
    applyOperation(document, step);
  }
  return document.root;
}

/** Fields of operations that mean nothing, as warnings and strict decoding name them: `[0].foo`. */
export function unknownOperationFields(operations: JsonValue): string[] {
  const list = Array.isArray(operations) ? operations : [];
  return list.flatMap((operation, i) =>
    isJsonObject(operation)
      ? Object.keys(operation)
          .filter((key) => !["op", "path", "from", "value"].includes(key))
          .map((key) => `[${i}].${key}`)
      : [],
  );
}

function decodeOperations(operations: JsonValue): Operation[] {
  if (operations === null) {
    return [];
  }
  if (!Array.isArray(operations)) {
    throw undecodable(operations, "value of type []handlers.jsonPatchOp");
  }
  return operations.map((operation) => {
    if (operation !== null && !isJsonObject(operation)) {
      throw undecodable(operation, "value of type handlers.jsonPatchOp");
    }
    const fields = operation ?? {};
    return {
      op: textOf(fields, "op") ?? "unknown",
      path: textOf(fields, "path"),
      from: textOf(fields, "from"),
      value: getOwn(fields, "value") ?? null,
    };
  });
}

function textOf(operation: JsonObject, name: string): string | undefined {
  const value = getOwn(operation, name) ?? undefined;
  if (value !== undefined && typeof value !== "string") {
    throw undecodable(value, `struct field jsonPatchOp.${name} of type string`);
  }
  return value;
}

function undecodable(value: JsonValue, wanted: string): Error {
  return badPatch(`error decoding patch: ${wrongType(value, wanted)}`);
}

function applyOperation(document: Document, step: Operation): void {
  switch (step.op) {
    case "add":
      deepen(document, step.path, jsonDepth(step.value));
      add(document, step.path, cloneJson(step.value));
      return;
    case "remove":
      remove(document, step.path);
      return;
    case "replace":
      replace(document, step);
      return;
    case "move":
      move(document, step);
      return;
    case "copy":
      copy(document, step);
      return;
    case "test":
      test(document, step);
      return;
    default:
      throw rejectedPatch(`Unexpected kind: ${step.op}`);
  }
}

/** Things put into each other could nest deeper than a body can, and than functions that recurse can bear. */
function deepen(document: Document, path: string | undefined, valueDepth: number): void {
  document.depth = Math.max(document.depth, stepsOf(path) + valueDepth);
  if (document.depth > maxJsonDepth) throw rejectedPatch("the patch nests values too deeply");
}

function stepsOf(path = ""): number {
  return path.split("/").length - 1;
}

function add(document: Document, path: string | undefined, value: JsonValue): void {
  const { container, key } = locate(document, path);
  if (!Array.isArray(container)) {
    setOwn(container, key, value);
  } else if (key === "-") {
    container.push(value);
  } else {
    // One more place than there are items, so that -1 appends.
    container.splice(indexIn(key, container.length + 1), 0, value);
  }
}

/** What was removed. */
function remove(document: Document, path: string | undefined): JsonValue {
  const { container, key } = locate(document, path);
  if (Array.isArray(container)) {
    return container.splice(indexIn(key, container.length), 1)[0] ?? null;
  }
  const value = getOwn(container, key);
  if (value === undefined) {
    throw rejectedPatch(`Unable to remove nonexistent key: ${key}`);
  }
  delete container[key];
  return value;
}

function move(document: Document, { from, path }: Operation): void {
  deepen(document, path, Math.max(0, document.depth - stepsOf(from)));
  add(document, path, remove(document, from));
}

function replace(document: Document, step: Operation): void {
  deepen(document, step.path, jsonDepth(step.value));
  const value = cloneJson(step.value);
  if (step.path === "") {
    if (!isContainer(value)) {
      throw rejectedPatch("replace operation value must be object or array");
    }
    document.root = value;
    return;
  }
  const { container, key } = locate(document, step.path);
  if (Array.isArray(container)) {
    container[indexIn(key, container.length)] = value;
  } else {
    setOwn(container, key, value);
  }
}

function copy(document: Document, step: Operation): void {
  const source = locate(document, step.from);
  const value = valueAt(source);
  // Missing and null are one here and cost nothing, as in the original.
  if (value !== null) {
    document.copiedBytes += new TextEncoder().encode(JSON.stringify(value)).length;
  }
  if (document.copiedBytes > maxCopiedBytes) {
    throw rejectedPatch(
      `Unable to complete the copy, the accumulated size increase of copy is ${document.copiedBytes}, exceeding the limit ${maxCopiedBytes}`,
    );
  }
  deepen(document, step.path, jsonDepth(value));
  add(document, step.path, cloneJson(value));
}

function test(document: Document, step: Operation): void {
  const value = step.path === "" ? document.root : valueAt(locate(document, step.path));
  if (!jsonEqual(value, step.value)) {
    throw rejectedPatch(`testing value ${step.path} failed: test failed`);
  }
}

function valueAt({ container, key }: Place): JsonValue {
  if (Array.isArray(container)) {
    return container[indexIn(key, container.length)] ?? null;
  }
  return getOwn(container, key) ?? null;
}

interface Place {
  readonly container: Container;
  readonly key: string;
}

function locate(document: Document, path: string | undefined): Place {
  const [, ...keys] = (path ?? "").split("/").map(unescapeKey);
  const key = keys.pop();
  if (key === undefined) {
    throw rejectedPatch(`doc is missing path: ${JSON.stringify(path)}`);
  }
  let container = document.root;
  for (const part of keys) {
    const next = valueAt({ container, key: part });
    if (!isContainer(next)) {
      throw rejectedPatch(`doc is missing path: ${JSON.stringify(path)}`);
    }
    container = next;
  }
  return { container, key };
}

function unescapeKey(part: string): string {
  return part.includes("~") ? part.replaceAll("~1", "/").replaceAll("~0", "~") : part;
}

/** Negative ones count from the end. */
function indexIn(key: string, length: number): number {
  const given = /^[+-]?\d+$/.test(key) ? Number(key) : Number.NaN;
  const index = given < 0 ? given + length : given;
  if (!(index >= 0 && index < length)) {
    throw rejectedPatch(`Unable to access invalid index: ${key}`);
  }
  return index;
}

function isContainer(value: JsonValue): value is Container {
  return typeof value === "object" && value !== null;
}
