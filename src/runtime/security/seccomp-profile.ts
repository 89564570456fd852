// A seccomp profile in the JSON format of other runtimes, checked, and reduced to what counts for one container: rules by system
// call, those of other processors and of capabilities that it has not left out.

import { syscallNumbers } from "./syscall-numbers.ts";

export type Architecture = "x64" | "arm64";

/** What the kernel does: the value that a filter returns. */
export type SeccompResult = number;

export type Comparison = "EQ" | "NE" | "LT" | "LE" | "GT" | "GE" | "MASKED_EQ";

export interface Condition {
  /** Which argument, from 0 to 5; compared as 64 bits without a sign. */
  readonly index: number;
  readonly comparison: Comparison;
  readonly value: bigint;
  /** Only for MASKED_EQ: the argument under the mask `value` must be this. */
  readonly valueTwo: bigint;
}

export interface Rule {
  /** All of them must hold. */
  readonly conditions: readonly Condition[];
  readonly result: SeccompResult;
}

export interface Rules {
  readonly architecture: Architecture;
  readonly defaultResult: SeccompResult;
  /** By the system call's number. The first that holds decides; none: the default. */
  readonly bySyscall: ReadonlyMap<number, readonly Rule[]>;
}

export interface ProfileContext {
  readonly architecture: Architecture;
  /** Without "CAP_". */
  readonly capabilities: readonly string[];
  /** Of the kernel. */
  readonly release: string;
}

export const KILL_PROCESS: SeccompResult = 0x8000_0000;
const ERRNO = 0x0005_0000;
export const ENOSYS: SeccompResult = ERRNO | 38;
const EPERM = 1;

const results: Readonly<Record<string, SeccompResult>> = {
  SCMP_ACT_KILL: 0,
  SCMP_ACT_KILL_THREAD: 0,
  SCMP_ACT_KILL_PROCESS: KILL_PROCESS,
  SCMP_ACT_TRAP: 0x0003_0000,
  SCMP_ACT_ERRNO: ERRNO,
  SCMP_ACT_TRACE: 0x7ff0_0000,
  SCMP_ACT_LOG: 0x7ffc_0000,
  SCMP_ACT_ALLOW: 0x7fff_0000,
};

const permissive: ReadonlySet<SeccompResult> = new Set([0x7ffc_0000, 0x7fff_0000]);

/** Whether calls that the profile does not name go through. */
export function isPermissive({ defaultResult }: Rules): boolean {
  return permissive.has(defaultResult);
}

/** Throws a sentence about the first thing that is wrong with it. System calls that we do not know count for nothing, as elsewhere. */
export function rulesOf(profile: object, context: ProfileContext): Rules {
  const { defaultAction, defaultErrnoRet, syscalls = [] } = profile as Record<string, unknown>;
  const numbers = syscallNumbers(context.architecture);
  const bySyscall = new Map<number, Rule[]>();
  const defaultResult = resultOf(defaultAction, defaultErrnoRet);
  for (const entry of objects(syscalls, "syscalls")) {
    if (!applies(entry, context)) {
      continue;
    }
    const rules = rulesOfEntry(entry);
    for (const number of namesOf(entry).map((name) => numbers.get(name))) {
      if (number !== undefined) {
        bySyscall.set(number, [...(bySyscall.get(number) ?? []), ...rules]);
      }
    }
  }
  return { architecture: context.architecture, defaultResult, bySyscall };
}

function rulesOfEntry({ action, errnoRet, args }: Record<string, unknown>): readonly Rule[] {
  const result = resultOf(action, errnoRet);
  const conditions = objects(args ?? [], "args").map(conditionOf);
  const indices = new Set(conditions.map(({ index }) => index));
  // Several conditions on one argument are alternatives in other runtimes, and then so are all of the entry.
  return indices.size === conditions.length
    ? [{ conditions, result }]
    : conditions.map((condition) => ({ conditions: [condition], result }));
}

