// Drift that views show although nothing is known to have changed: the content was other when the annotation came that asks for a restart, or a pod
// was started by a node that had not heard of the change yet. A pod counts only if it was made for the last restart: after one, those that are
// still on their way out say nothing.

import type { PodUse } from "../../api/config/pod-uses.ts";
import type { PodObject } from "../pods/pod-object.ts";
import { ALL_KEYS, type AskingWorkload, type NamespaceDigests } from "./asking-workload.ts";
import { isOf, isSame, type ViewObject } from "./pod-standing.ts";
import { type ObjectChange, objectName, type WantedObject } from "./reload-state.ts";
import type { ReloadTarget } from "./reload-target.ts";
import { RELOADED_FOR } from "./reload-writer.ts";

/** What a start of the container would clear. */
const FROZEN: ReadonlySet<string> = new Set([
  "EnvFrozen",
  "ArgsFrozen",
  "SubPathFrozen",
  "ImmutableRecreated",
]);
/** A restart that does not clear it must not be followed by the next at once. */
const BETWEEN_RESTARTS_MS = 300_000;

export interface DriftQuestion {
  readonly target: ReloadTarget;
  readonly asking: AskingWorkload;
  readonly digests: NamespaceDigests;
  /** Of its newest template. */
  readonly pods: readonly PodObject[];
  readonly viewOf: (pod: PodObject) => ViewObject | undefined;
}

export function hasFrozen({ uses }: ViewObject): boolean {
  return uses?.some(({ drift }) => drift && FROZEN.has(drift.reason)) === true;
}

/** Objects of which a pod of the workload has frozen content that a restart is asked for. */
export function seenDrift(question: DriftQuestion): readonly ObjectChange[] {
  const { target, asking, digests, viewOf } = question;
  const wasMadeFor = target.podAnnotations[RELOADED_FOR];
  const views = question.pods
    .filter(({ metadata }) => metadata.annotations?.[RELOADED_FOR] === wasMadeFor)
    .map(viewOf)
    .filter((view) => view !== undefined && hasFrozen(view));
  if (views.length === 0) return [];
  return asking.wanted(digests).flatMap((object) => {
    const version = digests.get(object.kind, object.name)?.version;
    if (version === undefined) return [];
    const isFrozen = (use: PodUse): boolean =>
      views.some((view) =>
        view?.uses?.some(
          (seen) =>
            isOf(seen, use) &&
            FROZEN.has(seen.drift?.reason ?? "") &&
            isSame(seen.wanted?.hash, version) &&
            !isSame(seen.onDisk?.hash, version),
        ),
      );
    const uses = asking.alwaysRestarting(object, digests).filter(isFrozen);
    return uses.length === 0 ? [] : [changeOf(object, uses)];
  });
}

/** How long it is too early for another restart that should have cleared what the last one did not. */
export function restartedLatelyMs({ podAnnotations }: ReloadTarget, nowMs: number): number {
  const atMs = reloadedAtMs(podAnnotations[RELOADED_FOR]);
  // A time to come is another clock's, and would hold it up for ever.
  return atMs === undefined || atMs > nowMs ? 0 : Math.max(0, atMs + BETWEEN_RESTARTS_MS - nowMs);
}

export function withDrift(
  changes: readonly ObjectChange[],
  drifted: readonly ObjectChange[],
): readonly ObjectChange[] {
  const known = new Set(changes.map(objectName));
  return [...changes, ...drifted.filter((one) => !known.has(objectName(one)))];
}

/** Which of the keys it was, views do not say. */
function changeOf({ kind, name }: WantedObject, uses: readonly PodUse[]): ObjectChange {
  const keys = new Set(uses.flatMap((use) => use.keys ?? [ALL_KEYS]));
  return { kind, name, keys: keys.size === 1 ? [...keys] : [ALL_KEYS] };
}

function reloadedAtMs(text: string | undefined): number | undefined {
  const [, at = ""] = /"at":"([^"]+)"/.exec(text ?? "") ?? [];
  const atMs = Date.parse(at);
  return Number.isNaN(atMs) ? undefined : atMs;
}
