// Tables of what runs to an end.

import { ageOf, humanDuration, timestampMs } from "../duration.ts";
import type { CronJob, Job } from "../types.ts";
import { containerColumns, isConditionTrue, none, selectorText, unset } from "./cell-texts.ts";
import { cronJobTexts, jobSelectorText, jobTexts } from "./column-texts.ts";
import {
  ageColumn,
  column,
  nameColumn,
  type TableDefinition,
  tableOfColumns,
} from "./table-column.ts";

const wide = { wide: true };

export const jobTable: TableDefinition<Job> = tableOfColumns<Job>(
  nameColumn(),
  column("Status", jobTexts.status, statusText),
  column("Completions", jobTexts.completions, completionsText),
  column("Duration", jobTexts.duration, durationText),
  ageColumn(),
  ...containerColumns<Job>(({ spec }) => spec?.template?.spec),
  column("Selector", jobSelectorText, ({ spec }) => selectorText(spec?.selector), wide),
);

export const cronJobTable: TableDefinition<CronJob> = tableOfColumns<CronJob>(
  nameColumn(),
  column("Schedule", cronJobTexts.schedule, ({ spec }) => spec?.schedule ?? ""),
  column("Timezone", cronJobTexts.timezone, ({ spec }) => spec?.timeZone ?? none),
  column("Suspend", cronJobTexts.suspend, suspendText, { type: "boolean" }),
  column("Active", cronJobTexts.active, ({ status }) => status?.active?.length ?? 0, {
    type: "integer",
  }),
  column("Last Schedule", cronJobTexts.lastSchedule, ({ status }, nowMs) =>
    status?.lastScheduleTime === undefined ? none : ageOf(status.lastScheduleTime, nowMs),
  ),
  ageColumn(),
  ...containerColumns<CronJob>(({ spec }) => spec?.jobTemplate?.spec?.template?.spec),
  column(
    "Selector",
    jobSelectorText,
    ({ spec }) => selectorText(spec?.jobTemplate?.spec?.selector),
    wide,
  ),
);

const ended = ["Complete", "Failed"];
const unfinished = ["Suspended", "FailureTarget", "SuccessCriteriaMet"];

/** The first condition that holds; a job that is being deleted may still have ended before. */
function statusText({ metadata, status }: Job): string {
  const holds = (type: string) => isConditionTrue(status?.conditions, type);
  const deleted = metadata?.deletionTimestamp === undefined ? undefined : "Terminating";
  return ended.find(holds) ?? deleted ?? unfinished.find(holds) ?? "Running";
}

function completionsText({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationText({ status }: Job, nowMs: number): string {
  const startMs = timestampMs(status?.startTime);
  if (startMs === undefined) return "";
  return humanDuration((timestampMs(status?.completionTime) ?? nowMs) - startMs);
}

function suspendText({ spec }: CronJob): string {
  if (spec?.suspend === undefined) return unset;
  return spec.suspend ? "True" : "False";
}
