// What a StatefulSet may look like, and what an update may not change.

import type {
  PodTemplateSpec,
  StatefulSet,
  StatefulSetSpec,
  StatefulSetStatus,
  StatefulSetUpdateStrategy,
} from "../types.ts";
import {
  type Share,
  validateCollisionCount,
  validateNonNegative,
  validateShares,
} from "./counts.ts";
import { type FieldError, invalid, notSupported, required } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import {
  intOrPercentNumber,
  validateNotMoreThan100Percent,
  validatePositiveIntOrPercent,
} from "./int-or-percent.ts";
import { labelMatcher } from "./label-selector.ts";
import { validateAnnotations, validateLabels } from "./labels.ts";
import { dns1123Label, nameIsDnsLabel } from "./names.ts";
import { nonNegative, validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { validateClaimSpec } from "./persistent-volume-claim.ts";
import { validatePodTemplateSpec } from "./pod-template.ts";
import {
  validateMatch,
  validateRequiredSelector,
  validateRunsForever,
} from "./selected-template.ts";
import { immutableField, semanticEqual } from "./semantic-equal.ts";
import { shownClaims } from "./shown-workload.ts";

interface Tolerance {
  /** The template before an update. */
  readonly old?: PodTemplateSpec;
  /** What cannot be changed any more is not judged again. */
  readonly immutableFields: boolean;
  /** A template that was already wrong may stay. */
  readonly template: boolean;
}

const specPath = FieldPath.of("spec");
const statusPath = FieldPath.of("status");
const retentionPolicies = ["Retain", "Delete"];

const shares: readonly Share<StatefulSetStatus>[] = [
  { field: "readyReplicas", of: "replicas", told: "status.replicas" },
  { field: "currentReplicas", of: "replicas", told: "status.replicas" },
  { field: "updatedReplicas", of: "replicas", told: "status.replicas" },
  { field: "availableReplicas", of: "replicas", told: "status.replicas" },
  { field: "availableReplicas", of: "readyReplicas", told: "status.readyReplicas" },
];

export function validateStatefulSet(statefulSet: StatefulSet): FieldError[] {
  return [
    ...validateObjectMeta(statefulSet.metadata, { namespaced: true, name: nameIsDnsLabel }),
    ...validateSpec(statefulSet.spec, { immutableFields: false, template: false }),
  ];
}

export function validateStatefulSetUpdate(
  statefulSet: StatefulSet,
  old: StatefulSet,
): FieldError[] {
  const template = validateSpec(old.spec, { immutableFields: true, template: false }).length > 0;
  return [
    ...validateObjectMetaUpdate(statefulSet.metadata, old.metadata),
    ...validateSpec(statefulSet.spec, { immutableFields: true, template, old: old.spec.template }),
    ...validateFixed(statefulSet.spec, old.spec),
  ];
}

function validateFixed(spec: StatefulSetSpec, old: StatefulSetSpec): FieldError[] {
  const claims = specPath.child("volumeClaimTemplates");
  return [
    ...immutableField(spec.selector, old.selector, specPath.child("selector")),
    ...(semanticEqual(spec.volumeClaimTemplates, old.volumeClaimTemplates)
      ? []
      : [invalid(claims, shownClaims(spec.volumeClaimTemplates), "field is immutable")]),
    ...immutableField(spec.serviceName, old.serviceName, specPath.child("serviceName")),
    ...immutableField(
      spec.podManagementPolicy,
      old.podManagementPolicy,
      specPath.child("podManagementPolicy"),
    ),
  ];
}

export function validateStatefulSetStatusUpdate(
  statefulSet: StatefulSet,
  old: StatefulSet,
): FieldError[] {
  const { status } = statefulSet;
  return [
    ...validateNonNegative(
      status,
      [
        "replicas",
        "readyReplicas",
        "currentReplicas",
        "updatedReplicas",
        "availableReplicas",
        "observedGeneration",
        "collisionCount",
      ],
      statusPath,
    ),
    ...validateShares(status, shares, statusPath),
    ...validateObjectMetaUpdate(statefulSet.metadata, old.metadata),
    ...validateCollisionCount(
      status.collisionCount,
      old.status.collisionCount,
      statusPath.child("collisionCount"),
    ),
  ];
}

function validateSpec(spec: StatefulSetSpec, tolerance: Tolerance): FieldError[] {
  const { selector } = spec;
  return [
    ...validatePodManagementPolicy(spec.podManagementPolicy ?? ""),
    ...validateUpdateStrategy(spec.updateStrategy ?? {}, specPath.child("updateStrategy")),
    ...validateRetention(spec),
    ...(tolerance.immutableFields ? [] : validateClaimTemplates(spec)),
    ...validateNonNegative(spec, ["replicas", "minReadySeconds"], specPath),
    ...nonNegative(spec.ordinals?.start ?? 0, specPath.child("ordinals", "start")),
    ...(tolerance.immutableFields ? [] : validateServiceName(spec.serviceName ?? "")),
    ...validateRequiredSelector(selector, "statefulset", specPath.child("selector")),
    ...validateTemplate(spec, tolerance),
    ...validateRunsForever(spec.template, "StatefulSet", specPath.child("template")),
  ];
}

function validatePodManagementPolicy(policy: string): FieldError[] {
  const path = specPath.child("podManagementPolicy");
  if (policy === "") return [required(path)];
  if (policy === "OrderedReady" || policy === "Parallel") return [];
  return [invalid(path, policy, "must be 'OrderedReady' or 'Parallel'")];
}

function validateUpdateStrategy(
  { type = "", rollingUpdate }: StatefulSetUpdateStrategy,
  path: FieldPath,
): FieldError[] {
  const shown =
    rollingUpdate === undefined
      ? null
      : {
          Partition: rollingUpdate.partition ?? 0,
          MaxUnavailable: rollingUpdate.maxUnavailable ?? null,
        };
  const at = path.child("rollingUpdate");
  switch (type) {
    case "":
      return [required(path)];
    case "OnDelete":
      if (shown === null) return [];
      return [invalid(at, shown, "only allowed for updateStrategy 'RollingUpdate'")];
    case "RollingUpdate":
      return validateRollingUpdate(rollingUpdate ?? {}, at);
    default: {
      const text = "must be 'RollingUpdate' or 'OnDelete'";
      return [invalid(path, { Type: type, RollingUpdate: shown }, text)];
    }
  }
}

function validateRollingUpdate(
  { partition = 0, maxUnavailable }: NonNullable<StatefulSetUpdateStrategy["rollingUpdate"]>,
  path: FieldPath,
): FieldError[] {
  const errors = nonNegative(partition, path.child("partition"));
  if (maxUnavailable === undefined) return errors;
  const at = path.child("maxUnavailable");
  errors.push(...validatePositiveIntOrPercent(maxUnavailable, at));
  if (intOrPercentNumber(maxUnavailable) === 0) {
    errors.push(invalid(at, maxUnavailable, "cannot be 0"));
  }
  return [...errors, ...validateNotMoreThan100Percent(maxUnavailable, at)];
}

function validateRetention({
  persistentVolumeClaimRetentionPolicy: policy,
}: StatefulSetSpec): FieldError[] {
  if (policy === undefined) return [];
  const path = specPath.child("persistentVolumeClaimRetentionPolicy");
  return (["whenDeleted", "whenScaled"] as const)
    .filter((field) => !retentionPolicies.includes(policy[field] ?? ""))
    .map((field) => notSupported(path.child(field), policy[field] ?? "", retentionPolicies));
}

function validateClaimTemplates(spec: StatefulSetSpec): FieldError[] {
  const path = specPath.child("volumeClaimTemplates");
  return (spec.volumeClaimTemplates ?? []).flatMap((claim, i) =>
    validateClaimSpec(claim.spec, path.index(i).child("spec")),
  );
}

function validateServiceName(name: string): FieldError[] {
  if (name === "") return [];
  return dns1123Label(name).map((text) => invalid(specPath.child("serviceName"), name, text));
}

function validateTemplate(spec: StatefulSetSpec, tolerance: Tolerance): FieldError[] {
  const matcher = labelMatcher(spec.selector);
  if (matcher === undefined) return [invalid(specPath.child("selector"), spec.selector, "")];
  const path = specPath.child("template");
  const template = templateWithClaims(spec);
  return [
    ...validateMatch(matcher, template, path),
    ...(tolerance.template ? [] : validatePodTemplateSpec(template, path, tolerance.old)),
    ...validateLabels(template.metadata?.labels, path.child("labels")),
    ...validateAnnotations(template.metadata?.annotations, path.child("annotations")),
  ];
}

/** As the pods will be: host name and subdomain are set by the controller, and claims become volumes. */
function templateWithClaims({ template, volumeClaimTemplates }: StatefulSetSpec): PodTemplateSpec {
  const names = new Set((volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name ?? ""));
  const { hostname: _hostname, subdomain: _subdomain, ...spec } = template.spec ?? {};
  const others = (spec.volumes ?? []).filter(({ name }) => !names.has(name));
  const claimed = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  if (template.spec === undefined) return template;
  return {
    ...template,
    spec: { ...template.spec, ...spec, volumes: [...claimed, ...others] },
  };
}
