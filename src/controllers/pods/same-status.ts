// Whether two statuses say the same. Servers leave out counts that are 0, or keep them as they were sent; a controller that told
// the two apart would write for ever.

import { type JsonLike, semanticEqual } from "../../api/validation/semantic-equal.ts";

export function sameStatus(a: object, b: object): boolean {
  return semanticEqual(withoutZeros(a), withoutZeros(b));
}

function withoutZeros(status: object): JsonLike {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== 0));
}
