// The closed sets of words about a use of a ConfigMap or Secret: for the table of ConfigViews, for what may be written into one, and for metrics, which
// show each of them, as 0 where there is none: a rule can only be about series that exist.

import type { UseState } from "./use-state.ts";

export const useStates: readonly UseState[] = ["InSync", "Behind", "Frozen", "Rejected", "Unknown"];

/** Why delivery alone will not bring a use up to date. */
export const driftReasons: readonly string[] = [
  "ArgsFrozen",
  "EnvFrozen",
  "GateRejected",
  "ImmutableRecreated",
  "NodeAway",
  "NotConfirmed",
  "RolloutHeld",
  "SubPathFrozen",
  "TamperedOnDisk",
  "WriteFailed",
];
