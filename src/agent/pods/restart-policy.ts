// Whether a container that has ended is started again.

import type { Container, ContainerRestartRule, Pod } from "../../api/types.ts";

export function shouldRestart({ spec }: Pod, container: Container, exitCode: number): boolean {
  const { restartPolicy, restartPolicyRules } = container;
  if (restartPolicy === undefined || restartPolicy === "") {
    return followsPolicy(spec.restartPolicy, exitCode);
  }
  const rule = (restartPolicyRules ?? []).find((one) => fits(one, exitCode));
  return rule?.action === "Restart" || followsPolicy(restartPolicy, exitCode);
}

function followsPolicy(policy: string | undefined, exitCode: number): boolean {
  if (policy === "Never") return false;
  return policy !== "OnFailure" || exitCode !== 0;
}

function fits({ exitCodes }: ContainerRestartRule, exitCode: number): boolean {
  if (exitCodes === undefined) return false;
  const isListed = (exitCodes.values ?? []).includes(exitCode);
  return exitCodes.operator === "In" ? isListed : exitCodes.operator === "NotIn" && !isListed;
}

/** Whether one that is stopped because a probe failed is started again: rules about exit codes do not count. */
export function restartsAfterFailure({ spec }: Pod, { restartPolicy }: Container): boolean {
  return (restartPolicy || spec.restartPolicy) !== "Never";
}

/** An init container that goes on beside the others. */
export function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === "Always";
}
