// The view of one pod, made of what the agent knows (pod-facts.ts) and of nothing else. What was reported before only lends its times, so that
// they survive a restart of the agent (steady-use.ts).

import { microTime } from "../../api/api-time.ts";
import { type PodUse, podUses } from "../../api/config/pod-uses.ts";
import type { ConfigUse, PodSpec } from "../../api/types.ts";
import { withSubPaths } from "../env/with-sub-paths.ts";
import { referenceKey } from "../objects/config-object.ts";
import { usesOf } from "../sub-path/volume-use.ts";
import { type HeldContent, heldContent, isWanted } from "./held-content.ts";
import { type PodFacts, referenceTo } from "./pod-facts.ts";
import { steadyUse } from "./steady-use.ts";
import { silence, useConfirmation } from "./use-confirmation.ts";
import { type JudgedUse, useDrift, writeFailed } from "./use-drift.ts";
import type { ObjectStage } from "./view-sources.ts";

export interface PodView {
  /** In the order of the spec. */
  readonly uses: readonly ConfigUse[];
  /** When it says something else although nothing happened; wall clock. */
  readonly recheckAtMs: number | undefined;
}

/** `before` is what was reported last of this very pod. */
export function podView(facts: PodFacts, before: readonly ConfigUse[] = []): PodView {
  const known = new Map(before.map((use) => [identityOf(use), use]));
  const consumed = podUses(asStarted(facts)).filter((use) => !hasNoConsumer(use, facts));
  const judged = consumed.map((use) => judge(use, facts));
  const times = judged.flatMap((one) => lateAtMs(one) ?? []).filter((ms) => ms > facts.nowMs);
  return {
    uses: judged.map((one) => {
      const reported = report(one, facts);
      const last = known.get(identityOf(reported));
      if (one.isKnown) return steadyUse(stillTampered(one, { reported, last, facts }), last);
      return cutOff(one, { reported, last, facts }) ?? last ?? reported;
    }),
    recheckAtMs: times.length === 0 ? undefined : Math.min(...times),
  };
}

/**
 * A volume of a former life that this one cannot refresh shows what it showed. Nobody knows what that is: the last report may be too old for the last
 * deed of that life.
 */
function cutOff(
  { use, stage }: JudgedUse,
  of: {
    readonly reported: ConfigUse;
    readonly last: ConfigUse | undefined;
    readonly facts: PodFacts;
  },
): ConfigUse | undefined {
  const { reported, last, facts } = of;
  const failed = stage && use.volume !== "" ? writeFailed(use, facts) : undefined;
  if (failed === undefined) return undefined;
  const { reason, message } = failed;
  const drift = { reason, message, since: microTime(facts.nowMs) };
  return steadyUse({ ...reported, drift }, last);
}

/** Files that were tampered with are written anew for everybody but those who do not follow: they see them until they start anew. */
function stillTampered(
  { use, held }: JudgedUse,
  of: {
    readonly reported: ConfigUse;
    readonly last: ConfigUse | undefined;
    readonly facts: PodFacts;
  },
): ConfigUse {
  const { reported, last, facts } = of;
  const { drift } = last ?? {};
  const { startedAtMs = 0 } = facts.containers.get(use.container)?.[0] ?? {};
  const wasTampered =
    drift?.reason === "TamperedOnDisk" && startedAtMs < Date.parse(drift.since ?? "");
  return wasTampered && held?.stuck !== undefined ? { ...reported, drift } : reported;
}

function lateAtMs({ isWanted: hasWanted, confirmation }: JudgedUse): number | undefined {
  return hasWanted ? confirmation.missing?.lateAtMs : undefined;
}

/** Sub paths as they are mounted: which keys they show is known only then. */
function asStarted({ pod: { spec }, containers }: PodFacts): PodSpec {
  const started = <T extends NonNullable<PodSpec["containers"]>[number]>(one: T): T =>
    withSubPaths(one, usesOf(containers.get(one.name)?.[0]?.annotations ?? {}));
  const { initContainers, containers: regular } = spec;
  return {
    ...spec,
    containers: (regular ?? []).map(started),
    ...(initContainers && { initContainers: initContainers.map(started) }),
  };
}

/** It has ended, and nobody starts it again. */
function hasNoConsumer(
  { containerType, container }: PodUse,
  { pod, containers }: PodFacts,
): boolean {
  const end = containers.get(container)?.[0]?.end;
  if (end === undefined) return false;
  if (containerType === "ephemeral") return true;
  if (containerType === "init") return end.exitCode === 0;
  if (containerType === "sidecar") return false;
  const { restartPolicy = "Always" } = pod.spec;
  return restartPolicy === "Never" || (restartPolicy === "OnFailure" && end.exitCode === 0);
}

/** An agent that has just begun does not know yet what a former life knew: what that reported stays until it does. */
interface JudgedNow extends JudgedUse {
  readonly isKnown: boolean;
}

function judge(use: PodUse, facts: PodFacts): JudgedNow {
  const newest = facts.containers.get(use.container)?.[0];
  const running = newest?.end === undefined ? newest : undefined;
  const held = running && heldContent(use, running, facts);
  const stage = facts.stages.stage(referenceTo(use, facts));
  return {
    ...{ use, held, stage },
    isKnown: stage !== undefined && (running === undefined || held !== undefined),
    isWanted: held !== undefined && isWanted(use, held, facts),
    confirmation: held === undefined ? silence : useConfirmation(use, held, facts),
  };
}

