// What running pods have that is older than what they should have. Where a node reports it (ConfigView), its word counts; elsewhere it
// follows from times: a container that started before the content that it was started with was written.

import { apiTime } from "../../api/api-time.ts";
import type { ConfigHow, PodUse } from "../../api/config/pod-uses.ts";
import { humanDuration } from "../../api/duration.ts";
import type { ConfigUse, ContainerStatus, Pod } from "../../api/types.ts";
import { list } from "../../api/validation/absent.ts";
import { effectOfChange, type JudgedPod, type World } from "../checks/world.ts";
import { type Finding, found } from "../finding.ts";
import { containerPath } from "../pod-subject.ts";
import type { RuleName } from "../rules.ts";
import { nameOf } from "../subject.ts";
import { type LastChange, lastChange, type ObjectChanges } from "./change-times.ts";

export interface LiveFacts {
  readonly world: World;
  changesOf(of: Pick<PodUse, "kind" | "name">, namespace: string): ObjectChanges | undefined;
  /** The uses that a node reports to have drifted; undefined if it reports nothing of the pod. */
  reportedDrift(podUid: string): readonly ConfigUse[] | undefined;
  readonly nowMs: number;
}

/** A restart that was asked for may take so long: bursts are merged, and rollouts go pod by pod. */
const RELOAD_GRACE_MS = 120_000;

export function driftFindings(pod: JudgedPod, facts: LiveFacts): readonly Finding[] {
  const { metadata, status } = pod.subject.object as Pod;
  const reported = facts.reportedDrift(metadata.uid ?? "");
  if (reported !== undefined) return reported.flatMap((use) => reportedFinding(pod, use));
  if (status?.phase !== "Running" || metadata.deletionTimestamp) return [];
  const started = startTimes(pod.subject.object as Pod);
  return pod.uses.flatMap((use) => {
    const startedMs = started.get(use.container);
    const rule = STALE[use.how];
    if (startedMs === undefined || rule === undefined || use.containerType === "init") return [];
    if (use.how === "subPath" && facts.world.subPathFollows) return [];
    const changes = facts.changesOf(use, pod.subject.namespace);
    const change = changes === undefined ? undefined : lastChange(changes, use.keys);
    if (change === undefined || change.atMs <= startedMs) return [];
    return staleFinding({ pod, use, rule, change, startedMs, facts });
  });
}

const STALE: Readonly<Record<ConfigHow, RuleName | undefined>> = {
  env: "env-stale",
  args: "args-stale",
  subPath: "subpath-stale",
  volume: undefined,
};

/** Reports that delivery is held back on purpose, or waits for an answer. */
const MILD: ReadonlySet<string> = new Set(["NotConfirmed", "RolloutHeld"]);

function reportedFinding({ subject }: JudgedPod, use: ConfigUse): readonly Finding[] {
  const { drift, how, container } = use;
  if (!drift) return [];
  const of = container ? ` in container ${JSON.stringify(container)}` : "";
  const message = `${drift.reason}: ${how} of ${nameOf(use)}${of}. ${drift.message ?? ""}`.trim();
  const severity = MILD.has(drift.reason) ? "warning" : "error";
  return [found("drift", { subject, path: [] }, message, { severity })];
}

function startTimes({ status }: Pod): ReadonlyMap<string, number> {
  const all: readonly ContainerStatus[] = [
    ...list(status?.initContainerStatuses),
    ...list(status?.containerStatuses),
    ...list(status?.ephemeralContainerStatuses),
  ];
  return new Map(
    all.flatMap(({ name, state }) => {
      const startedMs = Date.parse(state?.running?.startedAt ?? "");
      return Number.isNaN(startedMs) ? [] : [[name, startedMs] as const];
    }),
  );
}

function staleFinding(of: {
  readonly pod: JudgedPod;
  readonly use: PodUse;
  readonly rule: RuleName;
  readonly change: LastChange;
  readonly startedMs: number;
  readonly facts: LiveFacts;
}): readonly Finding[] {
  const { pod, use, change, startedMs, facts } = of;
  const isReloaded = effectOfChange(pod, use, facts.world) === "restart";
  if (isReloaded && facts.nowMs - change.atMs < RELOAD_GRACE_MS) return [];
  const at = { subject: pod.subject, path: containerPath(pod, use.path) };
  const behind = humanDuration(change.atMs - startedMs);
  const by = change.manager === "" ? "" : ` by ${change.manager}`;
  const seen = use.how === "subPath" ? `the file at ${use.mountPath}` : WORDS[use.how];
  const message = `${nameOf(use)} was written${by} at ${apiTime(change.atMs)}, ${behind} after container ${JSON.stringify(use.container)} started (${apiTime(startedMs)}): ${seen} is from before.`;
  return [found(isReloaded ? "not-reloaded" : of.rule, at, message)];
}

const WORDS = {
  env: "its environment",
  args: "what its arguments are made of",
  volume: "",
} as const;
