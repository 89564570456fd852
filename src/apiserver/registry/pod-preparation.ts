// What is done to a pod before it is judged: tolerations and priority that every pod has, selectors that follow from
// its labels, and the removal of fields for features that are switched off in the original.

import type { AppArmorProfile, LabelSelector, Pod, PodSpec, Toleration } from "../../api/types.ts";
import { entry } from "../../api/validation/absent.ts";
import { FieldPath } from "../../api/validation/field-path.ts";
import { appArmorOf, appArmorPrefix } from "../../api/validation/pod-annotations.ts";
import { validateAppArmor } from "../../api/validation/security-context.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import { visitContainers } from "../../api/validation/visit-containers.ts";

const priorities: { readonly [name: string]: number } = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};
/** How long a pod stays bound to a node that is gone. */
const evictionSeconds = 300;
const requiredName = "requiredDuringSchedulingIgnoredDuringExecution";
const preferredName = "preferredDuringSchedulingIgnoredDuringExecution";
const nowhere = FieldPath.of();

/** Changes the pod: what the original's default admission plugins add. */
export function admitPod({ spec }: Pod): void {
  for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
    if ((spec.tolerations ?? []).some((toleration) => covers(toleration, key))) continue;
    const toleration = {
      key,
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: evictionSeconds,
    };
    spec.tolerations = [...(spec.tolerations ?? []), toleration];
  }
  spec.priority ??= entry(priorities, spec.priorityClassName ?? "") ?? 0;
  spec.preemptionPolicy ??= "PreemptLowerPriority";
}

/** Changes the pod: selectors also ask for the pod's own values of the named labels. */
export function setLabelKeySelectors({ metadata, spec }: Pod): void {
  const labels = metadata.labels ?? {};
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const terms = [podAffinity, podAntiAffinity].flatMap((group) => [
    ...(group?.[requiredName] ?? []),
    ...(group?.[preferredName] ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  for (const term of terms) {
    addKeys(term.labelSelector, { keys: term.matchLabelKeys, operator: "In", labels });
    addKeys(term.labelSelector, { keys: term.mismatchLabelKeys, operator: "NotIn", labels });
  }
  for (const { labelSelector, matchLabelKeys } of spec.topologySpreadConstraints ?? []) {
    addKeys(labelSelector, { keys: matchLabelKeys, operator: "In", labels });
  }
}

/** Changes the pod: profiles that are given by annotations get the fields that replaced those. */
export function setAppArmorFields(pod: Pod): void {
  for (const { profile, container } of annotatedProfiles(pod)) {
    const ofPod = pod.spec.securityContext?.appArmorProfile;
    if (profile === undefined || semanticEqual(profile, ofPod)) continue;
    container.securityContext = { ...container.securityContext, appArmorProfile: profile };
  }
}

export function appArmorWarnings(pod: Pod): string[] {
  const ofPod = pod.spec.securityContext?.appArmorProfile;
  return annotatedProfiles(pod, { alsoSet: true })
    .filter(({ profile }) => !semanticEqual(profile, ofPod) || profile === undefined)
    .map(({ key }) =>
      FieldPath.of("metadata", "annotations")
        .key(key)
        .says('deprecated since v1.30; use the "appArmorProfile" field instead'),
    );
}

/** Changes the pod: fields of features that are off are lost, unless the pod had them before. */
export function dropDisabledFields(pod: Pod, old: Pod | undefined): void {
  const { spec } = pod;
  if (old?.spec.schedulingGroup === undefined) delete spec.schedulingGroup;
  if (old?.spec.evictionResponders === undefined) delete spec.evictionResponders;
  if (!uses(old, usesStopSignal)) {
    for (const { container } of visitContainers(spec, nowhere)) {
      delete container.lifecycle?.stopSignal;
    }
  }
  for (const { emptyDir } of spec.volumes ?? []) {
    if (!uses(old, usesDirectoryMode)) delete emptyDir?.mode;
  }
}

function uses(pod: Pod | undefined, test: (spec: PodSpec) => boolean): boolean {
  return pod !== undefined && test(pod.spec);
}

function usesStopSignal(spec: PodSpec): boolean {
  return visitContainers(spec, nowhere).some(
    ({ container }) => container.lifecycle?.stopSignal !== undefined,
  );
}

function usesDirectoryMode(spec: PodSpec): boolean {
  return (spec.volumes ?? []).some(({ emptyDir }) => emptyDir?.mode !== undefined);
}

function covers({ key = "", effect = "" }: Toleration, taint: string): boolean {
  return (key === taint || key === "") && (effect === "NoExecute" || effect === "");
}

interface AddedKeys {
  readonly keys: readonly string[] | undefined;
  readonly operator: "In" | "NotIn";
  readonly labels: { readonly [key: string]: string };
}

function addKeys(
  selector: LabelSelector | undefined,
  { keys = [], operator, labels }: AddedKeys,
): void {
  if (selector === undefined) return;
  for (const key of keys) {
    const value = entry(labels, key);
    if (value === undefined) continue;
    const requirement = { key, operator, values: [value] };
    const known = selector.matchExpressions ?? [];
    // A create that is tried again under another name has them already.
    if (known.some((other) => semanticEqual(other, requirement))) continue;
    selector.matchExpressions = [...known, requirement];
  }
}

interface AnnotatedProfile {
  readonly key: string;
  readonly container: ReturnType<typeof visitContainers>[number]["container"];
  /** Undefined if the annotation stands for none. */
  readonly profile: AppArmorProfile | undefined;
}

function annotatedProfiles(
  { metadata, spec }: Pod,
  { alsoSet = false }: { readonly alsoSet?: boolean } = {},
): AnnotatedProfile[] {
  if (spec.os?.name === "windows") return [];
  return visitContainers(spec, nowhere).flatMap(({ container }) => {
    const key = appArmorPrefix + container.name;
    const annotation = metadata.annotations?.[key];
    const own = container.securityContext?.appArmorProfile;
    if (annotation === undefined) return [];
    const profile = appArmorOf(annotation);
    const isOwn = own !== undefined && !(alsoSet && semanticEqual(own, profile));
    if (isOwn) return [];
    const isRight = profile !== undefined && validateAppArmor(profile, nowhere).length === 0;
    return [{ key, container, profile: isRight ? profile : undefined }];
  });
}
