// Annotations of pods that mean something to the API: mirror pods, costs of deletion, and the profiles that had no field
// of their own once.

import type { AppArmorProfile, ObjectMeta, PodSpec, SeccompProfile } from "../types.ts";
import { isAbsent, text } from "./absent.ts";
import { type FieldError, forbidden, invalid } from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { goQuote } from "./go-text.ts";
import { validateDescendingPath } from "./path-rules.ts";
import { isDeletionCost, type Leniency } from "./pod-leniency.ts";
import { visitContainers } from "./visit-containers.ts";

type Annotations = { readonly [key: string]: string } | null | undefined;

const mirrorKey = "kubernetes.io/config.mirror";
const costKey = "controller.kubernetes.io/pod-deletion-cost";
const seccompPodKey = "seccomp.security.alpha.kubernetes.io/pod";
const seccompContainerPrefix = "container.seccomp.security.alpha.kubernetes.io/";
export const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";

const defaultNames = {
  seccomp: ["runtime/default", "docker/default"],
  apparmor: ["runtime/default"],
};

export function isMirrorPod(annotations: Annotations): boolean {
  return annotations?.[mirrorKey] !== undefined;
}

export function validatePodAnnotations(
  annotations: Annotations,
  spec: PodSpec,
  leniency: Leniency,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const mirror = annotations?.[mirrorKey];
  if (mirror !== undefined && text(spec.nodeName) === "") {
    const detail = "must set spec.nodeName if mirror pod annotation is set";
    errors.push(invalid(path.key(mirrorKey), mirror, detail));
  }
  if (!leniency.deletionCost && !isDeletionCost(annotations)) {
    errors.push(invalid(path.key(costKey), annotations?.[costKey], "must be a 32bit integer"));
  }
  const keys = Object.keys(annotations ?? {});
  const seccomp = keys.filter((key) => key.startsWith(seccompContainerPrefix));
  if (keys.includes(seccompPodKey)) seccomp.unshift(seccompPodKey);
  return [
    ...errors,
    ...seccomp.flatMap((key) => validateSeccompName(text(annotations?.[key]), path.child(key))),
    ...keys
      .filter((key) => key.startsWith(appArmorPrefix))
      .flatMap((key) =>
        validateAppArmorAnnotation(key, text(annotations?.[key]), spec, path.key(key)),
      ),
  ];
}

/** Annotations that cannot be taken back. */
export function validatePodAnnotationUpdate(
  annotations: Annotations,
  old: Annotations,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const key in old) {
    if (annotations?.[key] === old[key]) continue;
    const what = protectedName(key);
    if (what !== undefined)
      errors.push(forbidden(path.key(key), `may not remove or update ${what}`));
  }
  for (const key in annotations) {
    if (old?.[key] !== undefined) continue;
    const what = protectedName(key);
    if (what !== undefined) errors.push(forbidden(path.key(key), `may not add ${what}`));
  }
  return errors;
}

/** A profile that is both in an annotation and in a field must be the same in both. */
export function validateProfilesMatch(
  meta: ObjectMeta | null | undefined,
  spec: PodSpec,
  path: FieldPath,
): FieldError[] {
  const annotations = meta?.annotations;
  if (isAbsent(annotations)) return [];
  return [
    ...validateSeccompMatch(annotations, spec, path),
    ...(spec.os?.name === "windows" ? [] : validateAppArmorMatch(annotations, spec, path)),
  ];
}

/** The field that a deprecated annotation stands for. */
export function appArmorOf(annotation: string): AppArmorProfile | undefined {
  switch (annotation) {
    case "unconfined":
      return { type: "Unconfined" };
    case "runtime/default":
      return { type: "RuntimeDefault" };
    default:
  }
  const local = annotation.startsWith("localhost/") ? annotation.slice("localhost/".length) : "";
  return local === "" ? undefined : { type: "Localhost", localhostProfile: local };
}

function protectedName(key: string): string | undefined {
  if (key.startsWith(appArmorPrefix)) return "AppArmor annotations";
  return key === mirrorKey ? "mirror pod annotation" : undefined;
}

function validateSeccompName(name: string, path: FieldPath): FieldError[] {
  if (["runtime/default", "docker/default", "unconfined"].includes(name)) return [];
  if (name.startsWith("localhost/")) {
    return validateDescendingPath(name.slice("localhost/".length), path);
  }
  return [invalid(path, name, "must be a valid seccomp profile")];
}

function validateAppArmorAnnotation(
  key: string,
  value: string,
  spec: PodSpec,
  path: FieldPath,
): FieldError[] {
  const name = key.slice(appArmorPrefix.length);
  const isThere = visitContainers(spec, path).some(({ container }) => container.name === name);
  const errors = isThere ? [] : [invalid(path, name, "container not found")];
  const isProfile =
    ["", "runtime/default", "unconfined"].includes(value) || value.startsWith("localhost/");
  if (isProfile) return errors;
  return [...errors, invalid(path, value, `invalid AppArmor profile name: ${goQuote(value)}`)];
}

function validateSeccompMatch(
  annotations: NonNullable<Annotations>,
  spec: PodSpec,
  path: FieldPath,
): FieldError[] {
  const places = [
    { key: seccompPodKey, context: spec.securityContext, at: path },
    ...visitContainers(spec, path).map(({ container, path: at }) => ({
      key: seccompContainerPrefix + container.name,
      context: container.securityContext,
      at,
    })),
  ];
  return places.flatMap(({ key, context, at }) =>
    compare(annotations[key], context?.seccompProfile, {
      what: "seccomp",
      path: at.child("securityContext", "seccompProfile"),
    }),
  );
}

function validateAppArmorMatch(
  annotations: NonNullable<Annotations>,
  spec: PodSpec,
  path: FieldPath,
): FieldError[] {
  const ofPod = spec.securityContext?.appArmorProfile;
  return visitContainers(spec, path).flatMap(({ container, path: at }) =>
    compare(
      annotations[appArmorPrefix + container.name],
      container.securityContext?.appArmorProfile ?? ofPod,
      { what: "apparmor", path: at.child("securityContext", "appArmorProfile") },
    ),
  );
}

function compare(
  annotation: string | undefined,
  profile: SeccompProfile | AppArmorProfile | undefined,
  { what, path }: { readonly what: "seccomp" | "apparmor"; readonly path: FieldPath },
): FieldError[] {
  if (annotation === undefined || profile === undefined) return [];
  const otherType = forbidden(
    path.child("type"),
    `${what} type in annotation and field must match`,
  );
  switch (profile.type) {
    case "Unconfined":
      return annotation === "unconfined" ? [] : [otherType];
    case "RuntimeDefault":
      return defaultNames[what].includes(annotation) ? [] : [otherType];
    case "Localhost": {
      if (!annotation.startsWith("localhost/")) return [otherType];
      if (annotation === `localhost/${text(profile.localhostProfile)}`) return [];
      const detail = `${what} profile in annotation and field must match`;
      return [forbidden(path.child("localhostProfile"), detail)];
    }
    default:
      return [];
  }
}
