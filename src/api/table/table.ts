// Tables on the wire (meta.k8s.io Table): what `kubectl get` shows is made here, so that clients need to know no kind.
// Keys are written in the API's order.

import type { JsonObject, JsonValue } from "../json.ts";
import type { ApiObject } from "../object.ts";
import { badRequest } from "../status-error.ts";
import { invalid } from "../validation/field-error.ts";
import { FieldPath } from "../validation/field-path.ts";
import { tableFor } from "./kind-tables.ts";

/** What rows carry besides their cells. */
export type IncludeObject = "Metadata" | "None" | "Object";

export type MetaVersion = "v1" | "v1beta1";

export interface TableRequest {
  readonly kind: { readonly group: string; readonly resource: string };
  /** With apiVersion and kind, if rows are to carry them. */
  readonly objects: readonly ApiObject[];
  /** Ages are counted up to here. */
  readonly nowMs: number;
  /** Of the list; for a single object its resourceVersion is enough. */
  readonly metadata: JsonObject;
  /** "Metadata" if absent. */
  readonly includeObject?: IncludeObject;
  /** "v1" if absent. */
  readonly version?: MetaVersion;
  /** False for all but the first event of a watch. */
  readonly headers?: boolean;
}

/** Marks the bookmark that ends the initial events of a watch; it must reach the client whatever rows carry. */
const initialEventsEnd = "k8s.io/initial-events-end";

export function tableOf(request: TableRequest): JsonObject {
  const { version = "v1", headers = true, nowMs } = request;
  const table = tableFor(request.kind);
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: request.metadata,
    columnDefinitions: headers ? table.columns.map((column) => ({ ...column })) : null,
    rows: request.objects.map((object) => {
      const conditions = table.conditions(object);
      return {
        cells: table.cells(object, nowMs),
        ...(conditions.length > 0 && { conditions: conditions.map((each) => ({ ...each })) }),
        object: carried(
          without(object, table.hiddenAnnotation),
          request.includeObject ?? "Metadata",
          version,
        ),
      };
    }),
  };
}

/** The table of one object: of a GET, a write, or an event of a watch. */
export function tableOfObject(
  object: ApiObject,
  request: Omit<TableRequest, "metadata" | "objects">,
): JsonObject {
  const { resourceVersion } = object.metadata;
  const metadata = resourceVersion === undefined ? {} : { resourceVersion };
  return tableOf({ ...request, objects: [object], metadata });
}

/** A PartialObjectMetadata. The metadata is shared with the object. */
export function partialMetadataOf(object: ApiObject, version: MetaVersion = "v1"): JsonObject {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: object.metadata,
  };
}

/** Reads the query parameter. Throws StatusError. */
export function parseIncludeObject(text: string | undefined): IncludeObject {
  switch (text) {
    case undefined:
    case "":
    case "Metadata":
      return "Metadata";
    case "None":
    case "Object":
      return text;
    default: {
      const detail = "must be 'Metadata', 'Object', 'None', or empty";
      const { field, message } = invalid(FieldPath.of("includeObject"), text, detail);
      throw badRequest(`Unable to convert to Table as requested: ${field}: ${message}`);
    }
  }
}

function without(object: ApiObject, annotation: string | undefined): ApiObject {
  if (annotation === undefined || object.metadata.annotations?.[annotation] === undefined) {
    return object;
  }
  const { [annotation]: _, ...rest } = object.metadata.annotations;
  const annotations = Object.keys(rest).length === 0 ? undefined : rest;
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function carried(object: ApiObject, include: IncludeObject, version: MetaVersion): JsonValue {
  if (include === "Object") return object;
  if (include === "None" && object.metadata.annotations?.[initialEventsEnd] === undefined) {
    return null;
  }
  return partialMetadataOf(object, version);
}
