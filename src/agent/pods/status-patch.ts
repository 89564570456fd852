// The difference between a pod's status on the server and what it should be, as a strategic merge patch. Only what this node is
// responsible for is in it: what others wrote stays.

import type { JsonObject, JsonValue } from "../../api/json.ts";
import { jsonEqual } from "../../api/patch/json-equal.ts";
import { withoutNulls } from "../../api/patch/merge-patch.ts";
import type { PodCondition, PodStatus } from "../../api/types.ts";

/** Fields that are this node's alone: what it does not say is not so. */
const owned = [
  "observedGeneration",
  "phase",
  "message",
  "reason",
  "hostIP",
  "podIP",
  "startTime",
  "initContainerStatuses",
  "containerStatuses",
  "ephemeralContainerStatuses",
  "qosClass",
] as const satisfies readonly (keyof PodStatus)[];

/** The server would add to these what is new and keep what is old. */
const replaced = ["hostIPs", "podIPs"] as const satisfies readonly (keyof PodStatus)[];

/** Undefined: the server has all of it. */
export function statusPatch(server: PodStatus, wanted: PodStatus): JsonObject | undefined {
  const patch: JsonObject = {};
  for (const name of owned) {
    if (isSame(server[name], wanted[name])) continue;
    patch[name] = wanted[name] ?? null;
  }
  for (const name of replaced) {
    const value = wanted[name];
    if (value === undefined || isSame(server[name], value)) continue;
    patch[name] = [...value, { $patch: "replace" }];
  }
  const conditions = changedConditions(server.conditions ?? [], wanted.conditions ?? []);
  if (conditions.length > 0) patch["conditions"] = conditions;
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** Told whole, and with null for what is not so any more: the server keeps what is not mentioned. */
function changedConditions(
  server: readonly PodCondition[],
  wanted: readonly PodCondition[],
): JsonObject[] {
  return wanted.flatMap((condition) => {
    const old = server.find(({ type }) => type === condition.type);
    if (isSame(old, condition)) return [];
    return [{ ...condition, reason: condition.reason ?? null, message: condition.message ?? null }];
  });
}

function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return jsonEqual(withoutNulls(a ?? null), withoutNulls(b ?? null));
}
