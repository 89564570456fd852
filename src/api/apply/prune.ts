// What an applier no longer mentions goes away, if it was his and is nobody else's.

import type { JsonObject } from "../json.ts";
import type { TypeSchema } from "../schema/schema.ts";
import { difference, type FieldSet, intersection, isEmptySet, union } from "./field-set.ts";
import { fieldsOf } from "./object-fields.ts";
import { removeFields, withNamedFields } from "./remove-fields.ts";

/**
 * The merged object without what only the applier owned and does not own any more.
 *
 * (1) Take out all that the applier owned, with whatever is in it.
 * (2) Put back what somebody owns now, the applier included: an item that is still wanted must not go just because
 *     it was in the applier's list.
 * (3) Put back what (1) took along though the applier never owned it, such as defaults of the server in an object
 *     whose other fields were his.
 */
export function prune(options: {
  readonly type: TypeSchema;
  readonly merged: JsonObject;
  /** Of the applier, from the last time. */
  readonly last: FieldSet;
  /** Of the applier, from its new configuration. */
  readonly current: FieldSet;
  readonly others: readonly FieldSet[];
}): JsonObject {
  const { type, merged, last, current, others } = options;
  // The usual case: all that was mentioned before still is, with every item and key on the way to it.
  if (isEmptySet(difference(last, current))) {
    return merged;
  }
  const named = (set: FieldSet): FieldSet => withNamedFields(type, set);
  const namedIn = (object: JsonObject): FieldSet => named(fieldsOf(type, object));
  const all = namedIn(merged);
  const mine = named(last);

  const without = removeFields(type, merged, mine); // (1)
  const everybody = named(others.reduce(union, current));
  const gone = difference(difference(all, namedIn(without)), everybody);
  const kept = removeFields(type, merged, gone); // (2)
  return removeFields(type, merged, intersection(difference(all, namedIn(kept)), mine)); // (3)
}
