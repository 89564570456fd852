// Which of several pods is meant, when one is enough: of those that a Deployment has, the one that is most likely to have something to say.

import { timestampMs } from "../api/duration.ts";
import type { Pod } from "../api/types.ts";

const PHASES: Readonly<Record<string, number>> = { Running: 0, Unknown: 1, Pending: 2 };

/** The best first: with a node, running, ready, ready for longest, with most restarts, oldest. As kubectl. */
export function byLogging(pods: readonly Pod[]): readonly Pod[] {
  return pods.toSorted((a, b) => {
    for (const rank of RANKS) {
      const difference = rank(a) - rank(b);
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

/** The same, but one that is not on its way out comes first: it has to live for a while. */
export function byActivity(pods: readonly Pod[]): readonly Pod[] {
  const isGoing = ({ metadata }: Pod): number => Number(metadata.deletionTimestamp !== undefined);
  return byLogging(pods).toSorted((a, b) => isGoing(a) - isGoing(b));
}

const RANKS: readonly ((pod: Pod) => number)[] = [
  ({ spec }) => Number((spec?.nodeName ?? "") === ""),
  ({ status }) => PHASES[status?.phase ?? ""] ?? 0,
  (pod) => Number(readySince(pod) === undefined),
  (pod) => readySince(pod) ?? 0,
  ({ status }) => -Math.max(0, ...(status?.containerStatuses ?? []).map((one) => one.restartCount)),
  ({ metadata }) => timestampMs(metadata.creationTimestamp) ?? Number.MAX_SAFE_INTEGER,
];

function readySince({ status }: Pod): number | undefined {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (ready?.status !== "True") return undefined;
  return timestampMs(ready.lastTransitionTime) ?? 0;
}
