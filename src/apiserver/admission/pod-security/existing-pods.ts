// What a namespace's new level would say of the pods that are there already. They stay; whoever sets the level is told.

import type { Pod } from "../../../api/types.ts";
import { goQuote } from "../../../api/validation/go-text.ts";
import { evaluate } from "./evaluate.ts";
import { type LevelVersion, textOf } from "./policy.ts";

/** More are not looked at: the answer to a change of labels must not take long. */
const MAX_PODS = 3000;

export interface ExistingPodsOptions {
  readonly namespace: string;
  readonly pods: readonly Pod[];
  readonly enforce: LevelVersion;
}

/** One warning for each set of reasons, with the first of the pods that it holds for. */
export function warningsAbout({ namespace, pods, enforce }: ExistingPodsOptions): string[] {
  const checked = mostDifferentFirst(pods).slice(0, MAX_PODS);
  const namesByReason = new Map<string, string[]>();
  for (const pod of checked) {
    const findings = evaluate(enforce, pod);
    if (findings.length === 0) continue;
    const reason = findings.map((finding) => finding.reason).join(", ");
    const { name = "" } = pod.metadata;
    namesByReason.set(reason, [...(namesByReason.get(reason) ?? []), name]);
  }
  const level = goQuote(textOf(enforce));
  return [
    ...(checked.length < pods.length
      ? [
          `new PodSecurity enforce level only checked against the first ${checked.length} of ${pods.length} existing pods`,
        ]
      : []),
    ...(namesByReason.size > 0
      ? [
          `existing pods in namespace ${goQuote(namespace)} violate the new PodSecurity enforce level ${level}`,
        ]
      : []),
    ...Array.from(namesByReason, ([reason, names]) => `${told(names)}: ${reason}`).sort(),
  ];
}

function told(names: readonly string[]): string {
  const [first = ""] = names.toSorted();
  const others = names.length - 1;
  if (others === 0) return first;
  return `${first} (and ${others} other ${others === 1 ? "pod" : "pods"})`;
}

/** Pods of one controller are alike: the second and further ones come last. */
function mostDifferentFirst(pods: readonly Pod[]): Pod[] {
  const seen = new Set<string>();
  const [first, later]: [Pod[], Pod[]] = [[], []];
  for (const pod of pods) {
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
    const isAlike = owner !== undefined && seen.has(owner);
    if (owner !== undefined) seen.add(owner);
    (isAlike ? later : first).push(pod);
  }
  return [...first, ...later];
}
