// What an update may do to a pod: little. Images, deadlines, added tolerations and removed gates may change; a pod that
// is not scheduled yet may also say more exactly where it can run. Everything else is shown as a difference.

import type { JsonValue } from "../json.ts";
import type {
  Container,
  EphemeralContainer,
  NodeAffinity,
  NodeSelectorTerm,
  Pod,
  PodSpec,
} from "../types.ts";
import { isAbsent, list, text } from "./absent.ts";
import { type FieldError, forbidden, invalid, invalids, required } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { goQuote } from "./go-text.ts";
import { internalForm } from "./internal-form.ts";
import { inRange } from "./names.ts";
import { validateObjectMetaUpdate } from "./object-meta.ts";
import { validatePodParts } from "./pod.ts";
import {
  isMirrorPod,
  validatePodAnnotations,
  validatePodAnnotationUpdate,
} from "./pod-annotations.ts";
import { type Leniency, leniencyFor } from "./pod-leniency.ts";
import { semanticEqual } from "./semantic-equal.ts";
import { validateAddedTolerations } from "./tolerations.ts";
import { unifiedDiff } from "./unified-diff.ts";

const specPath = FieldPath.of("spec");
const annotationsPath = FieldPath.of("metadata", "annotations");
const requiredName = "requiredDuringSchedulingIgnoredDuringExecution";
const updatable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",");

export function validatePodUpdate(pod: Pod, old: Pod): FieldError[] {
  const errors = validateChangedPod(pod, old);
  for (const kind of ["containers", "initContainers"] as const) {
    const path = specPath.child(kind);
    if (list(pod.spec[kind]).length !== list(old.spec[kind]).length) {
      return [...errors, forbidden(path, "pod updates may not add or remove containers")];
    }
    errors.push(...validateImages(list(pod.spec[kind]), path));
  }
  const deadline = validateDeadline(pod.spec, old.spec);
  errors.push(...deadline.errors);
  if (deadline.isFatal) return errors;
  errors.push(
    ...validateAddedTolerations(
      pod.spec.tolerations,
      old.spec.tolerations,
      specPath.child("tolerations"),
    ),
    ...validateRemovedGates(pod.spec, old.spec),
  );
  return semanticEqual(pod.spec, old.spec)
    ? errors
    : [...errors, ...validateFixedFields(pod.spec, old.spec)];
}

/** Ephemeral containers can be added, through a subresource of their own, and never change. */
export function validateEphemeralContainersUpdate(pod: Pod, old: Pod): FieldError[] {
  if (isMirrorPod(old.metadata.annotations)) {
    const detail = "static pods do not support ephemeral containers";
    return [forbidden(FieldPath.of().key(""), detail)];
  }
  const path = specPath.child("ephemeralContainers");
  const kept = new Map(list(pod.spec.ephemeralContainers).map((item) => [item.name, item]));
  return [
    ...validateChangedPod(pod, old),
    ...list(old.spec.ephemeralContainers).flatMap((before) => {
      const detail = ephemeralProblem(before, kept.get(before.name));
      return detail === undefined ? [] : [forbidden(path, detail)];
    }),
  ];
}

/** For updates of the status too. */
export function validateAnnotationsOfUpdate(pod: Pod, old: Pod): FieldError[] {
  const leniency = podLeniency(old);
  const { annotations } = pod.metadata;
  return [
    ...validatePodAnnotationUpdate(annotations, old.metadata.annotations, annotationsPath),
    ...validatePodAnnotations(annotations, pod.spec, leniency, annotationsPath),
  ];
}

function podLeniency(old: Pod): Leniency {
  return leniencyFor(old.spec, old.metadata.annotations);
}

function validateChangedPod(pod: Pod, old: Pod): FieldError[] {
  return [
    ...validateObjectMetaUpdate(pod.metadata, old.metadata),
    ...validatePodParts(pod, podLeniency(old)),
    ...validateAnnotationsOfUpdate(pod, old),
  ];
}

function validateImages(containers: readonly Container[], path: FieldPath): FieldError[] {
  return containers.flatMap((container, i) => {
    const image = text(container.image);
    const at = path.index(i).child("image");
    if (image === "") return [required(at)];
    if (image.trim() === image) return [];
    return [invalid(at, image, "must not have leading or trailing whitespace")];
  });
}

function validateDeadline(
  { activeDeadlineSeconds: now }: PodSpec,
  { activeDeadlineSeconds: before }: PodSpec,
): { readonly errors: FieldError[]; readonly isFatal: boolean } {
  const path = specPath.child("activeDeadlineSeconds");
  if (isAbsent(now)) {
    const detail = "must not update from a positive integer to nil value";
    return { errors: isAbsent(before) ? [] : [invalid(path, null, detail)], isFatal: false };
  }
  const details = inRange(now, 0, 2 ** 31 - 1);
  if (details.length > 0) return { errors: invalids(path, now, details), isFatal: true };
  if (isAbsent(before) || before >= now) return { errors: [], isFatal: false };
  const detail = "must be less than or equal to previous value";
  return { errors: [invalid(path, now, detail)], isFatal: true };
}

