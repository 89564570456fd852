// What an update may keep although it would be refused in a new object: objects that were stored under older rules
// must stay updatable.

import type { Container, PodSpec } from "../types.ts";
import { isAbsent, list, text } from "./absent.ts";
import { FieldPath } from "./field-path.ts";
import type { LabelSelectorLike } from "./labels.ts";
import { hasInvalidSelectorValue } from "./labels.ts";
import { labelValue } from "./names.ts";
import { validateLocalPath } from "./path-rules.ts";
import { sysctlConflict } from "./sysctl.ts";

export interface Leniency {
  readonly affinitySelectorValues: boolean;
  readonly nodeAffinityValues: boolean;
  readonly spreadSelectors: boolean;
  readonly nonLocalTokenPath: boolean;
  readonly hostSysctls: boolean;
  readonly emptyImageReference: boolean;
  readonly sysAdmin: boolean;
  readonly initResizeRestart: boolean;
  readonly userNamespaceDevices: boolean;
  readonly deletionCost: boolean;
}

/** For new objects: nothing is let through. */
export const strict: Leniency = {
  affinitySelectorValues: false,
  nodeAffinityValues: false,
  spreadSelectors: false,
  nonLocalTokenPath: false,
  hostSysctls: false,
  emptyImageReference: false,
  sysAdmin: false,
  initResizeRestart: false,
  userNamespaceDevices: false,
  deletionCost: false,
};

/** For an update of an object with this spec and these annotations. */
export function leniencyFor(
  spec: PodSpec | undefined,
  annotations: { readonly [key: string]: string } | null | undefined,
): Leniency {
  if (isAbsent(spec)) return strict;
  return {
    affinitySelectorValues: affinitySelectors(spec).some(hasInvalidSelectorValue),
    nodeAffinityValues: hasInvalidNodeAffinity(spec),
    spreadSelectors: list(spec.topologySpreadConstraints).some((constraint) =>
      hasInvalidSelectorValue(constraint.labelSelector),
    ),
    nonLocalTokenPath: hasNonLocalTokenPath(spec),
    hostSysctls: list(spec.securityContext?.sysctls).some(
      ({ name }) => sysctlConflict(name, spec) !== undefined,
    ),
    emptyImageReference: list(spec.volumes).some(
      ({ image }) => !isAbsent(image) && text(image.reference) === "",
    ),
    sysAdmin: allContainers(spec).some(addsSysAdmin),
    initResizeRestart: list(spec.initContainers).some(
      ({ restartPolicy, resizePolicy }) =>
        restartPolicy !== "Always" &&
        list(resizePolicy).some((policy) => policy.restartPolicy === "RestartContainer"),
    ),
    userNamespaceDevices:
      spec.hostUsers === false &&
      allContainers(spec).some(({ volumeDevices }) => list(volumeDevices).length > 0),
    deletionCost: !isDeletionCost(annotations),
  };
}

/** Containers of all three kinds, in the order in which the API visits them. */
function allContainers(spec: PodSpec): Container[] {
  return [
    ...list(spec.initContainers),
    ...list(spec.containers),
    ...list(spec.ephemeralContainers),
  ];
}

/** Whether the pod's cost of being deleted, if it has one, is a 32-bit integer. */
export function isDeletionCost(
  annotations: { readonly [key: string]: string } | null | undefined,
): boolean {
  const cost = annotations?.["controller.kubernetes.io/pod-deletion-cost"];
  if (cost === undefined) return true;
  if (!/^(0|-?[1-9][0-9]{0,9})$/.test(cost)) return false;
  const value = Number(cost);
  return value >= -(2 ** 31) && value < 2 ** 31;
}

export function addsSysAdmin({ securityContext }: Container): boolean {
  return (
    securityContext?.allowPrivilegeEscalation === false &&
    list(securityContext.capabilities?.add).includes("CAP_SYS_ADMIN")
  );
}

function affinitySelectors({ affinity }: PodSpec): (LabelSelectorLike | null | undefined)[] {
  const groups = [affinity?.podAffinity, affinity?.podAntiAffinity];
  const terms = groups.flatMap((group) => [
    ...list(group?.requiredDuringSchedulingIgnoredDuringExecution),
    ...list(group?.preferredDuringSchedulingIgnoredDuringExecution).map(
      (weighted) => weighted.podAffinityTerm,
    ),
  ]);
  return terms.flatMap((term) => [term.labelSelector, term.namespaceSelector]);
}

function hasInvalidNodeAffinity({ affinity }: PodSpec): boolean {
  const terms =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return list(terms)
    .flatMap((term) => [...list(term.matchExpressions)])
    .some(({ values }) => list(values).some((value) => labelValue(value).length > 0));
}

function hasNonLocalTokenPath(spec: PodSpec): boolean {
  return list(spec.volumes)
    .flatMap(({ projected }) => [...list(projected?.sources)])
    .some(
      ({ serviceAccountToken: token }) =>
        !isAbsent(token) && validateLocalPath(token.path, FieldPath.of("")).length > 0,
    );
}
