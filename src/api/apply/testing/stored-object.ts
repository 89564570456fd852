// One object, written as a server writes it: decode, defaults, ownership, and nothing is stored if nothing changed.

import { decodeObject } from "../../decode.ts";
import type { JsonObject } from "../../json.ts";
import type { ApiObject } from "../../object.ts";
import { jsonEqual } from "../../patch/json-equal.ts";
import { applyMergePatch } from "../../patch/merge-patch.ts";
import type { TypeSchema } from "../../schema/schema.ts";
import { applyObject, settleTimes, trackUpdate, type Write } from "../field-manager.ts";
import { type IgnoredFields, nothingReset } from "../ignored-fields.ts";

export interface StoredKind {
  readonly type: TypeSchema;
  readonly apiVersion: string;
  readonly kind: string;
  readonly ignored?: IgnoredFields;
  /** Changes the object. */
  readonly applyDefaults?: (object: ApiObject) => void;
}

export interface WriteOptions {
  readonly force?: boolean;
  readonly subresource?: string;
  readonly ignored?: IgnoredFields;
}

export class StoredObject {
  readonly #kind: StoredKind;
  #object: ApiObject | undefined;
  /** How often something new was stored. */
  revision = 0;
  now = "2026-01-01T00:00:00Z";

  constructor(kind: StoredKind) {
    this.#kind = kind;
  }

  get object(): ApiObject {
    if (this.#object === undefined) {
      throw new Error("Cannot read the object: nothing was stored yet");
    }
    return this.#object;
  }

  /** Manager and operation, with what they own. */
  get owners(): Readonly<Record<string, unknown>> {
    const entries = this.object.metadata.managedFields ?? [];
    return Object.fromEntries(
      entries.map(({ manager, operation, subresource, fieldsV1 }) => [
        [manager, operation, ...(subresource === undefined ? [] : [subresource])].join(" "),
        fieldsV1,
      ]),
    );
  }

  /** A PUT of the whole object, or its creation. */
  put(manager: string, body: JsonObject, options: WriteOptions = {}): void {
    const next = this.#decode(body);
    const live = this.#object;
    const managedFields = trackUpdate({ ...this.#write(manager, options), next });
    const { managedFields: _sent, ...metadata } = next.metadata;
    const tracked = {
      ...next,
      metadata: { ...metadata, ...(managedFields !== undefined && { managedFields }) },
    };
    this.#store(live === undefined ? tracked : settleTimes(live, tracked));
  }

  mergePatch(manager: string, patch: JsonObject, options: WriteOptions = {}): void {
    this.put(manager, applyMergePatch(this.object, patch), options);
  }

  apply(manager: string, body: JsonObject, options: WriteOptions = {}): void {
    const { apiVersion, kind } = this.#kind;
    this.#store(
      applyObject({
        ...this.#write(manager, options),
        kind,
        applied: { apiVersion, kind, ...body },
        force: options.force === true,
        decode: (merged) => this.#decode(merged),
      }),
    );
  }

  /** Replaces what is stored, unseen by the code under test. */
  load(object: ApiObject): void {
    this.#object = object;
  }

  #write(manager: string, { subresource = "", ignored }: WriteOptions): Write {
    const { type, apiVersion } = this.#kind;
    return {
      type,
      live: this.#object,
      manager,
      apiVersion,
      subresource,
      now: this.now,
      ignored: ignored ?? this.#kind.ignored ?? nothingReset,
    };
  }

  #decode(body: JsonObject): ApiObject {
    const object = decodeObject(this.#kind.type, body).object as ApiObject;
    this.#kind.applyDefaults?.(object);
    return object;
  }

  #store(next: ApiObject): void {
    if (!jsonEqual(next, this.#object)) {
      this.#object = next;
      this.revision += 1;
    }
  }
}
