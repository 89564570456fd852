// Pods: their spec, and what holds for a pod but not for a template.

import type { Binding, Pod } from "../types.ts";
import { isAbsent, list, text } from "./absent.ts";
import { validateImageSpaces } from "./container.ts";
import { type FieldError, forbidden, invalids, notSupported, required } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { nameIsDnsSubdomain } from "./names.ts";
import { nonNegative, validateObjectMeta } from "./object-meta.ts";
import { validatePodAnnotations, validateProfilesMatch } from "./pod-annotations.ts";
import { type Leniency, strict } from "./pod-leniency.ts";
import { validatePodSpec } from "./pod-spec.ts";

const rules = { namespaced: true, name: nameIsDnsSubdomain };
const specPath = FieldPath.of("spec");

/** A new pod. */
export function validatePod(pod: Pod): FieldError[] {
  const { spec } = pod;
  const errors = validatePodParts(pod, strict);
  if (list(spec.ephemeralContainers).length > 0) {
    errors.push(forbidden(specPath.child("ephemeralContainers"), "cannot be set on create"));
  }
  if (text(spec.nodeName) !== "" && list(spec.schedulingGates).length > 0) {
    const detail = "cannot be set until all schedulingGates have been cleared";
    errors.push(forbidden(specPath.child("nodeName"), detail));
  }
  return [...errors, ...validateProfilesMatch(pod.metadata, spec, specPath)];
}

/** What holds for a pod at any time. */
export function validatePodParts(pod: Pod, leniency: Leniency): FieldError[] {
  const { metadata, spec } = pod;
  const path = FieldPath.of("metadata", "annotations");
  const grace = spec.terminationGracePeriodSeconds;
  return [
    ...validateObjectMeta(metadata, rules),
    ...validatePodAnnotations(metadata.annotations, spec, leniency, path),
    ...validatePodSpec(spec, specPath, { isPod: true, podMeta: metadata, leniency }),
    ...validateTokens(pod),
    ...(isAbsent(grace) ? [] : nonNegative(grace, specPath.child("terminationGracePeriodSeconds"))),
    ...(["containers", "initContainers"] as const).flatMap((kind) =>
      list(spec[kind]).flatMap((container, i) =>
        validateImageSpaces(container, specPath.child(kind).index(i)),
      ),
    ),
  ];
}

/** A request to put a pod on a node. */
export function validateBinding({ target }: Binding): FieldError[] {
  const kind = text(target.kind);
  const name = text(target.name);
  const path = FieldPath.of("target");
  const isNode = kind === "" || kind === "Node";
  const errors = isNode ? [] : [notSupported(path.child("kind"), kind, ["Node", "<empty>"])];
  if (name === "") return [...errors, required(path.child("name"))];
  if (!isNode) return errors;
  return [...errors, ...invalids(path.child("name"), name, nameIsDnsSubdomain(name, false))];
}

/** A token is somebody's. */
function validateTokens({ spec }: Pod): FieldError[] {
  if (text(spec.serviceAccountName) !== "") return [];
  return list(spec.volumes).flatMap(({ projected }, i) =>
    list(projected?.sources).flatMap(({ serviceAccountToken: token }, j) => {
      if (isAbsent(token)) return [];
      const at = specPath.child("volumes").index(i).child("projected", "sources").index(j);
      const detail = "must not be specified when serviceAccountName is not set";
      return [forbidden(at.child("serviceAccountToken"), detail)];
    }),
  );
}
