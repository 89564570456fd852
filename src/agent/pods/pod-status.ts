// The status of a pod, as a pure function of what is known. A pod that is over stays over, whatever its containers look like.

import { apiTime } from "../../api/api-time.ts";
import { qosClassOf } from "../../api/defaults/pod-qos.ts";
import type { Pod, PodStatus } from "../../api/types.ts";
import {
  type ContainerFacts,
  ephemeralContainerStatuses,
  initContainerStatuses,
  regularContainerStatuses,
} from "./container-statuses.ts";
import { type Statuses, withLost } from "./lost-containers.ts";
import { isOver } from "./pod-actions.ts";
import { podConditions } from "./pod-conditions.ts";
import { running } from "./pod-containers.ts";
import { type Phase, podPhase } from "./pod-phase.ts";

/** Why a pod was ended or refused, whatever its containers did. */
export interface Verdict {
  readonly reason: string;
  readonly message: string;
}

export interface StatusFacts extends ContainerFacts {
  /** What was said before: by this agent, or else what the server has. */
  readonly before: PodStatus;
  /** Nothing will be started any more, and nothing runs. */
  readonly isTerminal: boolean;
  /** Counts once the pod is terminal: before that its containers may still run. */
  readonly verdict: Verdict | undefined;
  readonly hasSandbox: boolean;
  /** Of the node, which pods share. */
  readonly addresses: readonly string[];
  readonly nowMs: number;
}

export function podStatus(facts: StatusFacts): PodStatus {
  const { pod, before, addresses, nowMs } = facts;
  const { initStatuses, statuses } = statusesOf(facts);
  const ephemeral = ephemeralContainerStatuses(facts, before.ephemeralContainerStatuses ?? []);
  const phase = phaseOf(facts, podPhase({ ...facts, initStatuses, statuses }));
  const why = whyOf(facts, phase);
  const { generation } = pod.metadata;
  const [ip] = addresses;
  const ips = addresses.map((one) => ({ ip: one }));
  return {
    ...(generation !== undefined && { observedGeneration: generation }),
    phase,
    conditions: podConditions({ ...facts, phase, initStatuses, statuses }, before.conditions ?? []),
    ...(why.message !== "" && { message: why.message }),
    ...(why.reason !== "" && { reason: why.reason }),
    ...(ip !== undefined && { hostIP: ip, hostIPs: ips, podIP: ip, podIPs: ips }),
    startTime: before.startTime ?? apiTime(nowMs),
    ...(initStatuses.length > 0 && { initContainerStatuses: [...initStatuses] }),
    containerStatuses: [...statuses],
    ...(ephemeral.length > 0 && { ephemeralContainerStatuses: ephemeral }),
    qosClass: pod.status.qosClass ?? qosClassOf(pod.spec),
  };
}

function statusesOf(facts: StatusFacts): Statuses {
  const { pod, before, isTerminal } = facts;
  const seen = {
    initStatuses: initContainerStatuses(facts, before.initContainerStatuses ?? []),
    statuses: regularContainerStatuses(facts, before.containerStatuses ?? []),
  };
  return isTerminal ? withLost(pod, seen) : seen;
}

/** Of a pod that this node does not take. Nothing of it was ever there. */
export function rejectedStatus({ spec, status }: Pod, { reason, message }: Verdict): PodStatus {
  return {
    phase: "Failed",
    message: `Pod was rejected: ${message}`,
    reason,
    qosClass: status.qosClass ?? qosClassOf(spec),
  };
}

function phaseOf(facts: StatusFacts, computed: Phase): Phase {
  const { pod, before, containers, verdict, isTerminal } = facts;
  for (const { phase } of [pod.status, before]) {
    if (isOver(phase)) return phase as Phase;
  }
  if (verdict !== undefined && isTerminal) return "Failed";
  // Who hears that a pod is over gives away what it had: not while anything of it runs, a sidecar or one for debugging.
  const isTooEarly = isOver(computed) && running(containers).length > 0;
  return isTooEarly ? ((before.phase || "Pending") as Phase) : computed;
}

function whyOf({ pod, before, verdict, isTerminal }: StatusFacts, phase: Phase): Verdict {
  const isNew = !isOver(before.phase);
  if (verdict !== undefined && isTerminal && isNew) return verdict;
  if (before.phase !== phase) return { reason: "", message: "" };
  return {
    reason: before.reason ?? pod.status.reason ?? "",
    message: before.message ?? pod.status.message ?? "",
  };
}
