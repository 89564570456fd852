// The list kinds. They are all alike, so their tables are made from the items' tables.

import { listMeta, typeMeta } from "./meta.ts";
import { always, field, listOf, ref, required, type TypeSchema, type } from "./schema.ts";

/** `PodList` for `Pod`. */
export function listTypeOf(item: TypeSchema): TypeSchema {
  const kind = item.name.slice(item.name.lastIndexOf(".") + 1);
  return type(
    `${item.name}List`,
    `Some objects of kind ${kind}, and the state of the store they show`,
    {
      ...typeMeta,
      metadata: field(1, ref(listMeta), "The state of the store, and how to read on", always),
      items: field(2, listOf(ref(item)), "The objects", required),
    },
  );
}
