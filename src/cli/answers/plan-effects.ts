// What a change would do to each consumer, before it is made: decided by the same rules as the agent and the reload controller. Pure.

import { type PodUse, podUses } from "../../api/config/pod-uses.ts";
import {
  type AnnotatedWorkload,
  type ChangedObject,
  type Effect,
  reloadRules,
} from "../../api/config/reload-rules.ts";
import type { ConfigView, Node, ObjectMeta, Pod } from "../../api/types.ts";
import { isSubPathLive } from "./is-sub-path-live.ts";
import { Owners } from "./owners.ts";
import type { ConfigReference, Workload } from "./picture.ts";

export interface PlannedObject {
  readonly object: ConfigReference;
  /** As they will be. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Those that change: at least one. */
  readonly keys: readonly string[];
}

/** A workload that the same files make or change. */
export interface PlannedWorkload {
  readonly workload: Workload;
  /** Its pods are replaced whatever else happens. Undefined: nobody knows, so that its annotations decide. */
  readonly isTemplateChanged: boolean | undefined;
  readonly isNew: boolean;
}

export interface PlanFacts {
  readonly pods: readonly Pod[];
  readonly replicaSets: readonly { readonly metadata: ObjectMeta }[];
  readonly workloads: readonly Workload[];
  readonly planned: readonly PlannedWorkload[];
  readonly views: readonly ConfigView[];
  readonly nodes: readonly Node[];
}

export interface PlannedEffect {
  /** "deployment/api" */
  readonly owner: string;
  /** How many of its pods. */
  readonly pods: number;
  /** Undefined: nothing in the pods refers to the object, but an annotation names it. */
  readonly use: PodUse | undefined;
  readonly effect: Effect;
}

/** In the order of owners and uses; pods of one owner to which the same happens are one. */
export function plannedEffects(change: PlannedObject, facts: PlanFacts): readonly PlannedEffect[] {
  const { namespace } = change.object;
  const inNamespace = ({ metadata }: { readonly metadata: ObjectMeta }): boolean =>
    (metadata.namespace ?? "") === namespace;
  const planned = new Map(
    facts.planned
      .filter(({ workload }) => inNamespace(workload))
      .map((one) => [nameOf(one.workload), one]),
  );
  const workloads = new Map(
    facts.workloads.filter(inNamespace).map((one) => [nameOf(one), one] as const),
  );
  for (const [name, { workload }] of planned) workloads.set(name, workload);
  const owners = new Owners(facts.replicaSets);
  const found = facts.pods
    .filter(inNamespace)
    .filter(({ status }) => status?.phase !== "Succeeded" && status?.phase !== "Failed")
    .flatMap((pod) => {
      const owner = owners.of(pod).at(-1) ?? "";
      const workload = workloads.get(owner);
      const known: PodFacts = { owner, workload, planned: planned.get(owner), facts };
      return podEffects(change, pod, known);
    });
  const made = [...planned.values()]
    .filter(({ isNew }) => isNew)
    .flatMap(({ workload }) => newEffects(change, workload));
  return merged([...found, ...made]);
}

interface PodFacts {
  readonly owner: string;
  readonly workload: Workload | undefined;
  readonly planned: PlannedWorkload | undefined;
  readonly facts: PlanFacts;
}

function podEffects(change: PlannedObject, pod: Pod, known: PodFacts): readonly PlannedEffect[] {
  const { owner, planned } = known;
  const spec = planned?.workload.spec.template.spec ?? pod.spec;
  const uses = podUses(spec).filter((use) => isOf(use, change.object));
  const effect = (use: PodUse | undefined, what: Effect): PlannedEffect => {
    return { owner, pods: 1, use, effect: what };
  };
  if (planned?.isTemplateChanged === true) {
    return uses.map((use) => effect(use, replaced("its template changes with the same files")));
  }
  const annotations = annotationsOf(pod, known);
  const copied = copyUses(change, spec, annotations.workload);
  if (copied.length > 0) {
    const why = "driftless.dev/versioned: its template is pointed to the new copy";
    return copied.map((use) => effect(use, replaced(why)));
  }
  const rules = reloadRules(annotations);
  const { object, annotations: own, keys } = change;
  const changed: ChangedObject = { kind: object.kind, name: object.name, annotations: own, keys };
  if (uses.length === 0) {
    const asking = known.workload && rules.restartsUnusedFor(changed);
    return asking === undefined ? [] : [effect(undefined, replaced(asking))];
  }
  const subPathIsLive = isSubPathLive(pod, known.facts);
  return uses.map((use) => effect(use, rules.effectOf(use, changed, { subPathIsLive })));
}

