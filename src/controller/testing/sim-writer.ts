// Writes as an API server does them: decoded, defaulted, checked against what is there, and counted. Every refusal is the
// StatusError that a real server sends.

import { decodeObject } from "../../api/decode.ts";
import { DecodeError } from "../../api/decode-error.ts";
import { isJsonObject, type JsonObject } from "../../api/json.ts";
import { apiVersionOf, type Kind } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import {
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  invalid as invalidStatus,
  modified,
  notFound,
  StatusError,
} from "../../api/status-error.ts";
import { invalid } from "../../api/validation/field-error.ts";
import { FieldPath } from "../../api/validation/field-path.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import { isFree, type SimDeleteOptions, SimDeletion } from "./sim-deletion.ts";
import { simKind } from "./sim-kinds.ts";
import {
  applyDefaults,
  judgeUpdate,
  prepareForCreate,
  prepareForUpdate,
  rulesOf,
} from "./sim-rules.ts";
import type { SimStore } from "./sim-store.ts";

export interface SimPlace {
  /** "" for kinds that are in none. */
  readonly namespace: string;
  readonly name: string;
  /** "" for the object itself. */
  readonly subresource: string;
}

export interface SimUpdate {
  /** Makes the new object of the live one, which it leaves as it is. */
  readonly produce: (live: ApiObject) => ApiObject;
  /** A whole object was sent: it means the one with its uid. */
  readonly isWhole: boolean;
}

/** Without vowels and look-alikes, as real servers have it. */
const NAME_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const namespaces = simKind("v1", "Namespace");

export class SimWriter {
  readonly #store: SimStore;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #deletion: SimDeletion;

  constructor(parts: {
    readonly store: SimStore;
    readonly clock: Clock;
    readonly random: Random;
  }) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#deletion = new SimDeletion(parts);
  }

  get now(): string {
    return timestamp(this.#clock.now());
  }

  create(
    kind: Kind,
    sent: JsonObject,
    { by, namespace }: { by: string; namespace: string },
  ): ApiObject {
    const object = decoded(kind, sent);
    applyDefaults(kind, object);
    settlePlace(kind, object, { namespace, name: "", subresource: "" });
    if (kind.namespaced) this.#admitTo(kind, object);
    if ((object.metadata.resourceVersion ?? "") !== "") {
      const message = "resourceVersion should not be set on objects to be created";
      throw new StatusError({ code: 500, reason: "", message });
    }
    const { generateName = "", name = "" } = object.metadata;
    if (name === "" && generateName !== "") {
      object.metadata.name = this.#freeName(kind, namespace, generateName);
    }
    return this.#storeNew(kind, object, by);
  }

  /** Nothing is written if nothing has changed. */
  update(
    kind: Kind,
    place: SimPlace,
    { produce, isWhole, by }: SimUpdate & { by: string },
  ): ApiObject {
    const live = this.#live(kind, place);
    const object = produce(live);
    checkVersion(kind, object, live);
    if (isWhole) checkUid(kind, object, live);
    this.#complete(kind, { object, old: live, subresource: place.subresource });
    if (object.metadata.deletionTimestamp !== undefined && isFree(object)) {
      this.#store.remove(kind, object, by);
      return object;
    }
    return semanticEqual(object, live) ? live : this.#store.write(kind, object, by);
  }

  /** As the server itself writes: no rules but those of `produce`. */
  write(
    kind: Kind,
    place: SimPlace,
    { produce, by }: Pick<SimUpdate, "produce"> & { readonly by: string },
  ): ApiObject {
    return this.#store.write(kind, produce(this.#live(kind, place)), by);
  }

  delete(
    kind: Kind,
    place: SimPlace,
    options: SimDeleteOptions & { by: string },
  ): {
    readonly object: ApiObject;
    readonly isGone: boolean;
  } {
    const isForEver = ["default", "kube-system", "kube-public"].includes(place.name);
    if (kind === namespaces && isForEver) {
      throw forbidden(kind, place.name, "this namespace may not be deleted");
    }
    return this.#deletion.delete(kind, this.#live(kind, place), options);
  }

  #live(kind: Kind, { namespace, name }: SimPlace): ApiObject {
    const live = this.#store.get(kind, kind.namespaced ? `${namespace}/${name}` : name);
    if (live === undefined) throw notFound(kind, name);
    return live;
  }

  #admitTo(kind: Kind, object: ApiObject): void {
    const { namespace = "", name, generateName } = object.metadata;
    const home = this.#store.get(namespaces, namespace);
    if (home === undefined) throw notFound(namespaces, namespace);
    if (home.metadata.deletionTimestamp === undefined) return;
    throw forbidden(
      kind,
      name ?? generateName ?? "",
      `unable to create new content in namespace ${namespace} because it is being terminated`,
      [
        {
          reason: "NamespaceTerminating",
          message: `namespace ${namespace} is being terminated`,
          field: "metadata.namespace",
        },
      ],
    );
  }

  #freeName(kind: Kind, namespace: string, prefix: string): string {
    for (;;) {
      const name = prefix.slice(0, 58) + this.#suffix();
      if (this.#store.get(kind, kind.namespaced ? `${namespace}/${name}` : name) === undefined) {
        return name;
      }
    }
  }

  #storeNew(kind: Kind, object: ApiObject, by: string): ApiObject {
    const { countsGenerations = false, validate } = rulesOf(kind);
    // Again, because the name may have been generated in between.
    applyDefaults(kind, object);
    object.metadata = {
      ...object.metadata,
      uid: this.#uid(),
      creationTimestamp: this.now,
      deletionTimestamp: undefined,
      deletionGracePeriodSeconds: undefined,
      managedFields: undefined,
      ...(countsGenerations && { generation: 1 }),
    };
    prepareForCreate(kind, object);
    const { name = "", namespace = "" } = object.metadata;
    const errors = validate?.(object) ?? [];
    if (errors.length > 0) throw invalidStatus(kind, name, errors);
    const isThere = this.#store.get(kind, kind.namespaced ? `${namespace}/${name}` : name);
    if (isThere !== undefined) throw alreadyExists(kind, name);
    return this.#store.write(kind, plain(object), by);
  }

  /** Changes the new object into one that can take the place of the old one. Throws Invalid. */
  #complete(kind: Kind, update: { object: ApiObject; old: ApiObject; subresource: string }): void {
    const { object, old, subresource } = update;
    object.metadata.generation = old.metadata.generation;
    prepareForUpdate(kind, update);
    const { metadata } = object;
    const counts = rulesOf(kind).countsGenerations === true && subresource !== "status";
    object.metadata = plain({
      ...metadata,
      resourceVersion: old.metadata.resourceVersion,
      uid: metadata.uid || old.metadata.uid,
      creationTimestamp: old.metadata.creationTimestamp,
      deletionTimestamp: old.metadata.deletionTimestamp,
      deletionGracePeriodSeconds: old.metadata.deletionGracePeriodSeconds,
      managedFields: undefined,
      ...(counts && { generation: nextGeneration(object, old) }),
    });
    const errors = judgeUpdate(kind, update);
    if (errors.length > 0) throw invalidStatus(kind, metadata.name ?? "", errors);
  }

  #suffix(): string {
    const letter = (): string => NAME_ALPHABET[this.#random.uint32() % NAME_ALPHABET.length] ?? "";
    return Array.from({ length: 5 }, letter).join("");
  }

  #uid(): string {
    const hex = Array.from({ length: 4 }, () =>
      this.#random.uint32().toString(16).padStart(8, "0"),
    );
    const text = hex.join("");
    return [0, 8, 12, 16, 20].map((from, i) => text.slice(from, [8, 12, 16, 20, 32][i])).join("-");
  }
}

