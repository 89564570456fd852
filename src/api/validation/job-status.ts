// How a Job's status may move. Anybody can be the controller of a Job, so that the rules are strict; but each is
// asked only when what it is about has changed, so that an old mistake does not stop an unrelated update.

import type { Job, JobStatus } from "../types.ts";
import { validateNonNegative } from "./counts.ts";
import {
  duplicate,
  type FieldError,
  invalid,
  invalidWithoutValue,
  required,
} from "./field-error.ts";
import { FieldPath } from "./field-path.ts";
import { countIndexes, firstCommonIndex } from "./job-indexes.ts";
import { validateObjectMetaUpdate } from "./object-meta.ts";
import { semanticEqual } from "./semantic-equal.ts";

type ConditionType = "Complete" | "Failed" | "FailureTarget" | "SuccessCriteriaMet" | "Suspended";

interface Facts {
  readonly job: Job;
  readonly status: JobStatus;
  readonly before: JobStatus;
  readonly is: (type: ConditionType) => boolean;
  readonly was: (type: ConditionType) => boolean;
  /** Whether the update changes one of these fields. */
  readonly moves: (...fields: readonly (keyof JobStatus)[]) => boolean;
  /** Whether the update turns one of these conditions on or off. */
  readonly flips: (...types: readonly ConditionType[]) => boolean;
  /** Complete or failed. */
  readonly finished: boolean;
  readonly finishes: boolean;
}

interface Rule {
  /** Whether the update touches what the rule is about. Absent: always. */
  readonly asked?: (facts: Facts) => boolean;
  readonly broken: (facts: Facts) => boolean;
  readonly error: (facts: Facts) => FieldError;
}

const path = FieldPath.of("status");
const conditions = path.child("conditions");
const completedPath = path.child("completedIndexes");
const failedPath = path.child("failedIndexes");

