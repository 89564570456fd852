// What a ReplicationController may look like. Numbers come last, as in the API.

import type {
  PodTemplateSpec,
  ReplicationController,
  ReplicationControllerSpec,
} from "../types.ts";
import { validateNonNegative } from "./counts.ts";
import { type FieldError, required } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { labelMatcher } from "./label-selector.ts";
import { nameIsDnsSubdomain } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { validatePodTemplateSpec } from "./pod-template.ts";
import { validateReplicaCounts } from "./replica-set.ts";
import { validateMatch, validateRunsForever } from "./selected-template.ts";

const specPath = FieldPath.of("spec");

export function validateReplicationController(controller: ReplicationController): FieldError[] {
  return [
    ...validateObjectMeta(controller.metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    ...validateSpec(controller.spec),
  ];
}

export function validateReplicationControllerUpdate(
  controller: ReplicationController,
  old: ReplicationController,
): FieldError[] {
  return [
    ...validateObjectMetaUpdate(controller.metadata, old.metadata),
    ...validateSpec(controller.spec, old.spec),
  ];
}

export function validateReplicationControllerStatusUpdate(
  controller: ReplicationController,
  old: ReplicationController,
): FieldError[] {
  return [
    ...validateObjectMetaUpdate(controller.metadata, old.metadata),
    ...validateReplicaCounts(controller.status),
  ];
}

function validateSpec(
  spec: ReplicationControllerSpec,
  old?: ReplicationControllerSpec,
): FieldError[] {
  const { selector, template } = spec;
  const errors =
    Object.keys(selector ?? {}).length === 0 ? [required(specPath.child("selector"))] : [];
  errors.push(
    ...(template === undefined
      ? [required(specPath.child("template"))]
      : validateTemplate(template, selector ?? {}, old?.template)),
  );
  if (spec.replicas === undefined) errors.push(required(specPath.child("replicas")));
  return [...errors, ...validateNonNegative(spec, ["replicas", "minReadySeconds"], specPath)];
}

function validateTemplate(
  template: PodTemplateSpec,
  selector: { readonly [key: string]: string },
  old: PodTemplateSpec | undefined,
): FieldError[] {
  const path = specPath.child("template");
  const matcher = labelMatcher({ matchLabels: selector });
  return [
    ...(matcher === undefined ? [] : validateMatch(matcher, template, path)),
    ...validatePodTemplateSpec(template, path, old),
    ...validateRunsForever(template, "ReplicationController", path),
  ];
}
