// None of the programs that drop-ins stand in for checks anything before it goes live.

import type { GateSpec } from "../compose-model.ts";

export const NO_GATE: GateSpec = {
  schemas: [],
  command: undefined,
  timeoutMs: 30_000,
  failsReadiness: false,
};
