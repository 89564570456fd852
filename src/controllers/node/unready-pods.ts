// Pods of a node that is silent are not ready for anybody: nobody can know otherwise. Their own agent says so again when it is back.

import { isNotFound } from "../../api/status-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import type { Events } from "../../controller/event-recorder.ts";
import { inParallel } from "../../controller/in-parallel.ts";
import { referenceTo } from "../../controller/owner.ts";
import { POD, type PodObject } from "../pods/pod-object.ts";
import { timestamp } from "./node-objects.ts";

export interface UnreadyPodsOptions {
  readonly pods: ResourceClient<PodObject>;
  readonly events: Events;
  readonly clock: Clock;
}

/** A node has hundreds of pods, and many nodes may fall silent together: a server turns away what is too much. */
const AT_ONCE = 16;

/** All of them that can be are marked, also when one cannot; then it throws that one's failure. */
export async function markUnready(
  pods: readonly PodObject[],
  options: UnreadyPodsOptions,
  signal: AbortSignal,
): Promise<void> {
  const marked = pods.filter(isToBeMarked);
  const [failure] = await inParallel(marked, AT_ONCE, (pod) => mark(pod, options, signal));
  if (failure !== undefined) throw failure;
}

function isToBeMarked({ status }: PodObject): boolean {
  const ready = status.conditions?.find(({ type }) => type === "Ready");
  return ready !== undefined && ready.status !== "False";
}

async function mark(
  pod: PodObject,
  { pods, events, clock }: UnreadyPodsOptions,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name = "", uid } = pod.metadata;
  const lastTransitionTime = timestamp(clock.now());
  const conditions = [{ type: "Ready", status: "False", lastTransitionTime }];
  try {
    await pods.patch(
      { namespace, name },
      { metadata: { uid }, status: { conditions } },
      { type: "strategic", subresource: "status", signal },
    );
  } catch (err) {
    if (isNotFound(err)) return;
    throw err;
  }
  events.record({
    object: referenceTo(POD, pod),
    type: "Warning",
    reason: "NodeNotReady",
    message: "Node is not ready",
  });
}
