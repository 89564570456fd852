// Writes as the handlers make them, without HTTP and without a store: decode, default, prepare, validate.

import { decodeObject } from "../../../api/decode.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../api/json.ts";
import { kindOf } from "../../../api/kinds.ts";
import type { ApiObject } from "../../../api/object.ts";
import type { FieldError } from "../../../api/validation/field-error.ts";
import { strategies } from "../strategies.ts";
import type { Strategy, WriteContext } from "../strategy.ts";

export const context: WriteContext = {
  now: "2026-01-02T03:04:05Z",
  nowMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  dryRun: false,
};

const all = new Map(strategies().map((strategy) => [strategy.kind, strategy]));

export interface Written {
  readonly object: ApiObject;
  /** `field: message`, in order. */
  readonly errors: readonly string[];
}

export function strategyFor(apiVersion: string, kind: string): Strategy {
  const found = kindOf(apiVersion, kind);
  const strategy = found && all.get(found);
  if (strategy === undefined) throw new Error(`Cannot test ${apiVersion} ${kind}: no strategy`);
  return strategy;
}

/** Decoded and defaulted, with the metadata that the server gives. Names are made up where there are none. */
export function decoded(value: JsonObject): ApiObject {
  const { strategy, namespaced } = strategyOf(value);
  const { object } = decodeObject(strategy.kind.schema, value);
  const made = object as ApiObject;
  made.metadata = {
    name: "x",
    ...(namespaced && { namespace: "ns" }),
    uid: "uid-1",
    resourceVersion: "1",
    creationTimestamp: context.now,
    ...made.metadata,
  };
  strategy.applyDefaults?.(made);
  return made;
}

export function created(value: JsonObject): Written {
  const { strategy } = strategyOf(value);
  const object = decoded(value);
  strategy.prepareForCreate?.(object, context);
  return { object, errors: strategy.validate(object).map(errorText) };
}

/** An update from what `before` creates to `after`. */
export function updated(before: JsonObject, after: JsonObject): Written {
  const { strategy } = strategyOf(before);
  const old = created(before).object;
  const object = decoded(after);
  strategy.prepareForUpdate?.(object, old, context);
  return { object, errors: strategy.validateUpdate(object, old).map(errorText) };
}

/** A write of `status` over the status `before` of what `base` creates. */
export function withStatus(base: JsonObject, before: JsonValue, status: JsonValue): Written {
  const { strategy } = strategyOf(base);
  const old = decoded({ ...base, status: before });
  const object = decoded({ ...base, status });
  strategy.prepareForStatusUpdate?.(object, old, context);
  return { object, errors: (strategy.validateStatusUpdate?.(object, old) ?? []).map(errorText) };
}

/** `value` with `changes` in it; objects are merged, null removes, everything else replaces. */
export function merged(value: JsonObject, changes: JsonObject): JsonObject {
  const result: JsonObject = { ...value };
  for (const [key, change] of Object.entries(changes)) {
    const before = value[key];
    if (change === null) delete result[key];
    else
      result[key] = isJsonObject(before) && isJsonObject(change) ? merged(before, change) : change;
  }
  return result;
}

export function errorText({ field, message }: FieldError): string {
  return `${field}: ${message}`;
}

function strategyOf(value: JsonObject): { strategy: Strategy; namespaced: boolean } {
  const strategy = strategyFor(value["apiVersion"] as string, value["kind"] as string);
  return { strategy, namespaced: strategy.kind.namespaced };
}
