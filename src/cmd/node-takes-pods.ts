// When a node takes pods: it says that it is ready, and nothing that keeps pods away is on it any more.

import { NODES, type NodeObject } from "../agent/node/node-kinds.ts";
import { linkSignals } from "../base/abort.ts";
import { systemClock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { systemRandom } from "../base/random.ts";
import type { ApiClient } from "../client/api-client.ts";
import { ObjectWatch } from "../client/object-watch.ts";

/** Taints of the node's life; those that somebody set on purpose count as wanted. */
const LIFE = "node.kubernetes.io/";
const UNSCHEDULABLE = `${LIFE}unschedulable`;

/** The node as it is then; undefined if the signal aborted before. */
export async function nodeTakesPods(
  of: { readonly client: ApiClient; readonly name: string; readonly logger: Logger },
  signal: AbortSignal,
): Promise<NodeObject | undefined> {
  const done = new AbortController();
  using link = linkSignals(signal, done.signal);
  let found: NodeObject | undefined;
  const watch = new ObjectWatch<NodeObject>({
    ...of,
    kind: NODES,
    clock: systemClock,
    random: systemRandom,
    onChange: (node) => {
      if (node === undefined || !takesPods(node)) return;
      found ??= node;
      done.abort();
    },
  });
  await watch.run(link.signal);
  return found;
}

/** One that was cordoned is as it should be, too. */
export function takesPods({ spec, status }: NodeObject): boolean {
  const isReady = status.conditions?.some(
    ({ type, status: is }) => type === "Ready" && is === "True",
  );
  const keepsAway = spec.taints?.some(
    ({ key, effect }) =>
      key.startsWith(LIFE) && key !== UNSCHEDULABLE && effect !== "PreferNoSchedule",
  );
  return isReady === true && keepsAway !== true;
}
