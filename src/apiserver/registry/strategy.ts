// What is particular to one kind. The handlers know no kind by name: they decode, default, prepare, validate and
// store, and ask the strategy at each step. Absent methods mean that nothing is particular.

import type { IgnoredFields } from "../../api/apply/ignored-fields.ts";
import type { Kind } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import type { FieldError } from "../../api/validation/field-error.ts";

/** What a write may depend on besides the object. */
export interface WriteContext {
  /** Of the request, as metadata has it: RFC 3339 with seconds. */
  readonly now: string;
  /** The same, for what needs it exact. */
  readonly nowMs: number;
  readonly dryRun: boolean;
}

/** How long a graceful deletion takes; undefined deletes at once. */
export interface GracePeriod {
  readonly seconds: number;
}

/** How a subresource other than status writes the object that it belongs to. */
export interface SubresourceUpdate<T = ApiObject> {
  /** Changes the new object: all that the subresource does not write comes from the old one. */
  prepare(object: T, old: T, context: WriteContext): void;
  validate(object: T, old: T): readonly FieldError[];
}

/** `T` is for those who write one: everybody else has objects of any kind. */
export interface Strategy<T = ApiObject> {
  readonly kind: Kind;
  /** PUT to a name that does not exist creates it. */
  readonly createsOnUpdate?: boolean;
  /** PUT without resourceVersion is refused. */
  readonly requiresResourceVersion?: boolean;
  /**
   * metadata.generation counts changes of everything but metadata and status. Kinds without it keep what the
   * client sent.
   */
  readonly countsGenerations?: boolean;
  /** A warning with every answer: clients should move to another kind. */
  readonly deprecation?: string;
  /** DELETE answers with the object that is gone, not with a Status. */
  readonly returnsDeleted?: boolean;
  /** What happens to dependents if the client does not say. Default: they are deleted in the background. */
  readonly defaultPropagation?: "Background" | "Orphan";
  /** What an update of the status does not touch. Default: the spec. */
  readonly ignoredByStatus?: IgnoredFields;
  /** Field selectors besides metadata.name and metadata.namespace. */
  readonly fieldLabels?: Readonly<Record<string, (object: T) => string>>;
  /** One of the field labels, by which watchers are found when an object changes: the node of a pod. */
  readonly indexedField?: string;

  /** Fills in what was left out. Changes the object. Runs after decoding, also on what a patch made. */
  applyDefaults?(object: T): void;
  /** Changes a new object before it is validated: fields that clients may not set are cleared. */
  prepareForCreate?(object: T, context: WriteContext): void;
  /** Changes the new object before it is validated: what an update may not touch is taken from the old one. */
  prepareForUpdate?(object: T, old: T, context: WriteContext): void;
  /** The same for an update through the status subresource: all but the status comes from the old one. */
  prepareForStatusUpdate?(object: T, old: T, context: WriteContext): void;

  /** Judges a new object. Metadata is included. */
  validate(object: T): readonly FieldError[];
  /** Judges an update; the rules of `validate` that hold for updates are included. */
  validateUpdate(object: T, old: T): readonly FieldError[];
  validateStatusUpdate?(object: T, old: T): readonly FieldError[];

  /** By the name of the subresource: "finalize", "ephemeralcontainers". */
  readonly subresourceUpdates?: Readonly<Record<string, SubresourceUpdate<T>>>;

  /** Texts for Warning headers: deprecated fields and the like. `old` is absent on create. */
  warnings?(object: T, old: T | undefined): readonly string[];
  /** Graceful deletion. `requested` is what the client asked for. */
  gracePeriod?(object: T, requested: number | undefined): GracePeriod | undefined;
  /** A last change to an object that is on its way out, such as the phase of a namespace. */
  markDeleted?(object: T): T;
}

/** A strategy that is written with the type of its kind. The handlers give it no other objects. */
export function strategyOf<T>(strategy: Strategy<T>): Strategy {
  return strategy as unknown as Strategy;
}
