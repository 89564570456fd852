// The kind that a strategy is for.

import type { Kind } from "../../api/kind.ts";
import { kindOf } from "../../api/kinds.ts";

/** Throws if the tables do not have it, which is a fault of the program. */
export function servedKind(apiVersion: string, name: string): Kind {
  const kind = kindOf(apiVersion, name);
  if (kind === undefined) throw new Error(`Cannot serve ${apiVersion} ${name}: no such kind`);
  return kind;
}
