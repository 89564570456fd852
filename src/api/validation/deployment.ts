// What a Deployment may look like, and what an update may not change.

import type { Deployment, DeploymentSpec, DeploymentStatus, DeploymentStrategy } from "../types.ts";
import {
  type Share,
  validateCollisionCount,
  validateNonNegative,
  validateShares,
} from "./counts.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import {
  intOrPercentNumber,
  validateNotMoreThan100Percent,
  validatePositiveIntOrPercent,
} from "./int-or-percent.ts";
import { nameIsDnsSubdomain } from "./names.ts";
import { nonNegative, validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { validateRequiredSelector, validateSelectedTemplate } from "./selected-template.ts";
import { immutableField } from "./semantic-equal.ts";

const specPath = FieldPath.of("spec");
const statusPath = FieldPath.of("status");

const shares: readonly Share<DeploymentStatus>[] = [
  { field: "updatedReplicas", of: "replicas", told: "status.replicas" },
  { field: "readyReplicas", of: "replicas", told: "status.replicas" },
  { field: "availableReplicas", of: "replicas", told: "status.replicas" },
  { field: "availableReplicas", of: "readyReplicas", told: "readyReplicas" },
];

export function validateDeployment(deployment: Deployment): FieldError[] {
  return [
    ...validateObjectMeta(deployment.metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    ...validateSpec(deployment.spec),
  ];
}

export function validateDeploymentUpdate(deployment: Deployment, old: Deployment): FieldError[] {
  return [
    ...validateObjectMetaUpdate(deployment.metadata, old.metadata),
    ...validateSpec(deployment.spec, old.spec),
    ...immutableField(deployment.spec.selector, old.spec.selector, specPath.child("selector")),
  ];
}

export function validateDeploymentStatusUpdate(
  deployment: Deployment,
  old: Deployment,
): FieldError[] {
  const { status } = deployment;
  return [
    ...validateObjectMetaUpdate(deployment.metadata, old.metadata),
    ...validateNonNegative(
      status,
      [
        "observedGeneration",
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "unavailableReplicas",
        "terminatingReplicas",
        "collisionCount",
      ],
      statusPath,
    ),
    ...validateShares(status, shares, statusPath),
    ...validateCollisionCount(
      status.collisionCount,
      old.status.collisionCount,
      statusPath.child("collisionCount"),
    ),
  ];
}

function validateSpec(spec: DeploymentSpec, before?: DeploymentSpec): FieldError[] {
  const { selector, template } = spec;
  const old = before?.template;
  return [
    ...validateNonNegative(spec, ["replicas"], specPath),
    ...validateRequiredSelector(selector, "deployment", specPath.child("selector")),
    ...validateSelectedTemplate({ selector, template, path: specPath, old }, "ReplicaSet"),
    ...validateStrategy(spec.strategy ?? {}, specPath.child("strategy")),
    ...validateNonNegative(spec, ["minReadySeconds", "revisionHistoryLimit"], specPath),
    ...validateProgressDeadline(spec),
  ];
}

function validateProgressDeadline(spec: DeploymentSpec): FieldError[] {
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  if (deadline === undefined) return [];
  const path = specPath.child("progressDeadlineSeconds");
  const errors = nonNegative(deadline, path);
  if (deadline <= minReadySeconds) {
    errors.push(invalid(path, deadline, "must be greater than minReadySeconds"));
  }
  return errors;
}

function validateStrategy(strategy: DeploymentStrategy, path: FieldPath): FieldError[] {
  const { type = "", rollingUpdate } = strategy;
  const at = path.child("rollingUpdate");
  switch (type) {
    case "Recreate":
      if (rollingUpdate === undefined) return [];
      return [forbidden(at, "may not be specified when strategy `type` is 'Recreate'")];
    case "RollingUpdate":
      if (rollingUpdate === undefined) {
        return [required(at, "this should be defaulted and never be nil")];
      }
      return validateRollingUpdate(rollingUpdate, at);
    default:
      // The API shows the whole strategy, in the spelling that it uses inside.
      return [notSupported(path, shownStrategy(strategy), ["Recreate", "RollingUpdate"])];
  }
}

function validateRollingUpdate(
  { maxUnavailable = 0, maxSurge = 0 }: NonNullable<DeploymentStrategy["rollingUpdate"]>,
  path: FieldPath,
): FieldError[] {
  const at = path.child("maxUnavailable");
  const errors = [
    ...validatePositiveIntOrPercent(maxUnavailable, at),
    ...validatePositiveIntOrPercent(maxSurge, path.child("maxSurge")),
  ];
  if (intOrPercentNumber(maxUnavailable) === 0 && intOrPercentNumber(maxSurge) === 0) {
    errors.push(invalid(at, maxUnavailable, "may not be 0 when `maxSurge` is 0"));
  }
  return [...errors, ...validateNotMoreThan100Percent(maxUnavailable, at)];
}

/** Of a DaemonSet too: both have the same two numbers. */
export function shownStrategy({ type = "", rollingUpdate }: DeploymentStrategy): {
  Type: string;
  RollingUpdate: { MaxUnavailable: number | string; MaxSurge: number | string } | null;
} {
  return {
    Type: type,
    RollingUpdate:
      rollingUpdate === undefined
        ? null
        : {
            MaxUnavailable: rollingUpdate.maxUnavailable ?? 0,
            MaxSurge: rollingUpdate.maxSurge ?? 0,
          },
  };
}