const rules: readonly Rule[] = [
  {
    asked: ({ flips }) => flips("Complete", "Failed"),
    broken: ({ is }) => is("Complete") && is("Failed"),
    error: conflict("cannot set Complete=True and Failed=true conditions"),
  },
  {
    asked: ({ flips }) => flips("Complete", "FailureTarget"),
    broken: ({ is }) => is("Complete") && is("FailureTarget"),
    error: conflict("cannot set Complete=True and FailureTarget=true conditions"),
  },
  {
    asked: ({ flips, moves }) => flips("Complete") || moves("completionTime"),
    broken: ({ status, is }) => status.completionTime !== undefined && !is("Complete"),
    error: wrong(
      "completionTime",
      "cannot set completionTime when there is no Complete=True condition",
    ),
  },
  {
    asked: ({ flips, moves }) => flips("Complete") || moves("completionTime"),
    broken: ({ status, is }) => status.completionTime === undefined && is("Complete"),
    error: () =>
      required(path.child("completionTime"), "completionTime is required for Complete jobs"),
  },
  {
    asked: ({ moves }) => moves("startTime", "completionTime"),
    broken: ({ status: { completionTime, startTime } }) =>
      completionTime !== undefined && startTime !== undefined && completionTime < startTime,
    error: wrong("completionTime", "must be equal to or after `startTime`"),
  },
  {
    asked: ({ flips, moves }) => flips("Failed") || moves("failedIndexes"),
    broken: ({ is }) => is("Failed") && !is("FailureTarget"),
    error: conflict("cannot set Failed=True condition without the FailureTarget=true condition"),
  },
  {
    asked: ({ flips }) => flips("Complete", "SuccessCriteriaMet"),
    broken: ({ is }) => is("Complete") && !is("SuccessCriteriaMet"),
    error: conflict(
      "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
    ),
  },
  {
    asked: ({ finishes, moves }) => finishes || moves("active"),
    broken: ({ status, finished }) => (status.active ?? 0) > 0 && finished,
    error: wrong("active", "active>0 is invalid for finished job"),
  },
  {
    asked: ({ finishes, moves, job: { spec } }) =>
      (finishes || moves("startTime")) && !(spec.suspend === true && spec.completions === 0),
    broken: ({ status, finished }) => status.startTime === undefined && finished,
    error: () => required(path.child("startTime"), "startTime is required for finished job"),
  },
  {
    asked: ({ finishes, moves }) => finishes || moves("uncountedTerminatedPods"),
    broken: ({ status, finished }) => finished && uncountedPods(status).length > 0,
    error: ({ status: { uncountedTerminatedPods: pods } }) =>
      invalid(
        path.child("uncountedTerminatedPods"),
        { Succeeded: pods?.succeeded ?? null, Failed: pods?.failed ?? null },
        "must be empty for finished job",
      ),
  },
  {
    asked: ({ moves, job }) => moves("completedIndexes") && job.spec.completions !== undefined,
    broken: (facts) => completedError(facts) !== undefined,
    error: (facts) =>
      invalid(
        completedPath,
        facts.status.completedIndexes ?? "",
        `error parsing completedIndexes: ${completedError(facts) ?? ""}`,
      ),
  },
  {
    asked: ({ moves, job: { spec } }) =>
      moves("failedIndexes") &&
      spec.completions !== undefined &&
      spec.backoffLimitPerIndex !== undefined,
    broken: (facts) => failedError(facts) !== undefined,
    error: (facts) =>
      invalid(
        failedPath,
        facts.status.failedIndexes,
        `error parsing failedIndexes: ${failedError(facts) ?? ""}`,
      ),
  },
  {
    asked: ({ moves }) => moves("completedIndexes"),
    broken: ({ status, job }) =>
      (status.completedIndexes ?? "") !== "" && job.spec.completionMode !== "Indexed",
    error: wrong(
      "completedIndexes",
      "cannot set non-empty completedIndexes when non-indexed completion mode",
    ),
  },
  {
    asked: ({ moves }) => moves("failedIndexes"),
    broken: ({ status, job }) =>
      job.spec.backoffLimitPerIndex === undefined && status.failedIndexes !== undefined,
    error: wrong(
      "failedIndexes",
      "cannot set non-null failedIndexes when backoffLimitPerIndex is null",
    ),
  },
  {
    asked: ({ moves, job }) =>
      moves("failedIndexes", "completedIndexes") && job.spec.completions !== undefined,
    broken: (facts) => commonIndex(facts) !== undefined,
    error: (facts) =>
      invalid(
        failedPath,
        facts.status.failedIndexes,
        `failedIndexes and completedIndexes overlap at index: ${commonIndex(facts) ?? 0}`,
      ),
  },
  {
    asked: ({ finishes, moves }) => finishes || moves("terminating"),
    broken: ({ status, finished }) => (status.terminating ?? 0) > 0 && finished,
    error: wrong("terminating", "terminating>0 is invalid for finished job"),
  },
  {
    asked: ({ moves }) => moves("ready", "active"),
    broken: ({ status: { ready, active = 0 } }) => ready !== undefined && ready > active,
    error: wrong("ready", "cannot set more ready pods than active"),
  },
  {
    broken: ({ is }) => is("SuccessCriteriaMet") && is("Failed"),
    error: conflict("cannot set SuccessCriteriaMet=True and Failed=true conditions"),
  },
  {
    broken: ({ is }) => is("SuccessCriteriaMet") && is("FailureTarget"),
    error: conflict("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"),
  },
  {
    broken: ({ job, is }) =>
      job.spec.successPolicy !== undefined && !is("SuccessCriteriaMet") && is("Complete"),
    error: conflict(
      "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True",
    ),
  },
  ...(["Failed", "Complete", "FailureTarget"] as const).map(
    (type): Rule => ({
      broken: ({ is, was }) => was(type) && !is(type),
      error: conflict(`cannot disable the terminal ${type}=True condition`),
    }),
  ),
  {
    broken: ({ status, before }) => (status.failed ?? 0) < (before.failed ?? 0),
    error: wrong("failed", "cannot decrease the failed counter"),
  },
  {
    // An Indexed Job with as many workers as completions can be scaled down.
    asked: ({ job: { spec } }) =>
      spec.completionMode !== "Indexed" || spec.completions !== spec.parallelism,
    broken: ({ status, before }) => (status.succeeded ?? 0) < (before.succeeded ?? 0),
    error: wrong("succeeded", "cannot decrease the succeeded counter"),
  },
  {
    asked: ({ status, before }) =>
      status.completionTime !== undefined && before.completionTime !== undefined,
    broken: ({ moves }) => moves("completionTime"),
    error: wrong("completionTime", "field is immutable"),
  },
  {
    asked: ({ before, was, status, job }) =>
      before.startTime !== undefined &&
      job.spec.suspend !== true &&
      !(was("Suspended") && hasCondition(status, "Suspended", "False")),
    broken: ({ moves }) => moves("startTime"),
    error: wrong("startTime", "field is immutable for unsuspended job once set"),
  },
  {
    broken: ({ is, was }) => was("SuccessCriteriaMet") && !is("SuccessCriteriaMet"),
    error: conflict("cannot disable the SuccessCriteriaMet=True condition"),
  },
  {
    broken: ({ is, was }) =>
      was("Complete") && !was("SuccessCriteriaMet") && is("SuccessCriteriaMet"),
    error: conflict(
      "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions",
    ),
  },
];

