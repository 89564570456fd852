// What `driftless status` says, before it is text: the objects that were asked about, each with those who use it. Pure.

import type { UseState } from "../../api/config/use-state.ts";
import type { ConfigRevision } from "../../api/types.ts";
import { type Consumer, consumersIn, ownerOf } from "./consumers.ts";
import { type ConfigReference, type Picture, referenceKey } from "./picture.ts";
import { type Rollout, rolloutsIn } from "./rollouts.ts";

export type Scope =
  | { readonly type: "all" }
  | { readonly type: "object"; readonly object: ConfigReference }
  /** "pod/x" or "deployment/api" */
  | { readonly type: "owner"; readonly owner: string };

export interface ObjectReport {
  readonly object: ConfigReference;
  /** As in Picture.versionNow. */
  readonly version: string | undefined;
  /** The one that the object has now; undefined if it is not known. */
  readonly revision: ConfigRevision | undefined;
  readonly consumers: readonly Consumer[];
}

export interface StatusReport {
  readonly objects: readonly ObjectReport[];
  /** Those who will use the objects too, and are not through. */
  readonly rollouts: readonly Rollout[];
  readonly notes: readonly string[];
}

export function statusReport(picture: Picture, scope: Scope): StatusReport {
  const consumers = consumersIn(picture).filter((one) => isIn(one, scope));
  const groups = Map.groupBy(consumers, ({ object }) => referenceKey(object));
  if (scope.type === "object") {
    const key = referenceKey(scope.object);
    if (!groups.has(key)) groups.set(key, []);
  }
  const objects = [...groups.values()].flatMap((group) => {
    const object = group[0]?.object ?? (scope.type === "object" ? scope.object : undefined);
    return object === undefined ? [] : [objectReport(picture, object, group)];
  });
  const rollouts = rolloutsIn(picture.workloads).filter((one) => concerns(one, scope));
  return { objects, rollouts, notes: notesOf(picture, objects) };
}

export function consumersOf({ objects }: Pick<StatusReport, "objects">): readonly Consumer[] {
  return objects.flatMap(({ consumers }) => consumers);
}

export function isAllInSync(report: Pick<StatusReport, "objects">): boolean {
  return consumersOf(report).every(({ judged }) => judged.state === "InSync");
}

const WORDS: Readonly<Record<UseState, string>> = {
  InSync: "in sync",
  Behind: "behind",
  Frozen: "frozen",
  Rejected: "rejected",
  Unknown: "unknown",
};

export function stateWord(state: UseState): string {
  return WORDS[state];
}

const NOT_IN_SYNC: readonly UseState[] = ["Rejected", "Frozen", "Behind", "Unknown"];

export type StateCounts = Readonly<Record<UseState, number>>;

export function countStates(consumers: readonly Consumer[]): StateCounts {
  const counts = { InSync: 0, Behind: 0, Frozen: 0, Rejected: 0, Unknown: 0 };
  for (const { judged } of consumers) counts[judged.state]++;
  return counts;
}

/** "18 of 20 in sync; 2 frozen: env of deployment/api" */
export function summaryText(consumers: readonly Consumer[]): string {
  if (consumers.length === 0) return "no pod uses it";
  const counts = countStates(consumers);
  const parts = NOT_IN_SYNC.filter((state) => counts[state] > 0).map((state) => {
    const who = consumers.filter(({ judged }) => judged.state === state).map(useOfOwner);
    return `${counts[state]} ${WORDS[state]}: ${firstOf([...new Set(who)])}`;
  });
  return [`${counts.InSync} of ${consumers.length} in sync`, ...parts].join("; ");
}

/** "env of deployment/api" */
function useOfOwner(consumer: Consumer): string {
  return `${consumer.use.how} of ${ownerOf(consumer)}`;
}

const MAX_NAMED = 3;

function firstOf(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  const shown = names.slice(0, MAX_NAMED).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** Every pod has it, nobody asks about it, and it changes once in years: only worth a word when something is wrong. */
const ROOT_CERTIFICATES = "kube-root-ca.crt";

function isIn(consumer: Consumer, scope: Scope): boolean {
  const { object, owners, judged } = consumer;
  const isQuiet = object.name === ROOT_CERTIFICATES && judged.state === "InSync";
  if (isQuiet && scope.type !== "object") return false;
  switch (scope.type) {
    case "all":
      return true;
    case "object":
      return referenceKey(object) === referenceKey(scope.object);
    case "owner":
      return owners.includes(scope.owner);
  }
}

function concerns({ workload, objects }: Rollout, scope: Scope): boolean {
  switch (scope.type) {
    case "all":
      return objects.length > 0;
    case "object":
      return objects.some((one) => referenceKey(one) === referenceKey(scope.object));
    case "owner":
      return workload === scope.owner;
  }
}

function objectReport(
  picture: Picture,
  object: ConfigReference,
  consumers: readonly Consumer[],
): ObjectReport {
  const version = picture.versionNow(object);
  const revision = picture.revisionsOf(object).find(({ hash }) => hash === version);
  return { object, version, revision, consumers };
}

/** Of what could not be read only that is worth a word which somebody asked about. */
function notesOf(picture: Picture, objects: readonly ObjectReport[]): readonly string[] {
  const kinds = new Set(
    objects.filter(({ version }) => version === undefined).map(({ object }) => object.kind),
  );
  const unread = [...kinds].map(
    (kind) => `You may not read ${kind}s: what nodes say that they should hold is taken for true`,
  );
  return [...picture.notes, ...unread];
}
