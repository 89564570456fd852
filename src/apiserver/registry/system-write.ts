// Writes that the server makes by itself, with the same steps as those of clients: prepared, validated, and with
// their fields owned by a manager.

import { trackUpdate } from "../../api/apply/field-manager.ts";
import { nothingReset } from "../../api/apply/ignored-fields.ts";
import { apiVersionOf } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import { timestamp } from "../handlers/context.ts";
import { beforeCreate, beforeUpdate } from "./metadata-rules.ts";
import type { Resource } from "./resource.ts";
import type { WriteContext } from "./strategy.ts";

export interface SystemWrite {
  /** Who owns the fields that are written. */
  readonly manager: string;
  readonly nowMs: number;
}

/** A new object that can be stored. What is given is not changed. */
export function createdBySystem(
  resource: Resource,
  wanted: ApiObject,
  write: SystemWrite,
): ApiObject {
  const { kind } = resource;
  const object = { kind: kind.kind, apiVersion: apiVersionOf(kind), ...structuredClone(wanted) };
  resource.strategy.applyDefaults?.(object);
  object.metadata.managedFields = owners(resource, { live: undefined, next: object, write });
  beforeCreate(resource, object, writeContext(write.nowMs));
  return object;
}

/**
 * A new object of a kind that nobody can change: nobody owns its fields, so that there is nothing to work out and to store about them.
 * It shares its values with what is given.
 */
export function createdForGood(resource: Resource, wanted: ApiObject, nowMs: number): ApiObject {
  const { kind } = resource;
  const object = { kind: kind.kind, apiVersion: apiVersionOf(kind), ...wanted };
  beforeCreate(resource, object, writeContext(nowMs));
  return object;
}

/** What can replace the live object. Neither is changed. */
export function updatedBySystem(
  resource: Resource,
  { live, wanted }: { readonly live: ApiObject; readonly wanted: ApiObject },
  write: SystemWrite,
): ApiObject {
  const object = structuredClone(wanted);
  object.metadata.managedFields = owners(resource, { live, next: object, write });
  beforeUpdate(resource, object, live, {
    context: writeContext(write.nowMs),
    subresource: "",
  });
  return object;
}

function writeContext(nowMs: number): WriteContext {
  return { now: timestamp(nowMs), nowMs, dryRun: false };
}

interface Tracked {
  readonly live: ApiObject | undefined;
  readonly next: ApiObject;
  readonly write: SystemWrite;
}

function owners(
  { kind }: Resource,
  { live, next, write }: Tracked,
): ApiObject["metadata"]["managedFields"] {
  return trackUpdate({
    type: kind.schema,
    live,
    next,
    manager: write.manager,
    apiVersion: apiVersionOf(kind),
    subresource: "",
    now: timestamp(write.nowMs),
    ignored: nothingReset,
  });
}