function validateRemovedGates(spec: PodSpec, old: PodSpec): FieldError[] {
  const known = new Set(list(old.schedulingGates).map(({ name }) => name));
  return list(spec.schedulingGates).flatMap(({ name }, i) => {
    if (known.has(name)) return [];
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return [forbidden(specPath.child("schedulingGates").index(i).child("name"), detail)];
  });
}

function validateFixedFields(spec: PodSpec, old: PodSpec): FieldError[] {
  const isGated = list(old.schedulingGates).length > 0;
  const errors = isGated ? validateNarrowing(spec, old) : [];
  const fixed = withOldValues(spec, old, isGated);
  if (semanticEqual(fixed, old)) return errors;
  const detail = `pod updates may not change fields other than ${updatable}\n${difference("PodSpec", old, fixed)}`;
  return [...errors, forbidden(specPath, detail)];
}

/** The new spec with everything taken back that may change. */
function withOldValues(spec: PodSpec, old: PodSpec, isGated: boolean): PodSpec {
  const isRepaired =
    (old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1;
  return {
    ...spec,
    containers: withOldImages(list(spec.containers), list(old.containers)),
    ...(spec.initContainers !== undefined && {
      initContainers: withOldImages(spec.initContainers, list(old.initContainers)),
    }),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    schedulingGates: old.schedulingGates,
    tolerations: old.tolerations,
    ...(isRepaired && { terminationGracePeriodSeconds: old.terminationGracePeriodSeconds }),
    ...(isGated && { nodeSelector: old.nodeSelector, affinity: withOldNodeAffinity(spec, old) }),
  };
}

function withOldImages(containers: readonly Container[], old: readonly Container[]): Container[] {
  return containers.map((container, i) => ({ ...container, image: old[i]?.image }));
}

function withOldNodeAffinity(spec: PodSpec, old: PodSpec): PodSpec["affinity"] {
  const { nodeAffinity: _, ...others } = spec.affinity ?? {};
  const before = old.affinity?.nodeAffinity;
  const hasOthers = Object.values(others).some((value) => !isAbsent(value));
  if (!hasOthers && before === undefined && old.affinity === undefined) return undefined;
  if (spec.affinity === undefined && before === undefined) return undefined;
  return { ...(before !== undefined && { nodeAffinity: before }), ...others };
}

/** A pod that waits may get more conditions on its node, and lose none. */
function validateNarrowing(spec: PodSpec, old: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  const selector = spec.nodeSelector ?? {};
  const isLost = ([key, value]: [string, string]) => selector[key] !== value;
  if (Object.entries(old.nodeSelector ?? {}).some(isLost)) {
    const detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
    errors.push(invalid(specPath.child("nodeSelector"), selector, detail));
  }
  return [
    ...errors,
    ...validateNarrowedTerms(spec.affinity?.nodeAffinity, old.affinity?.nodeAffinity),
  ];
}

function validateNarrowedTerms(
  affinity: NodeAffinity | undefined,
  old: NodeAffinity | undefined,
): FieldError[] {
  const before = list(old?.[requiredName]?.nodeSelectorTerms);
  const terms = list(affinity?.[requiredName]?.nodeSelectorTerms);
  const path = specPath.child("affinity", "nodeAffinity", requiredName, "nodeSelectorTerms");
  if (before.length > 0 && before.length !== terms.length) {
    const shown: JsonValue = terms.length === 0 ? null : terms.map(shownTerm);
    const detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
    return [invalid(path, shown, detail)];
  }
  return before.flatMap((term, i) => {
    const now = terms[i] ?? {};
    if (isNarrower(now, term)) return [];
    const detail = "only additions are allowed (no mutations or deletions)";
    return [invalid(path.index(i), shownTerm(now), detail)];
  });
}

function shownTerm(term: NodeSelectorTerm): JsonValue {
  return internalForm("NodeSelectorTerm", term);
}

function isNarrower(term: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const fields = ["matchExpressions", "matchFields"] as const;
  if (fields.every((name) => list(old[name]).length === 0)) {
    return fields.every((name) => list(term[name]).length === 0);
  }
  return fields.every((name) => {
    const before = list(old[name]);
    return semanticEqual(list(term[name]).slice(0, before.length), [...before]);
  });
}

function ephemeralProblem(
  before: EphemeralContainer,
  now: EphemeralContainer | undefined,
): string | undefined {
  const head = `existing ephemeral containers ${goQuote(before.name)} may not be`;
  if (now === undefined) return `${head} removed\n`;
  if (semanticEqual(before, now)) return undefined;
  return `${head} changed\n${difference("EphemeralContainer", before, now)}`;
}

function difference(type: string, before: object, after: object): string {
  const [a, b] = [before, after].map((value) => JSON.stringify(internalForm(type, value), null, 1));
  return unifiedDiff(a ?? "", b ?? "");
}
