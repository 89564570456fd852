// Who of a pod's containers stops before whom: the regular ones first, then sidecars, the last one first.

import type { Pod } from "../../api/types.ts";
import { isSidecar } from "./restart-policy.ts";

/** Those of `names` that have to have ended before `name` may be told to. */
export function stopsAfter(
  { spec }: Pod,
  name: string,
  names: readonly string[],
): readonly string[] {
  const sidecars = (spec.initContainers ?? []).filter(isSidecar).map((one) => one.name);
  const index = sidecars.indexOf(name);
  if (index < 0) return [];
  const regular = (spec.containers ?? []).map((one) => one.name);
  const first = new Set([...regular, ...sidecars.slice(index + 1)]);
  return names.filter((one) => first.has(one));
}
