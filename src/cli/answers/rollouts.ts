// Workloads that are about to replace their pods: while one is not through, some of those who will use an object are not there yet. Pure.

import { podUses } from "../../api/config/pod-uses.ts";
import type { ConfigReference, Workload } from "./picture.ts";

export interface Rollout {
  /** "deployment/api" */
  readonly workload: string;
  readonly namespace: string;
  readonly objects: readonly ConfigReference[];
  /** "1 of 3 pods are of the new template" */
  readonly message: string;
}

/** A paused one goes nowhere: only its pods count. */
export function rolloutsIn(workloads: readonly Workload[]): readonly Rollout[] {
  return workloads.flatMap((workload) => {
    const message = workload.spec.paused === true ? undefined : progressOf(workload);
    if (message === undefined) return [];
    const { namespace = "", name = "" } = workload.metadata;
    const objects = objectsUsedBy(workload);
    return { workload: `${workload.kind.toLowerCase()}/${name}`, namespace, objects, message };
  });
}

function objectsUsedBy({ metadata, spec }: Workload): readonly ConfigReference[] {
  const { namespace = "" } = metadata;
  const podSpec = spec.template.spec;
  if (podSpec === undefined) return [];
  const uses = podUses(podSpec).map(
    ({ kind, name }) => [`${kind}/${name}`, { kind, namespace, name }] as const,
  );
  return [...new Map(uses).values()];
}

/** Undefined: it is through. */
function progressOf(workload: Workload): string | undefined {
  const { metadata, status = {} } = workload;
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    return "its rollout has not begun yet";
  }
  const { wanted, there, updated } = countsOf(workload);
  if (there < wanted) return `${there} of ${wanted} pods are there`;
  if (!replacesByItself(workload)) return undefined;
  if (updated < wanted) return `${updated} of ${wanted} pods are of the new template`;
  return there > updated ? `${there - updated} of the old pods are still there` : undefined;
}

function countsOf({ kind, spec, status = {} }: Workload): {
  readonly wanted: number;
  readonly there: number;
  readonly updated: number;
} {
  if (kind === "DaemonSet") {
    return {
      wanted: status.desiredNumberScheduled ?? 0,
      there: status.currentNumberScheduled ?? 0,
      updated: status.updatedNumberScheduled ?? 0,
    };
  }
  const { replicas = 0, updatedReplicas = 0 } = status;
  return { wanted: spec.replicas ?? 1, there: replicas, updated: updatedReplicas };
}

/** Others leave old pods as they are until somebody deletes them, or up to a partition. */
function replacesByItself({ kind, spec }: Workload): boolean {
  return (
    kind === "Deployment" || (kind === "DaemonSet" && spec.updateStrategy?.type !== "OnDelete")
  );
}
