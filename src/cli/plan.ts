// `driftless plan`: before a change, what it would do to each consumer. Changes nothing.

import { reloadRules } from "../api/config/reload-rules.ts";
import type { ApiObject } from "../api/object.ts";
import { labelSelectorOf } from "../api/selectors/label-selector.ts";
import { SelectorError } from "../api/selectors/selector-error.ts";
import type { ConfigView, DeliveryPolicy, Node, Pod } from "../api/types.ts";
import { CONFIG_VIEWS, DELIVERY_POLICIES, NODES, REPLICA_SETS } from "./answers/answer-kinds.ts";
import type { Look } from "./answers/look.ts";
import type { Workload } from "./answers/picture.ts";
import { type PlanFacts, type PlannedEffect, plannedEffects } from "./answers/plan-effects.ts";
import { type ObjectPlan, type PlannedCheck, planJson, planText } from "./answers/plan-text.ts";
import { allowed, listed, readWorkloads } from "./answers/read-picture.ts";
import { type CliContext, type ExitCode, print } from "./cli-context.ts";
import { CliError, misuse } from "./cli-error.ts";
import { readKeyChanges } from "./key-changes.ts";
import { readManifests } from "./manifest-files.ts";
import type { OutputFormat } from "./output-format.ts";
import { fileChanges, keyChanges, type ObjectChange, type PlannedChanges } from "./plan-changes.ts";
import { PODS } from "./pod-target.ts";

export interface PlanOptions {
  /** KIND/NAME and key=value…, unless there are files. */
  readonly words: readonly string[];
  readonly filenames: readonly string[];
  readonly isRecursive: boolean;
  readonly format: OutputFormat;
  readonly look: Look;
}

export async function plan(context: CliContext, options: PlanOptions): Promise<ExitCode> {
  const { format, look } = options;
  if (format.type === "name") throw misuse("-o name: say json or yaml");
  const changes = await plannedChanges(context, options);
  const namespaces = new Set(changes.objects.map(({ object }) => object.namespace));
  const seenNodes = await allowed(() => listed<Node & ApiObject>(context, NODES, undefined));
  const nodes = seenNodes ?? [];
  const objects: ObjectPlan[] = [];
  const askedAnew: string[] = [];
  for (const namespace of namespaces) {
    const facts = await factsOf(context, namespace, { nodes, planned: changes.workloads });
    const policies =
      (await allowed(() =>
        listed<DeliveryPolicy & ApiObject>(context, DELIVERY_POLICIES, namespace),
      )) ?? [];
    const here = changes.objects
      .filter(({ object }) => object.namespace === namespace)
      .map((change) => objectPlan(change, facts, policies));
    objects.push(...here);
    const effects = here.flatMap((one) => one.effects);
    askedAnew.push(...firstAskers(facts, effects));
  }
  const isGuessed =
    seenNodes === undefined &&
    objects.some(({ effects }) => effects.some(({ use }) => use?.how === "subPath"));
  const notes = [...changes.notes, ...askedAnew, ...(isGuessed ? [NO_NODES] : [])];
  const whole = { objects, notes };
  print(context, format.type === "objects" ? format.print(planJson(whole)) : planText(whole, look));
  return 0;
}

async function plannedChanges(context: CliContext, options: PlanOptions): Promise<PlannedChanges> {
  const { words, filenames, isRecursive } = options;
  const [target, ...changes] = words;
  const { stdin } = context.streams;
  if (filenames.length > 0) {
    if (target !== undefined) throw misuse("say -f FILE, or KIND/NAME and keys, not both");
    const manifests = await readManifests({ filenames, isRecursive, stdin });
    const planned = await fileChanges(context, manifests);
    if (planned.objects.length > 0) return planned;
    throw new CliError(`there is no ConfigMap or Secret in ${filenames.join(", ")}`);
  }
  if (target === undefined || changes.length === 0) {
    throw misuse("say what would change: -f FILE, or KIND/NAME and key=value, key=@file or key-");
  }
  return keyChanges(context, target, await readKeyChanges(changes, stdin));
}

async function factsOf(
  context: CliContext,
  namespace: string,
  known: Pick<PlanFacts, "nodes" | "planned">,
): Promise<PlanFacts> {
  const pods = await listed<Pod & ApiObject>(context, PODS, namespace);
  const [replicaSets, workloads, views] = await Promise.all([
    allowed(() => listed<ApiObject>(context, REPLICA_SETS, namespace)),
    readWorkloads(context, namespace),
    allowed(() => listed<ConfigView & ApiObject>(context, CONFIG_VIEWS, namespace)),
  ]);
  return { ...known, pods, replicaSets: replicaSets ?? [], workloads, views: views ?? [] };
}

const NO_NODES =
  "You may not read Nodes: whether subPath mounts follow there is not known, and they count as frozen";

/**
 * Those who have asked for nothing so far: what there is when they begin to is taken for what they have. Not where views show what they were
 * started with; but which files a process has read before nobody knows.
 */
function firstAskers(
  { workloads, planned, views }: PlanFacts,
  effects: readonly PlannedEffect[],
): readonly string[] {
  return planned.flatMap(({ workload, isTemplateChanged, isNew }) => {
    const { kind, metadata } = workload;
    const live = workloads.find((one) => one.kind === kind && one.metadata.name === metadata.name);
    if (isNew || isTemplateChanged === true || live === undefined) return [];
    if (asks(live) || !asks(workload)) return [];
    const name = `${kind.toLowerCase()}/${metadata.name ?? ""}`;
    const isMissed = effects.some(
      ({ owner, use, effect }) =>
        owner === name &&
        effect.effect === "restart" &&
        (views.length === 0 || use === undefined || use.how === "volume"),
    );
    if (!isMissed) return [];
    return `${name} asks for reloads for the first time: if that comes before the change is made, it counts for the change; else restart it yourself`;
  });
}

function asks({ metadata, spec }: Workload): boolean {
  const { annotations: workload = {} } = metadata;
  const { annotations: pod = {} } = spec.template.metadata ?? {};
  return reloadRules({ workload, pod }).asksForSomething;
}

function objectPlan(
  change: ObjectChange,
  facts: PlanFacts,
  policies: readonly DeliveryPolicy[],
): ObjectPlan {
  const { object, annotations, before, after, differences } = change;
  const keys = differences.map(({ key }) => key);
  const planned = { object, annotations, keys };
  const effects = keys.length === 0 ? [] : plannedEffects(planned, facts);
  const applying = policies.filter((policy) => appliesTo(policy, change));
  const heldBy = applying.filter(({ spec }) => spec.rollout?.paused === true).map(nameOf);
  const checks = applying.flatMap(checksOf);
  return { ...planned, before, after, differences, effects, checks, heldBy };
}

function appliesTo({ spec }: DeliveryPolicy, { object, labels }: ObjectChange): boolean {
  const { kinds = [] } = spec;
  if (kinds.length > 0 && !kinds.includes(object.kind)) return false;
  try {
    return labelSelectorOf(spec.selector).matches(labels);
  } catch (err) {
    if (err instanceof SelectorError) return false;
    throw err;
  }
}

function checksOf(policy: DeliveryPolicy): readonly PlannedCheck[] {
  return (policy.spec.checks ?? []).map(({ name, keys = [] }) => {
    return { policy: nameOf(policy), check: name, keys };
  });
}

function nameOf({ metadata }: DeliveryPolicy): string {
  return metadata.name ?? "";
}