function resultOf(action: unknown, errno: unknown): SeccompResult {
  const result = typeof action === "string" ? results[action] : undefined;
  if (result === undefined) {
    throw new Error(`invalid seccomp action ${JSON.stringify(action)}`);
  }
  if (action === "SCMP_ACT_ERRNO" || action === "SCMP_ACT_TRACE") {
    return result | ((typeof errno === "number" ? errno : EPERM) & 0xffff);
  }
  return result;
}

const comparisons: ReadonlySet<string> = new Set(["EQ", "NE", "LT", "LE", "GT", "GE", "MASKED_EQ"]);
const argumentCount = 6;

function conditionOf(args: Record<string, unknown>): Condition {
  const { index, op, value, valueTwo } = args;
  const comparison = typeof op === "string" ? op.replace(/^SCMP_CMP_/, "") : "";
  if (!comparisons.has(comparison)) {
    throw new Error(`invalid seccomp operator ${JSON.stringify(op)}`);
  }
  if (!Number.isInteger(index) || Number(index) < 0 || Number(index) >= argumentCount) {
    throw new Error(`invalid seccomp argument index ${JSON.stringify(index)}`);
  }
  return {
    index: Number(index),
    comparison: comparison as Comparison,
    value: unsigned(value),
    valueTwo: unsigned(valueTwo),
  };
}

const largest = 0xffff_ffff_ffff_ffffn;

/** Numbers of JSON are not exact where they are largest: all ones comes as one more. */
function unsigned(value: unknown): bigint {
  if (value === undefined || value === null) {
    return 0n;
  }
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0) {
    throw new Error(`invalid seccomp argument value ${JSON.stringify(value)}`);
  }
  const exact = BigInt(value);
  return exact > largest ? largest : exact;
}

function namesOf({ names, name }: Record<string, unknown>): readonly string[] {
  const all = names ?? (name === undefined ? [] : [name]);
  if (!Array.isArray(all)) {
    throw new Error("invalid seccomp profile: names must be a list");
  }
  return all.filter((one) => typeof one === "string");
}

const goArchitectures: Readonly<Record<Architecture, string>> = { x64: "amd64", arm64: "arm64" };

function applies(entry: Record<string, unknown>, context: ProfileContext): boolean {
  const { includes, excludes } = entry as {
    readonly includes?: Filter;
    readonly excludes?: Filter;
  };
  const has = (capability: string): boolean =>
    context.capabilities.includes(capability.replace(/^CAP_/, ""));
  const architecture = goArchitectures[context.architecture];
  const isHere = ({ arches }: Filter): boolean => !arches?.length || arches.includes(architecture);
  const isNewEnough = ({ minKernel }: Filter): boolean =>
    !minKernel || isAtLeast(context.release, minKernel);
  const isIncluded =
    !includes || ((includes.caps ?? []).every(has) && isHere(includes) && isNewEnough(includes));
  return isIncluded && !(excludes && isExcluded(excludes));

  function isExcluded({ caps, arches, minKernel }: Filter): boolean {
    return (
      (caps ?? []).some(has) ||
      (arches ?? []).includes(architecture) ||
      (minKernel !== undefined && isAtLeast(context.release, minKernel))
    );
  }
}

interface Filter {
  readonly caps?: readonly string[];
  readonly arches?: readonly string[];
  readonly minKernel?: string;
}

function isAtLeast(release: string, wanted: string): boolean {
  const [a = [], b = []] = [release, wanted].map((text) =>
    (/^(\d+)\.(\d+)/.exec(text) ?? []).slice(1).map(Number),
  );
  const [major = 0, minor = 0] = a;
  const [wantedMajor = 0, wantedMinor = 0] = b;
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

function objects(value: unknown, what: string): readonly Record<string, unknown>[] {
  if (!Array.isArray(value) || value.some((one) => typeof one !== "object" || one === null)) {
    throw new Error(`invalid seccomp profile: ${what} must be a list of objects`);
  }
  return value as readonly Record<string, unknown>[];
}
