// What the handlers do with an object, step by step, for tests of strategies.

import { decodeObject } from "../../../api/decode.ts";
import type { JsonObject, JsonValue } from "../../../api/json.ts";
import type { ApiObject } from "../../../api/object.ts";
import type { Strategy } from "../strategy.ts";

const context = {
  now: "2026-01-02T03:04:05Z",
  nowMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  dryRun: false,
};

/** Decoded and defaulted. */
export function received(strategy: Strategy, value: JsonValue): ApiObject {
  const object = decodeObject(strategy.kind.schema, value).object as unknown as ApiObject;
  strategy.applyDefaults?.(object);
  return object;
}

/** As it would be stored. Throws if it is refused. */
export function created(strategy: Strategy, value: JsonValue): ApiObject {
  const object = received(strategy, value);
  if (strategy.kind.namespaced) object.metadata.namespace ??= "default";
  strategy.prepareForCreate?.(object, context);
  const errors = strategy.validate(object);
  if (errors.length > 0) throw new Error(`Refused: ${JSON.stringify(errors)}`);
  return object;
}

/** What an update with these fields makes of an object, prepared and not judged. */
export function updated(strategy: Strategy, old: ApiObject, fields: JsonObject): ApiObject {
  const object = { ...structuredClone(old), ...fields } as ApiObject;
  strategy.prepareForUpdate?.(object, old, context);
  return object;
}

export function statusUpdated(strategy: Strategy, old: ApiObject, fields: JsonObject): ApiObject {
  const object = { ...structuredClone(old), ...fields } as ApiObject;
  strategy.prepareForStatusUpdate?.(object, old, context);
  return object;
}