function annotationsOf(pod: Pod, { workload, planned }: PodFacts): AnnotatedWorkload {
  const template = planned?.workload.spec.template.metadata?.annotations;
  return {
    workload: workload?.metadata.annotations ?? {},
    pod: { ...pod.metadata.annotations, ...template },
  };
}

function replaced(why: string): Effect {
  return { effect: "restart", action: { type: "restart" }, why };
}

function newEffects(change: PlannedObject, workload: Workload): readonly PlannedEffect[] {
  const { spec } = workload.spec.template;
  const uses = spec === undefined ? [] : podUses(spec);
  const effect: Effect = {
    effect: "nothing",
    why: "it is new: its pods start with the new content",
  };
  const pods = workload.spec.replicas ?? 1;
  return uses
    .filter((use) => isOf(use, change.object))
    .map((use) => ({ owner: nameOf(workload), pods, use, effect }));
}

function isOf(use: PodUse, { kind, name }: ConfigReference): boolean {
  return use.kind === kind && use.name === name;
}

const VERSIONED = "driftless.dev/versioned";

/** Uses of the object's hash-named copies, where the workload asks to be pointed to the newest. */
function copyUses(
  { object, annotations }: PlannedObject,
  spec: Pod["spec"],
  asking: Readonly<Record<string, string>>,
): readonly PodUse[] {
  const asked = asking[VERSIONED];
  const names = asked?.split(",").map((name) => name.trim().toLowerCase()) ?? [];
  const titles = ["true", object.name, `${object.kind.toLowerCase()}/${object.name}`];
  const isAsked = titles.some((title) => names.includes(title));
  if (annotations[VERSIONED] !== "true" || !isAsked) return [];
  return podUses(spec).filter(
    ({ kind, name }) =>
      kind === object.kind &&
      (name === object.name ||
        (name.startsWith(`${object.name}-`) &&
          /^[0-9a-f]{10}$/.test(name.slice(object.name.length + 1)))),
  );
}

function merged(effects: readonly PlannedEffect[]): readonly PlannedEffect[] {
  const groups = Map.groupBy(effects, ({ owner, use, effect }) =>
    JSON.stringify([
      owner,
      use?.container,
      use?.how,
      use?.mountPath,
      use?.name,
      effect.effect,
      effect.why,
    ]),
  );
  const all = [...groups].map(([key, group]) => {
    const pods = group.reduce((sum, one) => sum + one.pods, 0);
    return { key, effect: { ...group[0], pods } as PlannedEffect };
  });
  return all.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ effect }) => effect);
}

function nameOf({ kind, metadata }: Workload): string {
  return `${kind.toLowerCase()}/${metadata.name ?? ""}`;
}

const ORDER: readonly Effect["effect"][] = [
  "hot",
  "signal",
  "http",
  "exec",
  "restart",
  "frozen",
  "nothing",
];

/** "3 hot, 1 restart (deployment/api), 2 frozen": consumers, but of restarts what is restarted. */
export function planSummary(effects: readonly PlannedEffect[]): string {
  const parts = ORDER.flatMap((word) => {
    const those = effects.filter(({ effect }) => effect.effect === word);
    if (those.length === 0) return [];
    const count = those.reduce((sum, { pods }) => sum + pods, 0);
    if (word === "nothing") return [`nothing for ${count}`];
    if (word !== "restart") return [`${count} ${word}`];
    const owners = [...new Set(those.map(({ owner }) => owner))];
    return [`${owners.length} ${word} (${owners.join(", ")})`];
  });
  return parts.length === 0 ? "no pod is affected" : parts.join(", ");
}
