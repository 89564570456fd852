// `driftless trace` for people: one bar for each consumer on one time axis, a shade for each stage. Pure.

import { ageOf } from "../../api/duration.ts";
import { shortVersion } from "../../base/content-version.ts";
import { plainText } from "../plain-text.ts";
import type { Consumer } from "./consumers.ts";
import { type Look, padded, painted, shortened, widthOf, wrapped } from "./look.ts";
import { type ConfigReference, referenceText } from "./picture.ts";
import { stateWord } from "./status-report.ts";
import { useText } from "./status-text.ts";
import { textTable } from "./text-columns.ts";
import { type TimeAxis, timeAxis } from "./time-axis.ts";
import {
  durationText,
  STAGES,
  type Stage,
  stageWord,
  type Timeline,
  type Trace,
} from "./timeline.ts";

export interface TraceHeading {
  readonly object: ConfigReference;
  readonly hash: string;
  readonly number: number | undefined;
  readonly author: string | undefined;
  readonly changedAt: string | undefined;
}

export interface TraceTextOptions {
  readonly look: Look;
  readonly nowMs: number;
}

/** More are told by the slowest of them. */
const MAX_BARS = 20;
const SLOWEST = 10;
const MAX_OTHERS = 10;
const DEFAULT_COLUMNS = 80;
const MAX_COLUMNS = 160;
const MAX_LABEL = 32;
const MIN_POD = 12;