export function validateJobStatusUpdate(job: Job, old: Job): FieldError[] {
  const facts = factsOf(job, old);
  return [
    ...validateObjectMetaUpdate(job.metadata, old.metadata),
    ...validateNonNegative(
      job.status,
      ["active", "succeeded", "failed", "ready", "terminating"],
      path,
    ),
    ...validateUncounted(job.status),
    ...rules
      .filter(({ asked, broken }) => (asked?.(facts) ?? true) && broken(facts))
      .map(({ error }) => error(facts)),
  ];
}

function factsOf(job: Job, old: Job): Facts {
  const { status } = job;
  const before = old.status;
  const is = (type: ConditionType): boolean => hasCondition(status, type, "True");
  const was = (type: ConditionType): boolean => hasCondition(before, type, "True");
  const flips = (...types: readonly ConditionType[]): boolean =>
    types.some((type) => is(type) !== was(type));
  const moves = (...fields: readonly (keyof JobStatus)[]): boolean =>
    fields.some((field) => !semanticEqual(status[field], before[field]));
  const finished = is("Complete") || is("Failed");
  const finishes = finished !== (was("Complete") || was("Failed"));
  return { job, status, before, is, was, moves, flips, finished, finishes };
}

function conflict(told: string): () => FieldError {
  return () => invalidWithoutValue(conditions, told);
}

function wrong(
  field:
    | "active"
    | "completedIndexes"
    | "completionTime"
    | "failed"
    | "failedIndexes"
    | "ready"
    | "startTime"
    | "succeeded"
    | "terminating",
  told: string,
): (facts: Facts) => FieldError {
  const zero = ["active", "failed", "succeeded"].includes(field) ? 0 : undefined;
  return ({ status }) => invalid(path.child(field), status[field] ?? zero, told);
}

function completedError({ job, status }: Facts): string | undefined {
  return countIndexes(status.completedIndexes ?? "", job.spec.completions ?? 0).error;
}

function failedError({ job, status }: Facts): string | undefined {
  return countIndexes(status.failedIndexes ?? "", job.spec.completions ?? 0).error;
}

function commonIndex({ job, status }: Facts): number | undefined {
  const { completedIndexes: completed = "", failedIndexes: failed = "" } = status;
  if (completed === "" || failed === "") return undefined;
  return firstCommonIndex(completed, failed, job.spec.completions ?? 0);
}

function uncountedPods({ uncountedTerminatedPods: pods }: JobStatus): readonly string[] {
  return [...(pods?.succeeded ?? []), ...(pods?.failed ?? [])];
}

function validateUncounted({ uncountedTerminatedPods: uncounted }: JobStatus): FieldError[] {
  const seen = new Set<string>();
  return (["succeeded", "failed"] as const).flatMap((field) =>
    (uncounted?.[field] ?? []).flatMap((uid, i) => {
      const at = path.child("uncountedTerminatedPods", field).index(i);
      if (uid === "") return [invalid(at, uid, "must not be empty")];
      if (seen.has(uid)) return [duplicate(at, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

function hasCondition(status: JobStatus, type: ConditionType, value: string): boolean {
  return (status.conditions ?? []).some(
    (condition) => condition.type === type && condition.status === value,
  );
}
