// Walks the tables: which types a value of a type can contain.

import type { TypeSchema, ValueSchema } from "./schema.ts";

/** The types and all that they contain, each once, those that contain others first. */
export function reachableTypes(roots: Iterable<TypeSchema>): readonly TypeSchema[] {
  const found = new Set<TypeSchema>();
  const visit = (type: TypeSchema): void => {
    if (found.has(type)) return;
    found.add(type);
    for (const { value } of type.fields.values()) {
      const inner = innermost(value);
      if (inner !== undefined) visit(inner);
    }
  };
  for (const root of roots) visit(root);
  return [...found];
}

function innermost(value: ValueSchema): TypeSchema | undefined {
  switch (value.is) {
    case "scalar":
      return undefined;
    case "object":
      return value.type();
    case "list":
      return innermost(value.items);
    case "map":
      return innermost(value.values);
  }
}