/** With a line end. */
export function traceText(heading: TraceHeading, trace: Trace, options: TraceTextOptions): string {
  const columns = Math.min(options.look.columns ?? DEFAULT_COLUMNS, MAX_COLUMNS);
  const look = { ...options.look, columns };
  const blocks = [
    headingLines(heading, options.nowMs),
    ...(trace.timelines.length > 0 ? [barLines(trace, look), summaryLines(trace, look)] : []),
    otherLines(trace, look),
    noteLines(trace, look),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function headingLines(heading: TraceHeading, nowMs: number): readonly string[] {
  const { object, hash, number, author, changedAt } = heading;
  const by = author === undefined || author === "" ? "" : ` by ${author}`;
  const revision = number === undefined ? "" : `  revision ${number}${by}`;
  const lines = [`${referenceText(object)}  ${shortVersion(hash)}${revision}`];
  if (changedAt !== undefined)
    lines.push(`committed ${changedAt} (${ageOf(changedAt, nowMs)} ago)`);
  return lines.map(plainText);
}

const SHADES: Readonly<Record<Stage, readonly [string, string]>> = {
  seen: ["░", "."],
  gated: ["▒", ":"],
  onDisk: ["▓", "="],
  noticed: ["▚", "+"],
  applied: ["█", "#"],
};

function shade(stage: Stage, { isUnicode }: Look): string {
  return SHADES[stage][isUnicode ? 0 : 1];
}

function barLines(trace: Trace, look: Look & { readonly columns: number }): readonly string[] {
  const { timelines } = trace;
  const shown = timelines.length > MAX_BARS ? timelines.slice(0, SLOWEST) : timelines;
  const labels = shown.map(({ consumer }) => shortLabelOf(consumer, look));
  const labelWidth = Math.min(Math.max(...labels.map(widthOf)), MAX_LABEL);
  const ends = shown.map(endText);
  const width = Math.max(look.columns - labelWidth - Math.max(...ends.map(widthOf)) - 4, 10);
  const axis = timeAxis(
    shown.map(({ totalMs }) => totalMs),
    width,
  );
  const [names, ticks] = axis.lines(look.isUnicode);
  const indent = " ".repeat(labelWidth + 2);
  const bars = shown.map((timeline, at) => {
    const label = padded(shortened(look, labels[at] ?? "", labelWidth), labelWidth);
    return `${label}  ${padded(bar(timeline, axis, look), width)}  ${ends[at] ?? ""}`;
  });
  const more = timelines.length - shown.length;
  const left = more > 0 ? [`The slowest ${shown.length}; ${more} more were faster.`] : [];
  const scale = axis.isLog ? "  (logarithmic)" : "";
  const known = new Set(shown.flatMap(({ stages }) => stages.map(({ stage }) => stage)));
  const legend = STAGES.filter((stage) => known.has(stage))
    .map((stage) => `${shade(stage, look)} ${stageWord(stage)}`)
    .join("  ");
  return [
    `${indent}${names}`,
    painted(look, "dim", `${indent}${ticks}`),
    ...bars,
    ...left,
    `until  ${legend}${scale}`,
  ];
}

function labelOf({ pod, use }: Consumer): string {
  return plainText(`${pod} ${useText(use)}`);
}

/** The pod gives way first: its owner and its use tell more. */
function shortLabelOf({ pod, use }: Consumer, look: Look): string {
  const used = `${use.container ?? ""} ${use.mountPath || use.how}`;
  const room = Math.max(MAX_LABEL - 1 - widthOf(used), MIN_POD);
  return plainText(`${shortened(look, pod, room)} ${used}`);
}

/** "12 ms applied", the last that is known; "4 ms gated, frozen" where it ended. */
function endText({ stages, totalMs, consumer }: Timeline): string {
  const last = stages.at(-1) ?? stages[0];
  const { state } = consumer.judged;
  const stuck = state === "InSync" ? "" : `, ${stateWord(state)}`;
  return `${durationText(totalMs)} ${stageWord(last.stage)}${stuck}`;
}

/** From the stage before to the stage in its shade. What is shorter than a column is not seen, but never is all. */
function bar({ stages }: Timeline, axis: TimeAxis, look: Look): string {
  let drawn = "";
  for (const { stage, lagMs } of stages) {
    drawn += shade(stage, look).repeat(Math.max(axis.columnOf(lagMs) - widthOf(drawn), 0));
  }
  return drawn === "" ? shade((stages.at(-1) ?? stages[0]).stage, look) : drawn;
}

function summaryLines({ timelines, stages }: Trace, look: Look): readonly string[] {
  const [slowest] = timelines;
  if (slowest === undefined || timelines.length === 1) return [];
  const rows = stages.map(({ stage, count, p50Ms, p99Ms, maxMs }) => [
    { text: stageWord(stage) },
    ...[p50Ms, p99Ms, maxMs].map((ms) => ({ text: durationText(ms) })),
    { text: `${count} of ${timelines.length}` },
  ]);
  const columns = ["STAGE", "P50", "P99", "SLOWEST", "KNOWN"].map((name) => ({ name }));
  const last = slowest.stages.at(-1) ?? slowest.stages[0];
  const text = `Slowest: ${labelOf(slowest.consumer)}: ${stageWord(last.stage)} after ${durationText(slowest.totalMs)}`;
  return [...textTable(look, columns, rows), wrapped(look, text, "  ")];
}

/** Those with the same reason are one. */
function otherLines({ others }: Trace, look: Look): readonly string[] {
  const groups = [...Map.groupBy(others, ({ why }) => why)];
  const lines = groups.slice(0, MAX_OTHERS).map(([why, group]) => {
    const [first] = group;
    const more = group.length > 1 ? ` and ${group.length - 1} more` : "";
    const who = first === undefined ? "" : labelOf(first.consumer);
    return wrapped(look, `  ${who}${more}: ${plainText(why)}`, "    ");
  });
  const rest = groups.slice(MAX_OTHERS).reduce((sum, [, group]) => sum + group.length, 0);
  if (lines.length === 0) return [];
  return ["Not drawn:", ...lines, ...(rest > 0 ? [`  and ${rest} more`] : [])];
}

function noteLines(trace: Trace, look: Look): readonly string[] {
  const { timelines, isSinceCommit, notes } = trace;
  const since =
    isSinceCommit || timelines.length === 0
      ? []
      : ["when it was committed is not known: lags are since the first who saw it"];
  const arrived = timelines.filter(({ stages }) => stages.some(({ stage }) => stage === "onDisk"));
  const unconfirmed = arrived.filter(({ stages }) => stages.at(-1)?.stage !== "applied");
  const silent =
    unconfirmed.length === 0
      ? []
      : [
          `${unconfirmed.length} of ${arrived.length} that have it have not confirmed that they run with it`,
        ];
  return [...silent, ...since, ...notes].map((note) =>
    wrapped(look, `Note: ${plainText(note)}`, "  "),
  );
}
