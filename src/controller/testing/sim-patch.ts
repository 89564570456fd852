// PATCH in the three dialects that controllers use, with the API's own functions.

import { isJsonObject, type JsonObject, type JsonValue } from "../../api/json.ts";
import type { Kind } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import { applyJsonPatch } from "../../api/patch/json-patch.ts";
import { applyMergePatch } from "../../api/patch/merge-patch.ts";
import { applyStrategicMerge } from "../../api/patch/strategic-merge.ts";
import { badRequest, StatusError } from "../../api/status-error.ts";
import { applyDefaults } from "./sim-rules.ts";
import { decoded, type SimPlace, settlePlace } from "./sim-writer.ts";

export interface SimPatch extends SimPlace {
  readonly contentType: string;
  readonly body: JsonValue | undefined;
}

/** Applies it to whatever is live, which it leaves as it is. */
export function patcher(kind: Kind, patch: SimPatch): (live: ApiObject) => ApiObject {
  return (live) => {
    const patched = patchedValue(kind, live, patch);
    if (!isJsonObject(patched)) throw badRequest("the patched value is not an object");
    const object = decoded(kind, patched);
    applyDefaults(kind, object);
    settlePlace(kind, object, patch);
    return object;
  };
}

function patchedValue(
  kind: Kind,
  live: JsonObject,
  { contentType, body = null }: SimPatch,
): JsonValue {
  switch (contentType) {
    case "application/json-patch+json":
      return applyJsonPatch(live, body);
    case "application/merge-patch+json":
      return applyMergePatch(live, body);
    case "application/strategic-merge-patch+json":
      return applyStrategicMerge(kind.schema, live, body);
    default:
      throw new StatusError({
        code: 415,
        reason: "UnsupportedMediaType",
        message: "415: Unsupported Media Type",
        details: {},
      });
  }
}
