// kubectl's annotation with the configuration that it applied last. Server-side apply by the manager "kubectl" takes
// over from client-side apply by it: fields that still are as the annotation says count as kubectl's own, and the
// annotation is kept up to date for older kubectls.

import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { ApiObject } from "../object.ts";
import { goJson } from "../patch/go-format.ts";
import { getOwn, omit } from "../patch/own-property.ts";
import type { TypeSchema } from "../schema/schema.ts";
import { faultOf } from "./check-applied.ts";
import { compareObjects } from "./compare-objects.ts";
import { difference, type FieldSet } from "./field-set.ts";
import { fieldsOf } from "./object-fields.ts";

/** The manager for which all this is done. */
export const kubectl = "kubectl";
const annotation = "kubectl.kubernetes.io/last-applied-configuration";
/** As much as all annotations of an object may take. */
const maxAnnotationBytes = 256 * 1024;

/** Fields that kubectl applied and nobody changed since. Undefined if the annotation does not say. */
export function lastAppliedFields(
  type: TypeSchema,
  live: JsonObject,
  apiVersion: string,
): FieldSet | undefined {
  const last = parse(annotationOf(live));
  if (!isJsonObject(last) || last["apiVersion"] !== apiVersion) {
    return undefined;
  }
  if (faultOf(type, last) !== undefined || faultOf(type, live) !== undefined) {
    return undefined;
  }
  const { written, removed } = compareObjects(type, last, live, new Map());
  return difference(difference(fieldsOf(type, last), written), removed);
}

/** The object with the annotation brought up to date, if it has it; the very object if nothing changes. */
export function withLastApplied(object: ApiObject, applied: JsonObject): ApiObject {
  const { metadata } = object;
  const { annotations } = metadata;
  const text = `${goJson(withoutAnnotation(applied))}\n`;
  const current = annotationOf(object);
  if (current === "" || current === text || annotations === undefined) {
    return object;
  }
  const updated = { ...annotations, [annotation]: text };
  if (sizeOf(updated) <= maxAnnotationBytes) {
    return { ...object, metadata: { ...metadata, annotations: updated } };
  }
  const { [annotation]: _tooLarge, ...others } = annotations;
  const { annotations: _replaced, ...rest } = metadata;
  const kept = Object.keys(others).length > 0 ? { annotations: others } : {};
  return { ...object, metadata: { ...rest, ...kept } };
}

function annotationOf(object: JsonObject): string {
  const metadata = object["metadata"];
  const annotations = isJsonObject(metadata) ? metadata["annotations"] : undefined;
  const text = isJsonObject(annotations) ? getOwn(annotations, annotation) : undefined;
  return typeof text === "string" ? text : "";
}

function withoutAnnotation(applied: JsonObject): JsonObject {
  const metadata = applied["metadata"];
  const annotations = isJsonObject(metadata) ? metadata["annotations"] : undefined;
  if (!isJsonObject(metadata) || !isJsonObject(annotations)) {
    return applied;
  }
  return { ...applied, metadata: { ...metadata, annotations: omit(annotations, annotation) } };
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // Anybody can write anything into an annotation; then it says nothing.
    return undefined;
  }
}

function sizeOf(annotations: JsonObject): number {
  const encoder = new TextEncoder();
  return Object.entries(annotations).reduce(
    (sum, [key, value]) =>
      sum +
      encoder.encode(key).length +
      encoder.encode(typeof value === "string" ? value : "").length,
    0,
  );
}
