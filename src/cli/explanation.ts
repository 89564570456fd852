// Why a pod restarted, or did not: what its template was rolled for, what a change of each object that it uses would do, and how its containers ended. Pure:
// from what was read of it (explain.ts), for text and JSON alike.

import { type PodUse, podUses } from "../api/config/pod-uses.ts";
import { type Effect, type ReloadRules, reloadRules } from "../api/config/reload-rules.ts";
import { judgeUse, type UseState } from "../api/config/use-state.ts";
import type { JsonObject } from "../api/json.ts";
import type { ApiObject } from "../api/object.ts";
import type { ConfigView, ContainerStatus, Event, ObjectMeta, Pod } from "../api/types.ts";
import { objectContent, objectVersion } from "../base/object-content.ts";

/** What was found about the pod. Undefined: there is none, or it may not be read. */
export interface ExplainedPod {
  readonly pod: Pod;
  /** "pod/x", "replicaset/y", "deployment/z". */
  readonly owners: readonly string[];
  /** The last of them; its annotations ask for reloads. */
  readonly workload: { readonly metadata: ObjectMeta } | undefined;
  readonly view: ConfigView | undefined;
  /** ConfigMaps and Secrets by "ConfigMap/name". */
  readonly objects: ReadonlyMap<string, ApiObject>;
  readonly isSubPathLive: boolean;
  /** About the pod and what made it. */
  readonly events: readonly Event[];
}

/** What happens when these keys change. */
interface KeyEffect {
  /** Empty: whichever. */
  readonly keys: readonly string[];
  readonly effect: Effect["effect"];
  readonly why: string;
}

export interface ExplainedUse {
  readonly use: PodUse;
  readonly effects: readonly KeyEffect[];
  /** Undefined: no node has reported it. */
  readonly state: UseState | undefined;
  readonly message: string;
  readonly reload: NonNullable<ConfigView["uses"]>[number]["reload"];
}

export interface Explanation {
  readonly pod: string;
  readonly namespace: string;
  readonly owners: readonly string[];
  readonly node: string;
  readonly createdAt: string | undefined;
  /** The last restart for configuration, if this pod was made by one. */
  readonly rolledFor: RolledFor | undefined;
  readonly uses: readonly ExplainedUse[];
  readonly containers: readonly ContainerStatus[];
  readonly events: readonly Event[];
  readonly problems: readonly string[];
  /** Nothing is asked for: then changes that a process cannot see by itself wait for the next start. */
  readonly asksForSomething: boolean;
}

export interface RolledFor {
  readonly at: string;
  /** Keys by "configmap/app". */
  readonly changed: Readonly<Record<string, readonly string[]>>;
}

/** Written by the reload controller on the template, and so on each of its pods. */
const RELOADED_FOR = "driftless.dev/reloaded-for";
const ANY_KEY = "*";

export function explanationOf(found: ExplainedPod): Explanation {
  const { pod, owners, workload, events } = found;
  const { namespace = "", name = "", annotations } = pod.metadata;
  const own = annotations ?? {};
  const rules = reloadRules({ workload: workload?.metadata.annotations ?? {}, pod: own });
  return {
    pod: name,
    namespace,
    owners,
    node: pod.spec?.nodeName ?? "",
    createdAt: pod.metadata.creationTimestamp ?? undefined,
    rolledFor: rolledForOf(own[RELOADED_FOR]),
    uses: podUses(pod.spec).map((use) => explainedUse(use, rules, found)),
    containers: containersOf(pod),
    events: events.toSorted((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1)),
    problems: rules.problems,
    asksForSomething: rules.asksForSomething,
  };
}

function containersOf({ status }: Pod): readonly ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

/** When it was last seen. */
export function timeOf({ lastTimestamp, eventTime, metadata }: Event): string {
  return lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? "";
}

export function explanationJson(of: Explanation): JsonObject {
  const { uses, events, containers, ...rest } = of;
  const value = {
    ...rest,
    uses: uses.map(({ use, ...more }) => {
      const { kind, name, how, container, mountPath, keys, variables } = use;
      return { kind, name, how, container, mountPath, keys, variables, ...more };
    }),
    containers: containers.map(({ name, restartCount, state, lastState }) => ({
      name,
      restartCount,
      state,
      lastState,
    })),
    events: events.map((event) => ({
      time: timeOf(event),
      type: event.type,
      reason: event.reason,
      message: event.message,
      object: `${event.involvedObject.kind?.toLowerCase()}/${event.involvedObject.name}`,
    })),
  };
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

function explainedUse(use: PodUse, rules: ReloadRules, found: ExplainedPod): ExplainedUse {
  const { kind, name } = use;
  const object = found.objects.get(`${kind}/${name}`);
  const reported = found.view?.uses?.find(
    (one) =>
      one.kind === kind &&
      one.name === name &&
      one.how === use.how &&
      one.container === use.container &&
      (one.mountPath ?? "") === use.mountPath,
  );
  const version = object === undefined ? undefined : objectVersion(kind, object);
  const judged = reported && judgeUse(reported, { version });
  return {
    use,
    effects: effectsOf(use, { rules, object, isSubPathLive: found.isSubPathLive }),
    state: judged?.state,
    message: judged?.message ?? "",
    reload: reported?.reload,
  };
}

/** Key by key, those together to which the same happens. */
function effectsOf(
  use: PodUse,
  of: {
    readonly rules: ReloadRules;
    readonly object: ApiObject | undefined;
    readonly isSubPathLive: boolean;
  },
): readonly KeyEffect[] {
  const { kind, name } = use;
  const { rules, object, isSubPathLive } = of;
  const annotations = object?.metadata.annotations ?? {};
  const present = object === undefined ? [] : [...objectContent(kind, object).keys()];
  const keys = use.keys ?? (present.length === 0 ? [ANY_KEY] : present.toSorted());
  const byEffect = new Map<string, KeyEffect>();
  for (const key of keys) {
    const change = { kind, name, annotations, keys: [key] };
    const { effect, why } = rules.effectOf(use, change, { subPathIsLive: isSubPathLive });
    const held = byEffect.get(effect + why);
    byEffect.set(effect + why, { keys: [...(held?.keys ?? []), key], effect, why });
  }
  const effects = [...byEffect.values()];
  const isAny = effects.length === 1 && use.keys === undefined;
  return isAny ? effects.map((one) => ({ ...one, keys: [] })) : effects;
}

function rolledForOf(text: string | undefined): RolledFor | undefined {
  if (text === undefined) return undefined;
  try {
    const { at, changed } = JSON.parse(text) as Partial<RolledFor>;
    if (typeof at !== "string" || typeof changed !== "object") return undefined;
    const lists = Object.entries(changed).filter(([, keys]) => Array.isArray(keys));
    return { at, changed: Object.fromEntries(lists) };
  } catch {
    return undefined; // Somebody else's word: anybody may write annotations.
  }
}
