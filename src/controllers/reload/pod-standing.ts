// Whether a pod already has the content that a restart would bring, as its view tells. Where there is no view, it has not: a restart too many does less
// harm than one too few.

import type { ApiObject } from "../../api/object.ts";
import type { ConfigUse, ConfigView, ContainerStatus } from "../../api/types.ts";
import type { PodObject } from "../pods/pod-object.ts";
import type { RestartUse } from "./asking-workload.ts";

export type ViewObject = ConfigView & ApiObject;

/**
 * `held`: the node does not let the content through, so a restart would bring the old one again. `coming`: it can be expected in a moment. In the order
 * of what counts for more.
 */
const STANDINGS = ["held", "lacks", "coming", "has"] as const;
export type Standing = (typeof STANDINGS)[number];

/** Reasons for which a node keeps content from its pods. */
const HELD: ReadonlySet<string> = new Set(["GateRejected", "RolloutHeld"]);

export interface StandingQuestion {
  readonly pod: PodObject;
  /** Undefined: none yet, or nobody on its node makes any. */
  readonly view: ViewObject | undefined;
  readonly uses: readonly RestartUse[];
  /** Of the object that changed, as it is now. */
  readonly version: string;
  readonly nowMs: number;
}

/** A view is there well before a pod has run for so long, if anybody makes one. */
const VIEW_DELAY_MS = 10_000;

export function podStanding({ pod, view, uses, version, nowMs }: StandingQuestion): Standing {
  if (!hasStarted(pod)) return "has"; // It reads what is there when it starts.
  if (uses.length === 0) return "lacks"; // Only a list names the object; no view tells of it.
  if (view === undefined) return isNew(pod, nowMs) ? "coming" : "lacks";
  return worst(uses.map((use) => useStanding(use, { pod, view, version })));
}

/** Of none: `has`, since nobody lacks it. */
export function worst(standings: readonly Standing[]): Standing {
  return STANDINGS.find((standing) => standings.includes(standing)) ?? "has";
}

function useStanding(
  { use, needsStart }: RestartUse,
  { pod, view, version }: Pick<StandingQuestion, "pod" | "view" | "version">,
): Standing {
  if (use.containerType === "init") return "lacks"; // Views leave out what has ended.
  const seen = view?.uses?.find((one) => isOf(one, use));
  if (seen === undefined || !isSame(seen.wanted?.hash, version)) return "coming";
  return seen.drift && HELD.has(seen.drift.reason)
    ? "held"
    : seenStanding(seen, { pod, version, needsStart });
}

function seenStanding(
  seen: ConfigUse,
  of: { readonly pod: PodObject; readonly version: string; readonly needsStart: boolean },
): Standing {
  const isFile = seen.how === "volume" || seen.how === "subPath";
  if (!isSame(seen.onDisk?.hash, of.version)) return isFile && !seen.drift ? "coming" : "lacks";
  return isFile && of.needsStart && !startedSince(of.pod, seen) ? "lacks" : "has";
}

export function isOf(seen: ConfigUse, use: RestartUse["use"]): boolean {
  const { kind, name, how, container, mountPath } = seen;
  const isThere = container === use.container && (mountPath ?? "") === use.mountPath;
  return kind === use.kind && name === use.name && how === use.how && isThere;
}

/** Times of starts are whole seconds: only what is clearly later counts. */
function startedSince(pod: PodObject, { container, onDisk }: ConfigUse): boolean {
  const status = statusesOf(pod).find(({ name }) => name === container);
  return Date.parse(status?.state?.running?.startedAt ?? "") > Date.parse(onDisk?.at ?? "");
}

function isNew(pod: PodObject, nowMs: number): boolean {
  const times = statusesOf(pod).map(({ state }) => Date.parse(state?.running?.startedAt ?? ""));
  return times.some((startedMs) => nowMs - startedMs < VIEW_DELAY_MS);
}

function hasStarted(pod: PodObject): boolean {
  return statusesOf(pod).some(
    ({ containerID, restartCount }) => Boolean(containerID) || (restartCount ?? 0) > 0,
  );
}

/** Versions may be given in their short form. */
export function isSame(a: string | undefined, b: string): boolean {
  return a !== undefined && a !== "" && (a.startsWith(b) || b.startsWith(a));
}

function statusesOf({ status }: PodObject): readonly ContainerStatus[] {
  return [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
}
