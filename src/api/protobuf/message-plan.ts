// Which field of a type a protobuf number stands for. Made from the table once for each type. Some messages are not to
// be seen in JSON: their fields belong to the object around them.

import { layoutOf } from "../object-form.ts";
import type { FieldSchema, TypeSchema } from "../schema/schema.ts";

/** A field and its position in the type's layout, or the fields of a message that JSON does not show. */
type PlanEntry =
  | { readonly field: FieldSchema; readonly position: number }
  | { readonly inlined: MessagePlan };

export type MessagePlan = ReadonlyMap<number, PlanEntry>;

const plans = new WeakMap<TypeSchema, MessagePlan>();

export function messagePlan(type: TypeSchema): MessagePlan {
  const known = plans.get(type);
  if (known !== undefined) return known;
  const plan = new Map<number, PlanEntry>();
  for (const [position, field] of layoutOf(type).fields.entries()) {
    if (field.number !== 0) around(plan, field.within).set(field.number, { field, position });
  }
  plans.set(type, plan);
  return plan;
}

function around(plan: Map<number, PlanEntry>, within: readonly number[]): Map<number, PlanEntry> {
  let inner = plan;
  for (const number of within) {
    const known = inner.get(number);
    const next =
      known !== undefined && "inlined" in known
        ? (known.inlined as Map<number, PlanEntry>)
        : new Map<number, PlanEntry>();
    inner.set(number, { inlined: next });
    inner = next;
  }
  return inner;
}
