// PATCH in four dialects. Each makes a new object of the live one; the rest is an update. Apply may also create.

import { decodeObject } from "../../api/decode.ts";
import { DecodeError } from "../../api/decode-error.ts";
import { strictErrors } from "../../api/decode-strictness.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../api/json.ts";
import { type ParsedText, parseJsonText } from "../../api/json-text.ts";
import { apiVersionOf } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import { goValue } from "../../api/patch/go-format.ts";
import { applyJsonPatch, unknownOperationFields } from "../../api/patch/json-patch.ts";
import { applyMergePatch } from "../../api/patch/merge-patch.ts";
import { badPatch, invalidPatchResult } from "../../api/patch/patch-error.ts";
import { applyStrategicMerge } from "../../api/patch/strategic-merge.ts";
import { StatusError } from "../../api/status-error.ts";
import type { Answer } from "../http/answer.ts";
import { mediaType } from "../http/media-type.ts";
import { readBody } from "../http/read-body.ts";
import { inTableOrder, settlePlace } from "../registry/metadata-rules.ts";
import { apply } from "./apply.ts";
import type { RequestContext } from "./context.ts";
import { clearingOwners } from "./decode-body.ts";
import { updateObject } from "./update-object.ts";
import { type FieldValidation, type WriteOptions, writeOptions } from "./write-options.ts";

export type PatchDialect = "json" | "merge" | "strategic" | "apply";

const dialects: ReadonlyMap<string, PatchDialect> = new Map([
  ["application/json-patch+json", "json"],
  ["application/merge-patch+json", "merge"],
  ["application/strategic-merge-patch+json", "strategic"],
  ["application/apply-patch+yaml", "apply"],
]);

export async function patch(context: RequestContext): Promise<Answer> {
  const { request } = context;
  const dialect = dialectOf(mediaType(request.headers["content-type"] ?? "").type);
  const options = writeOptions(context, "PatchOptions");
  const body = await readBody(context);
  if (dialect === "apply") return apply(context, body, options);
  const produce = patcher({ context, dialect, body, options });
  return updateObject(context, { options, produce });
}

export function dialectOf(contentType: string): PatchDialect {
  const dialect = dialects.get(contentType);
  if (dialect !== undefined) return dialect;
  throw new StatusError({
    code: 415,
    reason: "UnsupportedMediaType",
    message: "415: Unsupported Media Type",
    details: {},
  });
}

export interface PatcherOptions {
  readonly context: RequestContext;
  readonly dialect: Exclude<PatchDialect, "apply">;
  readonly body: Buffer;
  readonly options: WriteOptions;
}

/** Reads the patch once; the function that comes back applies it to whatever is live. */
export function patcher({
  context,
  dialect,
  body,
  options,
}: PatcherOptions): (live: ApiObject) => ApiObject {
  const { resource, info, warnings } = context;
  const text = parsedPatch(body, dialect);
  const { value: patchValue } = text;
  const { fieldValidation } = options;
  const problems = [
    ...strictErrors(text, []),
    ...(dialect === "json" ? unknownOperationFields(patchValue) : []).map(
      (field) => `json patch unknown field ${JSON.stringify(field)}`,
    ),
  ];
  if (problems.length > 0 && fieldValidation === "Strict") {
    throw badPatch(`strict decoding error: ${problems.join(", ")}`);
  }
  if (fieldValidation === "Warn") warnings.push(...problems);
  let isFirst = true;
  return (live) => {
    const base: JsonObject = { ...live, metadata: inTableOrder(resource, live.metadata) };
    const patched = patchedValue(context, dialect, base, patchValue);
    const shown = (): string =>
      dialect === "strategic" ? goValue(patchValue) : sortedTop(patched);
    const { object, unknown } = decodedResult(context, patched, { fieldValidation, shown });
    if (isFirst && fieldValidation === "Warn") warnings.push(...unknown);
    isFirst = false;
    resource.strategy.applyDefaults?.(object);
    settlePlace(resource, object, info);
    return object;
  };
}

function parsedPatch(body: Buffer, dialect: PatchDialect): ParsedText {
  try {
    return parseJsonText(body.toString());
  } catch (err) {
    const why = err instanceof Error ? err.message : String(err);
    if (dialect === "merge") throw badPatch("invalid JSON patch");
    throw badPatch(dialect === "json" ? `error decoding patch: ${why}` : why);
  }
}

function patchedValue(
  { resource }: RequestContext,
  dialect: Exclude<PatchDialect, "apply">,
  base: JsonObject,
  patchValue: JsonValue,
): JsonValue {
  switch (dialect) {
    case "json":
      return applyJsonPatch(base, patchValue);
    case "merge":
      return applyMergePatch(base, patchValue);
    case "strategic":
      return applyStrategicMerge(resource.kind.schema, base, patchValue);
  }
}

interface ResultOptions {
  readonly fieldValidation: FieldValidation;
  /** The patched object, as the message for a bad one shows it. */
  readonly shown: () => string;
}

function decodedResult(
  { resource }: RequestContext,
  patched: JsonValue,
  { fieldValidation, shown }: ResultOptions,
): { readonly object: ApiObject; readonly unknown: readonly string[] } {
  const { kind } = resource;
  if (!isJsonObject(patched)) throw invalidPatchResult(shown(), "the result is not an object");
  try {
    const { kind: _, apiVersion: __, ...fields } = patched;
    const { object, unknownFields } = decodeObject(kind.schema, fields);
    const unknown = strictErrors({ duplicates: [] }, unknownFields);
    if (unknown.length > 0 && fieldValidation === "Strict") {
      throw invalidPatchResult(shown(), `strict decoding error: ${unknown.join(", ")}`);
    }
    const { metadata, ...rest } = object;
    const made: ApiObject = {
      kind: kind.kind,
      apiVersion: apiVersionOf(kind),
      metadata: isJsonObject(metadata) ? metadata : {},
      ...rest,
    };
    return { object: clearingOwners(patched, made), unknown };
  } catch (err) {
    if (err instanceof DecodeError) throw invalidPatchResult(shown(), err.message);
    throw err;
  }
}

/** The original sorts the keys of the object itself, and keeps the order inside. */
function sortedTop(value: JsonValue): string {
  if (!isJsonObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return JSON.stringify(Object.fromEntries(keys.map((key) => [key, value[key]])));
}