/** As the table of its kind has it; what the table does not know is lost. */
export function decoded(kind: Kind, sent: JsonObject): ApiObject {
  const { kind: _, apiVersion: __, ...fields } = sent;
  try {
    const { metadata, ...rest } = decodeObject(kind.schema, fields).object;
    return {
      kind: kind.kind,
      apiVersion: apiVersionOf(kind),
      metadata: isJsonObject(metadata) ? metadata : {},
      ...rest,
    };
  } catch (err) {
    if (!(err instanceof DecodeError)) throw err;
    const { kind: name, version } = kind;
    throw badRequest(
      `${name} in version ${JSON.stringify(version)} cannot be handled as a ${name}: ${err.message}`,
    );
  }
}

/** The body and the path must not contradict each other. Changes the object. */
export function settlePlace(kind: Kind, { metadata }: ApiObject, place: SimPlace): void {
  const namespace = kind.namespaced ? place.namespace : "";
  if ((metadata.namespace || namespace) !== namespace) {
    throw badRequest(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
  }
  if (kind.namespaced) metadata.namespace = namespace;
  if (place.name === "" || metadata.name === place.name) return;
  throw badRequest(
    (metadata.name ?? "") === ""
      ? `the name of the object (${place.name} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${metadata.name}) does not match the name on the URL (${place.name})`,
  );
}

function checkVersion(kind: Kind, { metadata }: ApiObject, live: ApiObject): void {
  const version = metadata.resourceVersion ?? "";
  const name = live.metadata.name ?? "";
  if (version !== "" && version !== "0") {
    if (version !== live.metadata.resourceVersion) throw modified(kind, name);
    return;
  }
  if (rulesOf(kind).requiresResourceVersion !== true) return;
  const path = FieldPath.of("metadata", "resourceVersion");
  const error = invalid(path, 0, "must be specified for an update");
  throw invalidStatus(kind, name, [{ ...error, message: error.message.replace("0:", "0x0:") }]);
}

function checkUid(kind: Kind, { metadata }: ApiObject, live: ApiObject): void {
  const { uid = "" } = metadata;
  if (uid === "" || uid === live.metadata.uid) return;
  const { name = "", namespace = "" } = live.metadata;
  const key = `/registry/${kind.resource}/${kind.namespaced ? `${namespace}/` : ""}${name}`;
  throw conflict(
    kind,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`,
  );
}

/** Counts changes of everything but metadata and status; kinds for which more counts have counted it already. */
function nextGeneration(object: ApiObject, old: ApiObject): number {
  const generation = old.metadata.generation ?? 0;
  if ((object.metadata.generation ?? 0) > generation) return object.metadata.generation ?? 0;
  const { metadata: _, status: __, ...now } = object;
  const { metadata: ___, status: ____, ...before } = old;
  return semanticEqual(now, before) ? generation : generation + 1;
}

/** A copy without what is undefined. */
function plain<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
