// What the server itself writes into metadata, whatever the kind: identity, times, generation.

import { randomUUID } from "node:crypto";
import type { ApiObject } from "../../api/object.ts";
import { badRequest, invalid, StatusError } from "../../api/status-error.ts";
import { invalids } from "../../api/validation/field-error.ts";
import { FieldPath } from "../../api/validation/field-path.ts";
import { nameIsPathSegment } from "../../api/validation/names.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import type { Random } from "../../base/random.ts";
import { named, type Resource } from "./resource.ts";
import type { Strategy, SubresourceUpdate, WriteContext } from "./strategy.ts";

/** Without vowels and look-alikes, so that no words come out. */
const NAME_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const NAME_SUFFIX_LENGTH = 5;
const MAX_NAME_LENGTH = 63;

export function generatedName(base: string, random: Random): string {
  const letters = Array.from(
    { length: NAME_SUFFIX_LENGTH },
    () => NAME_ALPHABET[random.uint32() % NAME_ALPHABET.length],
  );
  return base.slice(0, MAX_NAME_LENGTH - NAME_SUFFIX_LENGTH) + letters.join("");
}

/** The body and the path must not contradict each other. Fills in what the body left out. Changes the object. */
export function settlePlace(
  resource: Resource,
  object: ApiObject,
  place: { readonly namespace: string; readonly name: string },
): void {
  const { metadata } = object;
  if (resource.kind.namespaced) {
    if ((metadata.namespace ?? "") !== "" && metadata.namespace !== place.namespace) {
      throw badRequest(
        "the namespace of the provided object does not match the namespace sent on the request",
      );
    }
    metadata.namespace = place.namespace;
  } else if ((metadata.namespace ?? "") !== "") {
    throw badRequest(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
  }
  if (place.name === "") return;
  if ((metadata.name ?? "") === "") {
    throw badRequest(
      `the name of the object (${place.name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (metadata.name !== place.name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${place.name})`,
    );
  }
}

/** Clients cannot say when an object was made or who it is; what they send of it counts as not sent. */
export function wipeIdentity({ metadata }: ApiObject): void {
  metadata.creationTimestamp = undefined;
  metadata.deletionTimestamp = undefined;
  metadata.deletionGracePeriodSeconds = undefined;
  metadata.selfLink = undefined;
  metadata.uid = undefined;
}

/** Changes the object into one that can be stored for the first time. Throws Invalid. */
export function beforeCreate(resource: Resource, object: ApiObject, context: WriteContext): void {
  const { strategy } = resource;
  const { metadata } = object;
  if ((metadata.resourceVersion ?? "") !== "") {
    throw new StatusError({
      code: 500,
      reason: "",
      message: "resourceVersion should not be set on objects to be created",
    });
  }
  object.metadata = inTableOrder(resource, {
    ...metadata,
    uid: randomUUID(),
    creationTimestamp: context.now,
    ...(strategy.countsGenerations === true && { generation: 1 }),
  });
  strategy.prepareForCreate?.(object, context);
  const errors = strategy.validate(object);
  if (errors.length > 0) throw invalid(named(resource), object.metadata.name ?? "", errors);
  refusePathParts(resource, object);
}

/** Whatever else a kind allows in names: they are parts of paths and of keys. */
function refusePathParts(resource: Resource, { metadata }: ApiObject): void {
  const { name = "", generateName = "" } = metadata;
  const path = FieldPath.of("metadata");
  const errors = [
    ...invalids(path.child("generateName"), generateName, nameIsPathSegment(generateName, true)),
    ...invalids(path.child("name"), name, nameIsPathSegment(name, false)),
  ];
  if (errors.length > 0) throw invalid(named(resource), name, errors);
}

export interface UpdateOptions {
  readonly context: WriteContext;
  /** "" for the object itself. */
  readonly subresource: string;
}

/** Changes the new object into one that can replace the old one. Throws Invalid. */
export function beforeUpdate(
  resource: Resource,
  object: ApiObject,
  old: ApiObject,
  { context, subresource }: UpdateOptions,
): void {
  const { strategy } = resource;
  const rules = rulesFor(strategy, subresource);
  object.metadata.generation = old.metadata.generation;
  rules.prepare(object, old, context);
  const { metadata } = object;
  object.metadata = inTableOrder(resource, {
    ...metadata,
    uid: (metadata.uid ?? "") === "" ? old.metadata.uid : metadata.uid,
    creationTimestamp: old.metadata.creationTimestamp ?? metadata.creationTimestamp,
    deletionTimestamp: old.metadata.deletionTimestamp ?? metadata.deletionTimestamp,
    deletionGracePeriodSeconds:
      metadata.deletionGracePeriodSeconds ?? old.metadata.deletionGracePeriodSeconds,
    ...(strategy.countsGenerations === true &&
      subresource !== "status" && { generation: nextGeneration(object, old) }),
  });
  const errors = rules.validate(object, old);
  if (errors.length > 0) throw invalid(named(resource), object.metadata.name ?? "", errors);
}

/** What an update through this endpoint may change, and what it has to obey. */
function rulesFor(strategy: Strategy, subresource: string): SubresourceUpdate {
  const own = strategy.subresourceUpdates?.[subresource];
  if (own !== undefined) return own;
  const isStatus = subresource === "status";
  return {
    prepare: (object, old, context) =>
      isStatus
        ? strategy.prepareForStatusUpdate?.(object, old, context)
        : strategy.prepareForUpdate?.(object, old, context),
    validate: (object, old) =>
      isStatus && strategy.validateStatusUpdate !== undefined
        ? strategy.validateStatusUpdate(object, old)
        : strategy.validateUpdate(object, old),
  };
}

/** Counts changes of everything but metadata and status; kinds for which more counts have counted it already. */
function nextGeneration(object: ApiObject, old: ApiObject): number {
  const generation = old.metadata.generation ?? 0;
  if ((object.metadata.generation ?? 0) > generation) return object.metadata.generation ?? 0;
  const { metadata: _, status: __, ...now } = object;
  const { metadata: ___, status: ____, ...before } = old;
  return semanticEqual(now, before) ? generation : generation + 1;
}

/** In the order of the table, so that equal objects have equal bytes. */
export function inTableOrder(
  resource: Resource,
  metadata: ApiObject["metadata"],
): ApiObject["metadata"] {
  const field = resource.kind.schema.fields.get("metadata");
  const names = field?.value.is === "object" ? field.value.type().fields.keys() : [];
  const given = metadata as Record<string, unknown>;
  const ordered: Record<string, unknown> = {};
  for (const name of names) {
    if (given[name] !== undefined) ordered[name] = given[name];
  }
  return ordered as ApiObject["metadata"];
}
