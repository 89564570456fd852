// Objects and lists in the form that the client asked for.

import { randomUUID } from "node:crypto";
import { stringify } from "yaml";
import { apiVersionOf } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import {
  type IncludeObject,
  parseIncludeObject,
  partialMetadataOf,
  tableOf,
  tableOfObject,
} from "../../api/table/table.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import { type Answer, JSON_TYPE } from "../http/answer.ts";
import type { Representation } from "../http/media-type.ts";
import { type Resource, shownObject } from "../registry/resource.ts";
import type { RequestContext } from "./context.ts";

export function objectAnswer(
  context: RequestContext,
  code: number,
  cached: CachedObject,
  representation: Representation,
): Answer {
  const { resource } = context;
  const isPlain = representation.format === "json" && representation.as === "object";
  if (isPlain && resource.view === undefined && !isPretty(context)) {
    return { code, contentType: JSON_TYPE, body: [cached.bytes] };
  }
  return valueAnswer(context, code, shownObject(resource, cached), representation);
}

/** For objects that are not stored: dry runs, and answers of subresources. */
export function valueAnswer(
  context: RequestContext,
  code: number,
  object: ApiObject,
  representation: Representation,
): Answer {
  const { resource, nowMs } = context;
  const { kind } = resource;
  switch (representation.as) {
    case "object":
      return formatted(context, code, typedObject(resource, object), representation);
    case "partial":
      return formatted(
        context,
        code,
        partialMetadataOf(object, representation.metaVersion),
        representation,
      );
    case "table": {
      const table = tableOfObject(typedObject(resource, object), {
        kind,
        nowMs,
        includeObject: includeObjectOf(context),
        version: representation.metaVersion,
      });
      return formatted(context, code, table, representation);
    }
  }
}

export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export function listAnswer(
  context: RequestContext,
  items: readonly CachedObject[],
  listMeta: ListMeta,
  representation: Representation,
): Answer {
  const { resource } = context;
  const isPlain = representation.format === "json" && representation.as === "object";
  if (isPlain && resource.view === undefined && !isPretty(context)) {
    return { code: 200, contentType: JSON_TYPE, body: listBytes(resource, items, listMeta) };
  }
  const objects = items.map((item) => shownObject(resource, item));
  return formatted(
    context,
    200,
    listValue(context, objects, listMeta, representation),
    representation,
  );
}

function listValue(
  context: RequestContext,
  objects: readonly ApiObject[],
  listMeta: ListMeta,
  representation: Representation,
): object {
  const { resource, nowMs } = context;
  const { kind } = resource;
  const { metaVersion } = representation;
  switch (representation.as) {
    case "table":
      return tableOf({
        kind,
        objects,
        nowMs,
        metadata: { ...listMeta },
        includeObject: includeObjectOf(context),
        version: metaVersion,
      });
    case "partial":
      return {
        kind: "PartialObjectMetadataList",
        apiVersion: `meta.k8s.io/${metaVersion}`,
        metadata: listMeta,
        items: objects.map((object) => partialMetadataOf(object, metaVersion)),
      };
    case "object":
      return {
        kind: `${kind.kind}List`,
        apiVersion: apiVersionOf(kind),
        metadata: listMeta,
        items: objects.map((object) => ({ ...object, kind: undefined, apiVersion: undefined })),
      };
  }
}

/** The items are sent as they are kept: a list costs no serialisation. */
function listBytes(
  { kind }: Resource,
  items: readonly CachedObject[],
  listMeta: ListMeta,
): readonly Uint8Array[] {
  const head = JSON.stringify({
    kind: `${kind.kind}List`,
    apiVersion: apiVersionOf(kind),
    metadata: listMeta,
  });
  const pieces: Uint8Array[] = [Buffer.from(`${head.slice(0, -1)},"items":[`)];
  for (const [i, item] of items.entries()) {
    if (i > 0) pieces.push(comma);
    pieces.push(...item.item());
  }
  pieces.push(end);
  // One piece: thousands of small writes cost more than copying a megabyte.
  return [Buffer.concat(pieces)];
}

const comma = Buffer.from(",");
const end = Buffer.from("]}");

function formatted(
  context: RequestContext,
  code: number,
  value: object,
  { format }: Representation,
): Answer {
  if (format === "yaml") {
    return { code, contentType: "application/yaml", body: [Buffer.from(yamlText(value))] };
  }
  const text = isPretty(context) ? `${JSON.stringify(value, null, 2)}` : JSON.stringify(value);
  return { code, contentType: JSON_TYPE, body: [Buffer.from(text)] };
}

/** Stands for the one key that the library quotes and the API does not. Nobody can guess it, and it sorts alike. */
const bareDot = `.${randomUUID()}`;

export function yamlText(value: object): string {
  const isDotted = (object: unknown): object is Record<string, unknown> =>
    typeof object === "object" && object !== null && Object.hasOwn(object, ".");
  const replacer = (_: unknown, object: unknown): unknown => {
    if (!isDotted(object)) return object;
    const { ".": dot, ...rest } = object;
    return { [bareDot]: dot, ...rest };
  };
  const text = stringify(value, replacer, {
    sortMapEntries: true,
    indentSeq: false,
    lineWidth: 0,
    // Words such as "yes" are quoted: other programs read them as booleans.
    version: "1.1",
  });
  return text.replaceAll(`${bareDot}:`, ".:");
}

/** Kind and apiVersion first, as the API writes them. */
function typedObject({ kind }: Resource, object: ApiObject): ApiObject {
  const { kind: givenKind, apiVersion, ...rest } = object;
  return { kind: givenKind ?? kind.kind, apiVersion: apiVersion ?? apiVersionOf(kind), ...rest };
}

export function includeObjectOf({ query }: RequestContext): IncludeObject {
  return parseIncludeObject(query.get("includeObject") ?? undefined);
}

function isPretty({ query }: RequestContext): boolean {
  const pretty = query.get("pretty");
  return pretty !== null && pretty !== "false" && pretty !== "0";
}
