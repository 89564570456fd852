// Why a pod has to wait, and the texts of what is held back. Names and paths, never a value.

import type { Refusal } from "../../checks/check-protocol.ts";
import type { ObjectReference } from "../objects/config-object.ts";

/** New content is held back, and there is no earlier one to start with. */
export class GateError extends Error {
  override readonly name = "GateError";

  constructor({ kind, namespace, name }: ObjectReference, why: string) {
    super(
      `content of ${kind.toLowerCase()} ${namespace}/${name} is held back and there is no earlier one to start with: ${why}`,
    );
  }
}

export function refusalText({ policy, check, key, kind, detail }: Refusal): string {
  const where = key === "" ? "" : `, key ${key}`;
  const what = kind === "Unusable" ? `the schema cannot be used: ${detail}` : detail;
  const fix = kind === "Unusable" ? "fix the policy" : "fix the content or the policy";
  return `refused by DeliveryPolicy ${policy}, check ${check}${where}: ${what}; ${fix}`;
}

export function pauseText(policy: string): string {
  return `DeliveryPolicy ${policy} is paused: new content goes out when its spec.rollout.paused is false`;
}
