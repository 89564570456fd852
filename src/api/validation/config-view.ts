// A ConfigView says what one pod really has of its configuration. The pod that it is about does not change.

import { driftReasons } from "../config/use-words.ts";
import type { ConfigUse, ConfigVersion, ConfigView } from "../types.ts";
import { duplicate, type FieldError, notSupported, required } from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { nameIsDnsSubdomain } from "./names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";
import { immutableField } from "./semantic-equal.ts";

const usesPath = FieldPath.of("uses");
const kinds = ["ConfigMap", "Secret"];
const ways = ["args", "env", "sidecar", "subPath", "volume"];

export function validateConfigView(view: ConfigView): FieldError[] {
  return [
    ...validateObjectMeta(view.metadata, { namespaced: true, name: nameIsDnsSubdomain }),
    ...validateFields(view),
  ];
}

export function validateConfigViewUpdate(view: ConfigView, old: ConfigView): FieldError[] {
  return [
    ...validateObjectMetaUpdate(view.metadata, old.metadata),
    ...validateFields(view),
    ...immutableField(view.pod, old.pod, FieldPath.of("pod")),
  ];
}

function validateFields({ pod, uses }: ConfigView): FieldError[] {
  const errors = pod.name === "" ? [required(FieldPath.of("pod", "name"))] : [];
  const seen = new Set<string>();
  return [
    ...errors,
    ...(uses ?? []).flatMap((use, i) => {
      const { kind, name, how, container = "", mountPath = "" } = use;
      const key = JSON.stringify([kind, name, how, container, mountPath]);
      const repeated = seen.has(key)
        ? [duplicate(usesPath.index(i), { kind, name, how, container, mountPath })]
        : [];
      seen.add(key);
      return [...repeated, ...validateUse(use, usesPath.index(i))];
    }),
  ];
}

function validateUse(use: ConfigUse, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (!kinds.includes(use.kind)) errors.push(notSupported(path.child("kind"), use.kind, kinds));
  if (use.name === "") errors.push(required(path.child("name")));
  if (!ways.includes(use.how)) errors.push(notSupported(path.child("how"), use.how, ways));
  for (const field of ["wanted", "onDisk", "applied"] as const) {
    errors.push(...validateVersion(use[field], path.child(field)));
  }
  if (use.drift !== undefined && !driftReasons.includes(use.drift.reason)) {
    errors.push(notSupported(path.child("drift", "reason"), use.drift.reason, driftReasons));
  }
  return errors;
}

function validateVersion(version: ConfigVersion | undefined, path: FieldPath): FieldError[] {
  return version === undefined || version.hash !== "" ? [] : [required(path.child("hash"))];
}
