// Agents see pods, not workloads. What a workload's own annotations ask agents to do is copied to its running pods, which restarts nothing; which
// ones were copied is noted beside them, so that they go again with the workload's, and what somebody wrote on a pod stays.

import { isReloadAnnotation } from "../../api/config/reload-rules.ts";
import type { PodObject } from "../pods/pod-object.ts";

type Annotations = Readonly<Record<string, string>>;

export const INHERITED = "driftless.dev/reload-inherited";
/** What agents do; the rest is done here. */
const FOR_AGENTS = /^\s*(signal|http|exec):/;

/** A merge patch of the pod's annotations; undefined if they are right. `inherited` is from `forAgents`. */
export function inheritedPatch(
  inherited: Annotations,
  { metadata }: PodObject,
): Readonly<Record<string, string | null>> | undefined {
  const has: Annotations = metadata.annotations ?? {};
  if (has[INHERITED] === undefined && Object.keys(inherited).length === 0) return undefined;
  // Anybody may write the list; nothing but what could have been copied is taken away because of it.
  const before = new Set((has[INHERITED] ?? "").split(",").filter(isReloadAnnotation));
  const isOwn = (name: string): boolean => has[name] !== undefined && !before.has(name);
  const wanted = Object.entries(inherited).filter(([name]) => !isOwn(name));
  const list = wanted.map(([name]) => name).toSorted();
  const goal: Record<string, string | undefined> = {
    ...Object.fromEntries(Array.from(before, (name) => [name, undefined])),
    ...Object.fromEntries(wanted),
    [INHERITED]: list.length === 0 ? undefined : list.join(","),
  };
  const changes = Object.entries(goal).filter(([name, value]) => has[name] !== value);
  if (changes.length === 0) return undefined;
  return Object.fromEntries(changes.map(([name, value]) => [name, value ?? null]));
}

/** Which of a workload's annotations its pods should have. None if nothing of it concerns agents: then pods are left alone. */
export function forAgents(workload: Annotations): Annotations {
  const ours = Object.entries(workload).filter(([name]) => isReloadAnnotation(name));
  return ours.some(([, value]) => FOR_AGENTS.test(value)) ? Object.fromEntries(ours) : {};
}
