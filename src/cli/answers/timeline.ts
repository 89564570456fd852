// The way of one change to each consumer, stage by stage, in milliseconds since it was committed. Pure. Times come from several machines: one
// that is earlier than the one before it tells of their clocks, and is said.

import type { ConfigRevision } from "../../api/types.ts";
import type { Consumer } from "./consumers.ts";

export const STAGES = ["seen", "gated", "onDisk", "noticed", "applied"] as const;
export type Stage = (typeof STAGES)[number];

interface StageTime {
  readonly stage: Stage;
  readonly at: string;
  /** Since it was committed. */
  readonly lagMs: number;
}

export interface Timeline {
  readonly consumer: Consumer;
  /** In their order; those that are not known are left out. Never empty. */
  readonly stages: readonly [StageTime, ...StageTime[]];
  /** Of the last stage that is known. */
  readonly totalMs: number;
}

interface StageSummary {
  readonly stage: Stage;
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface Trace {
  /** Slowest first. */
  readonly timelines: readonly Timeline[];
  /** Those of whom nothing can be drawn, and why. */
  readonly others: readonly { readonly consumer: Consumer; readonly why: string }[];
  readonly stages: readonly StageSummary[];
  /** About clocks. */
  readonly notes: readonly string[];
  /** False: nobody knows when it was committed; lags are since the first who saw it. */
  readonly isSinceCommit: boolean;
}

export interface TracedChange {
  /** The version whose way is asked for. */
  readonly hash: string;
  readonly revision: Pick<ConfigRevision, "changedAt"> | undefined;
}

export function traceOf(consumers: readonly Consumer[], change: TracedChange): Trace {
  const committedMs = microTimeMs(change.revision?.changedAt);
  const found = consumers.map((consumer) => ({
    consumer,
    times: stageTimes(consumer, change.hash),
  }));
  const firstMs = Math.min(
    ...found.flatMap(({ times }) => times.flatMap(({ at }) => microTimeMs(at) ?? [])),
  );
  const sinceMs = committedMs ?? firstMs;
  const timelines: Timeline[] = [];
  const others: { consumer: Consumer; why: string }[] = [];
  for (const { consumer, times } of found) {
    const why = whyNot(consumer, times.length, { hash: change.hash, committedMs });
    const stages = times.map(({ stage, at }) => {
      return { stage, at, lagMs: toMicros((microTimeMs(at) ?? sinceMs) - sinceMs) };
    });
    const [first, ...rest] = stages;
    if (why !== undefined || first === undefined) others.push({ consumer, why: why ?? "" });
    else timelines.push({ consumer, stages: [first, ...rest], totalMs: totalOf(stages) });
  }
  return {
    timelines: timelines.toSorted((a, b) => b.totalMs - a.totalMs),
    others,
    stages: STAGES.flatMap((stage) => summaryOf(stage, timelines)),
    notes: skewNotes(timelines, committedMs !== undefined),
    isSinceCommit: committedMs !== undefined,
  };
}

interface Asked {
  readonly hash: string;
  readonly committedMs: number | undefined;
}

/** Undefined: there is something to draw. */
function whyNot(
  { judged, use, createdAt }: Consumer,
  known: number,
  { hash, committedMs }: Asked,
): string | undefined {
  const madeMs = microTimeMs(createdAt);
  // The creation of a pod is known to the second.
  if (committedMs !== undefined && madeMs !== undefined && madeMs > committedMs) {
    return use.onDisk?.hash === hash
      ? "its pod is younger than the change, and has had it from its start"
      : "its pod is younger than the change";
  }
  if (known > 0) return undefined;
  if (judged.message !== "") return judged.message;
  return use.onDisk?.hash === hash
    ? "its node has kept no times"
    : "it has another version, and times are kept of the newest only";
}

/** Times of the wanted version are reported by stage; of an older one that is still there only since when. */
function stageTimes({ use }: Consumer, hash: string): readonly { stage: Stage; at: string }[] {
  const { wanted, onDisk, applied, stages = {} } = use;
  const reported = (stage: Stage): string | undefined => {
    if (wanted?.hash === hash) return stages[stage];
    if (stage === "onDisk" && onDisk?.hash === hash) return onDisk.at;
    return stage === "applied" && applied?.hash === hash ? applied.at : undefined;
  };
  return STAGES.flatMap((stage) => {
    const at = reported(stage);
    return microTimeMs(at) === undefined || at === undefined ? [] : { stage, at };
  });
}

function totalOf(stages: readonly StageTime[]): number {
  return Math.max(0, ...stages.map(({ lagMs }) => lagMs));
}

function summaryOf(stage: Stage, timelines: readonly Timeline[]): readonly StageSummary[] {
  const lags = timelines
    .flatMap(({ stages }) => stages.filter((one) => one.stage === stage))
    .map(({ lagMs }) => Math.max(0, lagMs))
    .toSorted((a, b) => a - b);
  if (lags.length === 0) return [];
  const at = (part: number): number => lags[Math.ceil(part * lags.length) - 1] ?? 0;
  return [{ stage, count: lags.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: lags.at(-1) ?? 0 }];
}

const STAGE_WORDS: Readonly<Record<Stage, string>> = {
  seen: "seen",
  gated: "gated",
  onDisk: "on disk",
  noticed: "noticed",
  applied: "applied",
};

export function stageWord(stage: Stage): string {
  return STAGE_WORDS[stage];
}

/** Once for each node and pair of stages, with the largest difference. */
function skewNotes(timelines: readonly Timeline[], isSinceCommit: boolean): readonly string[] {
  const worst = new Map<string, number>();
  for (const { consumer, stages } of timelines) {
    let before = { word: "committed", lagMs: isSinceCommit ? 0 : Number.NEGATIVE_INFINITY };
    for (const { stage, lagMs } of stages) {
      const word = stageWord(stage);
      const aheadMs = before.lagMs - lagMs;
      const key = `on node ${consumer.node} "${word}" is earlier than "${before.word}"`;
      if (aheadMs > 0) worst.set(key, Math.max(aheadMs, worst.get(key) ?? 0));
      before = { word, lagMs: Math.max(lagMs, before.lagMs) };
    }
  }
  return [...worst].map(
    ([what, ms]) => `clocks differ: ${what} by ${durationText(ms)}; it is drawn as if at once`,
  );
}

/** To the microsecond, which Date.parse is not. */
export function microTimeMs(text: string | null | undefined): number | undefined {
  if (text === undefined || text === null) return undefined;
  const ms = Date.parse(text.replace(/\.\d+/, ""));
  if (Number.isNaN(ms)) return undefined;
  const fraction = /\.\d+/.exec(text)?.[0] ?? "";
  return ms + Number(`0${fraction}`) * 1000;
}

/** Times are known to the microsecond; what a subtraction adds is noise. */
function toMicros(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** "0.42 ms", "12 ms", "4.2 s", "3m20s" */
export function durationText(ms: number): string {
  if (ms < 1) return `${trimmed(ms.toFixed(2))} ms`;
  if (ms < 10) return `${trimmed(ms.toFixed(1))} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${trimmed((ms / 1000).toFixed(1))} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}m${seconds % 60}s`;
  return `${Math.floor(minutes / 60)}h${minutes % 60}m`;
}

function trimmed(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
