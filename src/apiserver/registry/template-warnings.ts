// What deserves a word about objects that make pods: their templates, and names that pods do not like.

import type { ObjectMeta, PodTemplateSpec } from "../../api/types.ts";
import { FieldPath } from "../../api/validation/field-path.ts";
import { dns1123Label } from "../../api/validation/names.ts";
import { podWarnings } from "../../api/validation/pod-warnings.ts";

interface Templated {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly template?: PodTemplateSpec | undefined };
}

/** Pods are named after the object; said once, when it is created. */
export function podNameWarnings({ metadata }: Templated, old: Templated | undefined): string[] {
  const details = old === undefined ? dns1123Label(metadata.name ?? "") : [];
  if (details.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${details.join(" ")}]`,
  ];
}

/** Said when something else than metadata and status changes. */
export function templateWarnings(
  { metadata, spec }: Templated,
  old: Templated | undefined,
): string[] {
  const isSame = old !== undefined && metadata.generation === old.metadata.generation;
  if (isSame || spec.template === undefined) return [];
  return podWarnings(spec.template, FieldPath.of("spec", "template"));
}