function report(judged: JudgedUse, facts: PodFacts): ConfigUse {
  const { use, stage, held, isWanted: hasWanted } = judged;
  const { kind, name, how, container, mountPath, keys } = use;
  const wanted = stage?.wanted && {
    hash: stage.wanted.version,
    resourceVersion: stage.wanted.resourceVersion,
    at: microTime(stage.seenAtMs),
  };
  const onDisk = held && versionOf(held, hasWanted ? wanted : undefined);
  return {
    ...{ kind, name, how, container, mountPath },
    ...(keys && { keys: [...keys] }),
    ...(wanted && { wanted }),
    ...(onDisk && { onDisk }),
    ...appliedOf(judged, onDisk, facts),
    ...(wanted && stage && { stages: stagesOf(judged, stage) }),
    ...reloadOf(judged, onDisk, facts),
    ...driftOf(judged, facts),
  };
}

function driftOf(judged: JudgedUse, facts: PodFacts): Pick<ConfigUse, "drift"> {
  const found = useDrift(judged, facts);
  if (found === undefined) return {};
  const { reason, message, sinceMs = facts.nowMs } = found;
  return { drift: { reason, message, since: microTime(sinceMs) } };
}

type Version = NonNullable<ConfigUse["onDisk"]>;

/** What has the wanted content has the wanted version, whichever one brought it. */
function versionOf(
  { object, atMs }: HeldContent,
  wanted: Version | undefined,
): Version | undefined {
  const at = atMs === undefined ? {} : { at: microTime(atMs) };
  if (wanted) return { hash: wanted.hash, resourceVersion: wanted.resourceVersion, ...at };
  if (typeof object !== "object") return undefined;
  return { hash: object.version, resourceVersion: object.resourceVersion, ...at };
}

function appliedOf(
  { use, held, confirmation: { confirmed } }: JudgedUse,
  onDisk: Version | undefined,
  facts: PodFacts,
): Pick<ConfigUse, "applied" | "confirmedBy"> {
  if (held?.files === undefined) return onDisk ? { applied: onDisk, confirmedBy: "Start" } : {};
  if (confirmed === undefined) return {};
  const isShown = confirmed.files === held.files;
  const hash = isShown ? onDisk?.hash : pastHash(use, confirmed.files, facts);
  if (hash === undefined) return {};
  const resourceVersion = isShown ? onDisk?.resourceVersion : undefined;
  return {
    applied: {
      hash,
      ...(resourceVersion !== undefined && { resourceVersion }),
      at: microTime(confirmed.atMs),
    },
    confirmedBy: confirmed.by,
  };
}

function reloadOf(
  { use, held, confirmation: { reload } }: JudgedUse,
  onDisk: Version | undefined,
  facts: PodFacts,
): Pick<ConfigUse, "reload"> {
  if (reload === undefined) return {};
  const { action, result, version, attempts, atMs, message } = reload;
  const isShown = version === held?.files;
  const hash = (isShown ? onDisk?.hash : pastHash(use, version, facts)) ?? version;
  return {
    reload: {
      ...{ action, result, hash, attempts, at: microTime(atMs) },
      ...(message !== "" && { message }),
    },
  };
}

/** Of the object, when the volume's files had this version. */
function pastHash(use: PodUse, files: string, facts: PodFacts): string | undefined {
  const key = referenceKey(referenceTo(use, facts));
  const past = facts.volumes.get(use.volume)?.past(files);
  return past?.find((one) => referenceKey(one) === key)?.version;
}

/** Each no earlier than the one before: content that was there before anybody asked for it arrived when it was asked for. */
function stagesOf(judged: JudgedUse, stage: ObjectStage): Record<string, string> {
  const isThrough = stage.held === undefined && stage.admitted?.version === stage.wanted?.version;
  const times: Record<string, string> = {};
  let lastMs = 0;
  for (const [name, atMs] of [
    ["seen", stage.seenAtMs],
    ["gated", isThrough ? stage.admittedAtMs : undefined],
    ...stagesInContainer(judged, stage),
  ] as const) {
    if (atMs === undefined) continue;
    lastMs = Math.max(lastMs, atMs);
    times[name] = microTime(lastMs);
  }
  return times;
}

function stagesInContainer(
  { held, isWanted: hasWanted, confirmation: { noticedAtMs, confirmed } }: JudgedUse,
  { seenAtMs }: ObjectStage,
): readonly (readonly [stage: string, atMs: number | undefined])[] {
  if (!hasWanted || held === undefined) return [];
  const { atMs = seenAtMs, files } = held;
  if (files === undefined) {
    return [
      ["onDisk", atMs],
      ["applied", atMs],
    ];
  }
  return [
    ["onDisk", atMs],
    ["noticed", noticedAtMs],
    ["applied", confirmed?.files === files ? confirmed.atMs : undefined],
  ];
}

function identityOf({ kind, name, how, container = "", mountPath = "" }: ConfigUse): string {
  return JSON.stringify([kind, name, how, container, mountPath]);
}
