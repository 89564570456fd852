// What checks of pods may look at besides the pod.

import type { PodUse } from "../../api/config/pod-uses.ts";
import { type Effect, type ReloadRules, reloadRules } from "../../api/config/reload-rules.ts";
import type { ConfigIndex } from "../config-index.ts";
import type { PodSubject } from "../pod-subject.ts";

export interface World {
  readonly index: ConfigIndex;
  /** What is not in the input is not there. */
  readonly isStrict: boolean;
  /** Objects of a cluster: what is not there is not there, whatever files may say. */
  readonly isLive: boolean;
  /** Nodes are Driftless's: subPath mounts follow, or are reported. */
  readonly subPathFollows: boolean;
}

/** A pod with what its annotations ask for. */
export interface JudgedPod extends PodSubject {
  readonly rules: ReloadRules;
}

export function judgedPod(pod: PodSubject): JudgedPod {
  const { workloadAnnotations, podAnnotations } = pod;
  return { ...pod, rules: reloadRules({ workload: workloadAnnotations, pod: podAnnotations }) };
}

/** What a change of everything that the use has would do. */
export function effectOfChange(pod: JudgedPod, use: PodUse, world: World): Effect["effect"] {
  const [facts] = world.index.find({ ...use, namespace: pod.subject.namespace });
  const known = [...(facts?.keys?.keys() ?? [])];
  const keys = use.keys ?? (known.length > 0 ? known : ["*"]);
  const { kind, name } = use;
  const change = { kind, name, keys, annotations: facts?.annotations ?? {} };
  return pod.rules.effectOf(use, change, { subPathIsLive: world.subPathFollows }).effect;
}
