// Questions to the authorizer: what they have to say so that there is an answer.

import type {
  FieldSelectorRequirement,
  LabelSelectorRequirement,
  LocalSubjectAccessReview,
  ObjectMeta,
  ResourceAttributes,
  SelfSubjectAccessReview,
  SelfSubjectAccessReviewSpec,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
} from "../types.ts";
import { type FieldError, forbidden, invalid, required } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { validateLabelName } from "./labels.ts";
import { labelValue } from "./names.ts";

const specPath = FieldPath.of("spec");
const resourcePath = FieldPath.of("spec", "resourceAttributes");
const metadataPath = FieldPath.of("metadata");

export function validateSubjectAccessReview(review: SubjectAccessReview): FieldError[] {
  return [
    ...validateSubjectSpec(review.spec),
    ...validateEmptyMetadata(review.metadata, "must be empty"),
  ];
}

export function validateSelfSubjectAccessReview(review: SelfSubjectAccessReview): FieldError[] {
  return [
    ...validateOneQuestion(review.spec),
    ...validateResource(review.spec.resourceAttributes),
    ...validateEmptyMetadata(review.metadata, "must be empty"),
  ];
}

export function validateLocalSubjectAccessReview(review: LocalSubjectAccessReview): FieldError[] {
  const { spec, metadata } = review;
  const { namespace = "", ...others } = metadata ?? {};
  const errors = [
    ...validateSubjectSpec(spec),
    ...validateEmptyMetadata(others, "must be empty except for namespace"),
  ];
  const asked = spec.resourceAttributes?.namespace ?? "";
  if (spec.resourceAttributes !== undefined && asked !== namespace) {
    errors.push(invalid(resourcePath.child("namespace"), asked, "must match metadata.namespace"));
  }
  if (spec.nonResourceAttributes !== undefined) {
    const { path = "", verb = "" } = spec.nonResourceAttributes;
    const shown = { Path: path, Verb: verb };
    const text = "disallowed on this kind of request";
    errors.push(invalid(specPath.child("nonResourceAttributes"), shown, text));
  }
  return errors;
}

function validateSubjectSpec(spec: SubjectAccessReviewSpec): FieldError[] {
  const errors = validateOneQuestion(spec);
  const { user = "", groups } = spec;
  if (user === "" && (groups ?? []).length === 0) {
    const text = "at least one of user or group must be specified";
    errors.push(invalid(specPath.child("user"), user, text));
  }
  return [...errors, ...validateResource(spec.resourceAttributes)];
}

function validateOneQuestion(spec: SelfSubjectAccessReviewSpec): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if ((resourceAttributes === undefined) !== (nonResourceAttributes === undefined)) return [];
  const text = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  const shown =
    nonResourceAttributes === undefined
      ? null
      : { Path: nonResourceAttributes.path ?? "", Verb: nonResourceAttributes.verb ?? "" };
  return [invalid(specPath, shown, text)];
}

function validateEmptyMetadata(metadata: ObjectMeta | undefined, text: string): FieldError[] {
  const { managedFields: _managedFields, ...others } = metadata ?? {};
  const used = Object.values(others).some((value) => value !== undefined && value !== null);
  return used ? [invalid(metadataPath, metadata, text)] : [];
}

function validateResource(attributes: ResourceAttributes | undefined): FieldError[] {
  if (attributes === undefined) return [];
  return [
    ...validateSelector(
      attributes.fieldSelector,
      resourcePath.child("fieldSelector"),
      validateFieldRequirement,
    ),
    ...validateSelector(
      attributes.labelSelector,
      resourcePath.child("labelSelector"),
      validateLabelRequirement,
    ),
  ];
}

function validateSelector<R>(
  selector:
    | {
        readonly rawSelector?: string | undefined;
        readonly requirements?: readonly R[] | null | undefined;
      }
    | undefined,
  path: FieldPath,
  validate: (requirement: R, path: FieldPath) => FieldError[],
): FieldError[] {
  if (selector === undefined) return [];
  const { rawSelector = "" } = selector;
  const requirements = selector.requirements ?? [];
  const errors: FieldError[] = [];
  if (rawSelector !== "" && requirements.length > 0) {
    const text = "may not specified at the same time as requirements";
    errors.push(invalid(path.child("rawSelector"), rawSelector, text));
  }
  if (rawSelector === "" && requirements.length === 0) {
    const text = `when ${path.toString()} is specified, requirements or rawSelector is required`;
    errors.push(required(path.child("requirements"), text));
  }
  return [
    ...errors,
    ...requirements.flatMap((requirement, i) =>
      validate(requirement, path.child("requirements").index(i)),
    ),
  ];
}

function validateFieldRequirement(
  requirement: FieldSelectorRequirement,
  path: FieldPath,
): FieldError[] {
  const errors =
    (requirement.key ?? "") === "" ? [required(path.child("key"), "must be specified")] : [];
  return [...errors, ...validateValues(requirement, path)];
}

function validateLabelRequirement(
  requirement: LabelSelectorRequirement,
  path: FieldPath,
): FieldError[] {
  return [
    ...validateValues(requirement, path),
    ...validateLabelName(requirement.key ?? "", path.child("key")),
    ...(requirement.values ?? []).flatMap((value, i) =>
      labelValue(value).map((text) => invalid(path.child("values").index(i), value, text)),
    ),
  ];
}

/** Operators that are not known here pass: a newer client may mean something by them. */
function validateValues(
  { operator, values }: FieldSelectorRequirement | LabelSelectorRequirement,
  path: FieldPath,
): FieldError[] {
  const count = (values ?? []).length;
  const at = path.child("values");
  if ((operator === "In" || operator === "NotIn") && count === 0) {
    return [required(at, "must be specified when `operator` is 'In' or 'NotIn'")];
  }
  if ((operator === "Exists" || operator === "DoesNotExist") && count > 0) {
    return [forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
  }
  return [];
}
