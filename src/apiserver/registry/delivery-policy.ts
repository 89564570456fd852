// DeliveryPolicies. Nodes carry out the checks and the pause; what nobody carries out yet is said with every write.

import { setDeliveryPolicyDefaults } from "../../api/defaults/delivery-policy.ts";
import { PAUSED_AT } from "../../api/delivery-policy-notes.ts";
import type { DeliveryPolicy, DeliveryPolicySpec } from "../../api/types.ts";
import {
  validateDeliveryPolicy,
  validateDeliveryPolicyStatusUpdate,
  validateDeliveryPolicyUpdate,
} from "../../api/validation/delivery-policy.ts";
import { kindStrategy } from "./kind-strategy.ts";
import type { Strategy } from "./strategy.ts";

export const deliveryPolicyStrategy: Strategy = kindStrategy<DeliveryPolicy>(
  "driftless.dev/v1",
  "DeliveryPolicy",
  {
    countsGenerations: true,
    setDefaults: setDeliveryPolicyDefaults,
    prepareForCreate: (policy, { nowMs }) => notePause(policy, undefined, nowMs),
    prepareForUpdate: (policy, old, { nowMs }) => notePause(policy, old, nowMs),
    validate: validateDeliveryPolicy,
    validateUpdate: validateDeliveryPolicyUpdate,
    validateStatusUpdate: validateDeliveryPolicyStatusUpdate,
    warnings: ({ spec }) =>
      [...notCarriedOut]
        .filter(([, isAsked]) => isAsked(spec))
        .map(([field]) => `spec.${field}: not carried out yet; it is stored and has no effect`),
  },
);

/** `rollback` has a default, and goes with the others. */
const notCarriedOut: ReadonlyMap<string, (spec: DeliveryPolicySpec) => boolean> = new Map([
  ["changeSet", ({ changeSet = "" }) => changeSet !== ""],
  ["rollout.steps", ({ rollout }) => (rollout?.steps ?? []).length > 0],
  ["health", ({ health }) => health !== undefined],
  ["rollback", ({ rollback }) => rollback === "Manual"],
  ["confirm", ({ confirm }) => confirm !== undefined],
  ["reload", ({ reload }) => (reload ?? []).length > 0],
]);

/** A pause is noted when it begins, and the note is the server's: what pods may have is what was there at that moment. */
function notePause(policy: DeliveryPolicy, old: DeliveryPolicy | undefined, nowMs: number): void {
  const { [PAUSED_AT]: _, ...others } = policy.metadata.annotations ?? {};
  const isPaused = policy.spec.rollout?.paused === true;
  const since =
    old?.spec.rollout?.paused === true ? old.metadata.annotations?.[PAUSED_AT] : undefined;
  const note = { [PAUSED_AT]: since ?? new Date(nowMs).toISOString() };
  const annotations = isPaused ? { ...others, ...note } : others;
  if (Object.keys(annotations).length > 0) policy.metadata.annotations = annotations;
  else delete policy.metadata.annotations;
}
