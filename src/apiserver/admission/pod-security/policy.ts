// What a namespace's labels ask for: a level for pods that must not be, one for what is noted in the audit log, and
// one for what its writer is warned of. Each as it was in some version of Kubernetes, or as it is now.

import { entry } from "../../../api/validation/absent.ts";
import { type FieldError, invalid } from "../../../api/validation/field-error.ts";
import { FieldPath } from "../../../api/validation/field-path.ts";

/** From the least to the most strict. */
const levels = ["privileged", "baseline", "restricted"] as const;
export type Level = (typeof levels)[number];

/** The minor version of Kubernetes 1; Infinity is the latest. */
export type Version = number;
export const LATEST: Version = Infinity;

export interface LevelVersion {
  readonly level: Level;
  readonly version: Version;
}

export interface Policy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

const anything: LevelVersion = { level: "privileged", version: LATEST };
export const privileged: Policy = { enforce: anything, audit: anything, warn: anything };

export const labelPrefix = "pod-security.kubernetes.io/";
type Mode = keyof Policy;

interface Read<T> {
  readonly value: T;
  readonly isGiven: boolean;
  readonly errors: readonly FieldError[];
}

export interface ReadPolicy {
  readonly policy: Policy;
  readonly errors: readonly FieldError[];
}

type Labels = { readonly [key: string]: string } | undefined;

/**
 * What cannot be read is enforced at its strictest, and neither noted nor warned of. Whoever enforces a level and asks
 * for no warnings is warned at that level too.
 */
export function policyOf(labels: Labels, defaults: Policy): ReadPolicy {
  const enforceLevel = readLevel(labels, "enforce", defaults);
  const warnLevel = readLevel(labels, "warn", defaults);
  const auditLevel = readLevel(labels, "audit", defaults);
  const enforceVersion = readVersion(labels, "enforce", defaults);
  const auditVersion = readVersion(labels, "audit", defaults);
  const warnVersion = readVersion(labels, "warn", defaults);
  const enforce = { level: enforceLevel.value, version: enforceVersion.value };
  const warn = { level: warnLevel.value, version: warnVersion.value };
  const follows =
    !warnLevel.isGiven &&
    enforceLevel.isGiven &&
    enforceLevel.errors.length === 0 &&
    isStricter(enforce.level, warn.level);
  const followed = {
    level: enforce.level,
    version: warnVersion.isGiven ? warn.version : enforce.version,
  };
  return {
    policy: {
      enforce,
      audit: { level: auditLevel.value, version: auditVersion.value },
      warn: follows ? followed : warn,
    },
    errors: [
      enforceLevel,
      enforceVersion,
      auditLevel,
      auditVersion,
      warnLevel,
      warnVersion,
    ].flatMap(({ errors }) => errors),
  };
}

export function isStricter(level: Level, than: Level): boolean {
  return levels.indexOf(level) > levels.indexOf(than);
}

export function isSame(one: LevelVersion, other: LevelVersion): boolean {
  return one.level === other.level && one.version === other.version;
}

export function isFullyPrivileged({ enforce, audit, warn }: Policy): boolean {
  return [enforce, audit, warn].every(({ level }) => level === "privileged");
}

/** "restricted:latest", "baseline:v1.30" */
export function textOf({ level, version }: LevelVersion): string {
  return `${level}:${version === LATEST ? "latest" : `v1.${version}`}`;
}

function readLevel(labels: Labels, mode: Mode, defaults: Policy): Read<Level> {
  const label = labelPrefix + mode;
  const text = entry(labels, label);
  if (text === undefined) return { value: defaults[mode].level, isGiven: false, errors: [] };
  const value = levels.find((level) => level === text);
  if (value !== undefined) return { value, isGiven: true, errors: [] };
  return {
    value: mode === "enforce" ? "restricted" : "privileged",
    isGiven: true,
    errors: [problem(label, text, `must be one of ${levels.join(", ")}`)],
  };
}

const versionForm = /^v1\.(\d|[1-9]\d*)$/;

function readVersion(labels: Labels, mode: Mode, defaults: Policy): Read<Version> {
  const label = `${labelPrefix}${mode}-version`;
  const text = entry(labels, label);
  if (text === undefined) return { value: defaults[mode].version, isGiven: false, errors: [] };
  if (text === "latest") return { value: LATEST, isGiven: true, errors: [] };
  const minor = versionForm.exec(text)?.[1];
  const errors = minor === undefined ? [problem(label, text, 'must be "latest" or "v1.x"')] : [];
  return { value: minor === undefined ? LATEST : Number(minor), isGiven: true, errors };
}

function problem(label: string, value: string, detail: string): FieldError {
  return invalid(FieldPath.of("metadata", "labels").key(label), value, detail);
}
