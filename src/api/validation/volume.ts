// The volumes of a pod: each has a name of its own and exactly one source.

import type { ObjectMeta, Volume } from "../types.ts";
import { isAbsent, list, text } from "./absent.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  invalids,
  required,
} from "./field-error.ts";
import type { FieldPath } from "./field-path.ts";
import { dns1123Label, nameIsDnsSubdomain } from "./names.ts";
import type { Leniency } from "./pod-leniency.ts";
import { type SourceName, sourceRules } from "./volume-sources.ts";

export interface VolumeRules {
  readonly leniency: Leniency;
  /** Of the pod, if there is one: claims of ephemeral volumes are named after it. */
  readonly podMeta?: ObjectMeta | undefined;
}

export interface JudgedVolumes {
  readonly errors: FieldError[];
  /** Those without errors, by name: the ones that containers can mount. */
  readonly known: ReadonlyMap<string, Volume>;
}

/** Sources in the order in which they are looked at; only the first one counts. */
const sourceNames = Object.keys(sourceRules) as SourceName[];
/** Where the name in a message is not that of the field, or is spelled in a way of its own. */
const validatedAs: { readonly [name in SourceName]?: string } = {
  gcePersistentDisk: "persistentDisk",
};
const forbiddenAs: { readonly [name in SourceName]?: string } = {
  cephfs: "cephFS",
  downwardAPI: "downwarAPI",
};

export function validateVolumes(
  volumes: readonly Volume[] | null | undefined,
  rules: VolumeRules,
  path: FieldPath,
): JudgedVolumes {
  const errors: FieldError[] = [];
  const known = new Map<string, Volume>();
  const podName = text(rules.podMeta?.name);
  const created = new Set(
    list(volumes)
      .filter((volume) => podName !== "" && !isAbsent(volume.ephemeral))
      .map((volume) => `${podName}-${volume.name}`),
  );
  for (const [i, volume] of list(volumes).entries()) {
    const at = path.index(i);
    const found = [
      ...validateSource(volume, rules, at),
      ...validateVolumeName(volume.name, known, at.child("name")),
    ];
    if (found.length === 0) known.set(volume.name, volume);
    else errors.push(...found);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && created.has(claim)) {
      const detail = "must not reference a PVC that gets created for an ephemeral volume";
      errors.push(invalid(at.child("persistentVolumeClaim", "claimName"), claim, detail));
    }
  }
  return { errors, known };
}

function validateVolumeName(
  name: string,
  known: ReadonlyMap<string, Volume>,
  path: FieldPath,
): FieldError[] {
  const errors = name === "" ? [required(path)] : invalids(path, name, dns1123Label(name));
  return known.has(name) ? [...errors, duplicate(path, name)] : errors;
}

function validateSource(volume: Volume, rules: VolumeRules, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const [first, ...others] = sourceNames.filter((name) => !isAbsent(volume[name]));
  if (first === undefined) return [required(path, "must specify a volume type")];
  const validate = sourceRules[first] as SourceRule;
  const at = path.child(validatedAs[first] ?? first);
  errors.push(...validate(volume[first], at, rules.leniency));
  if (first === "iscsi") errors.push(...validatePortalLength(volume, path));
  if (first === "ephemeral") errors.push(...validateClaimName(volume, rules, path));
  for (const name of others) {
    const other = path.child(forbiddenAs[name] ?? name);
    errors.push(forbidden(other, "may not specify more than 1 volume type"));
    if (name === "iscsi") errors.push(...validatePortalLength(volume, path));
  }
  return errors;
}

type SourceRule = (source: unknown, path: FieldPath, leniency: Leniency) => FieldError[];

function validatePortalLength(volume: Volume, path: FieldPath): FieldError[] {
  const { iscsi } = volume;
  if (isAbsent(iscsi?.initiatorName)) return [];
  if (`${volume.name}:${iscsi.targetPortal}`.length <= 64) return [];
  const detail =
    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
  return [invalid(path.child("name"), volume.name, detail)];
}

function validateClaimName(volume: Volume, rules: VolumeRules, path: FieldPath): FieldError[] {
  const podName = text(rules.podMeta?.name);
  if (podName === "" || volume.name === "") return [];
  const claim = `${podName}-${volume.name}`;
  const details = nameIsDnsSubdomain(claim, false).map((text) => `PVC name "${claim}": ${text}`);
  return invalids(path.child("name"), volume.name, details);
}
