// Pods of a Job that may already run have to stay as they are. Before they run, or while the Job is suspended and has
// none, where they are scheduled and what they ask for may still change.

import type { Job, PodSpec, PodTemplateSpec } from "../types.ts";
import { type FieldError, invalid } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { internalForm } from "./internal-form.ts";
import { semanticEqual } from "./semantic-equal.ts";
import { shownTemplate } from "./shown-workload.ts";

type Containers = PodSpec["containers"];

export function validateJobTemplateUpdate(job: Job, old: Job, path: FieldPath): FieldError[] {
  const { template } = job.spec;
  const before = old.spec.template;
  if (!mayChange(old)) {
    if (semanticEqual(template, before)) return [];
    return [invalid(path, shownTemplate(template), "field is immutable")];
  }
  const allowed = withResources(withScheduling(before, template).spec, template.spec);
  if (semanticEqual(template.spec, allowed)) return [];
  return [
    invalid(path.child("spec"), internalForm("PodSpec", template.spec), "field is immutable"),
  ];
}

function mayChange({ spec, status }: Job): boolean {
  const suspended = (status.conditions ?? []).some(
    (condition) => condition.type === "Suspended" && condition.status === "True",
  );
  const started = status.startTime !== undefined && !suspended;
  return spec.suspend === true && !started && (status.active ?? 0) === 0;
}

function withScheduling(old: PodTemplateSpec, template: PodTemplateSpec): PodTemplateSpec {
  if (old.spec === undefined || template.spec === undefined) return old;
  const { nodeSelector, tolerations, schedulingGates } = template.spec;
  const {
    nodeSelector: _nodeSelector,
    tolerations: _tolerations,
    schedulingGates: _schedulingGates,
    affinity: _affinity,
    ...others
  } = old.spec;
  const affinity = withNodeAffinity(old.spec.affinity, template.spec.affinity);
  return {
    ...old,
    spec: {
      ...others,
      ...(nodeSelector !== undefined && { nodeSelector }),
      ...(tolerations !== undefined && { tolerations }),
      ...(schedulingGates !== undefined && { schedulingGates }),
      ...(affinity !== undefined && { affinity }),
    },
  };
}

function withNodeAffinity(
  old: PodSpec["affinity"],
  affinity: PodSpec["affinity"],
): PodSpec["affinity"] {
  const { nodeAffinity: _nodeAffinity, ...others } = old ?? {};
  if (affinity === undefined) return Object.keys(others).length > 0 ? others : undefined;
  const { nodeAffinity } = affinity;
  return { ...others, ...(nodeAffinity !== undefined && { nodeAffinity }) };
}

function withResources(old: PodSpec | undefined, spec: PodSpec | undefined): PodSpec | undefined {
  if (old === undefined || spec === undefined) return old;
  return {
    ...old,
    ...(old.containers !== undefined && {
      containers: resourcesOf(old.containers, spec.containers),
    }),
    ...(old.initContainers !== undefined && {
      initContainers: resourcesOf(old.initContainers, spec.initContainers ?? null),
    }),
  };
}

function resourcesOf<T extends Containers>(old: T, containers: Containers): T {
  if (!old || old.length !== containers?.length) return old;
  return old.map((container, i) => {
    const now = containers[i];
    return now?.name === container.name ? { ...container, resources: now.resources } : container;
  }) as T;
}
