// What the reload controller writes: one patch per decision, each against the version that was decided on, so that a workload which somebody else has
// changed meanwhile is looked at again instead.

import { microTime } from "../../api/api-time.ts";
import type { ApiObject } from "../../api/object.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import type { ControllerContext } from "../../controller/controller-context.ts";
import { inParallel } from "../../controller/in-parallel.ts";
import { POD, type PodObject } from "../pods/pod-object.ts";
import { ALL_KEYS } from "./asking-workload.ts";
import { forAgents, inheritedPatch } from "./inherited-annotations.ts";
import { pausePatch, resumePatch } from "./pause-period.ts";
import {
  BASELINE,
  type ObjectChange,
  objectName,
  type StateDifference,
  stateText,
} from "./reload-state.ts";
import type { ReloadTarget, WorkloadObject } from "./reload-target.ts";

/** On the pod template: what it was last rolled for, and when. */
export const RELOADED_FOR = "driftless.dev/reloaded-for";
/** So many keys of an object are named. */
const MAX_NAMED = 20;
const PODS_AT_ONCE = 8;

export class ReloadWriter {
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  /** Rolls nothing. `state` undefined: nothing is kept any more. */
  async keepBaseline(
    target: ReloadTarget,
    state: string | null,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#patch(target, { metadata: { annotations: { [BASELINE]: state } } }, signal);
  }

  async restart(
    target: ReloadTarget,
    { changes, next }: StateDifference,
    { pauseMs, signal }: { readonly pauseMs: number | undefined; readonly signal: AbortSignal },
  ): Promise<void> {
    const nowMs = this.#context.clock.now();
    const isDeployment = target.kind.kind === "Deployment";
    const pause = pausePatch(
      target.object as WorkloadObject,
      isDeployment ? pauseMs : undefined,
      nowMs,
    );
    const reason = reloadedFor(changes, nowMs);
    const patch = {
      metadata: { annotations: { [BASELINE]: stateText(next), ...pause.annotations } },
      spec: { ...pause.spec, template: { metadata: { annotations: { [RELOADED_FOR]: reason } } } },
    };
    await this.#patch(target, patch, signal);
  }

  async resume(target: ReloadTarget, signal: AbortSignal): Promise<void> {
    await this.#patch(target, resumePatch(target.object as WorkloadObject), signal);
  }

  /** Gives pods what their workload says to agents. Throws the first failure when all were tried. */
  async inherit(
    annotations: Readonly<Record<string, string>>,
    pods: readonly PodObject[],
    signal: AbortSignal,
  ): Promise<void> {
    const client = new ResourceClient<PodObject>(this.#context.client, POD);
    const inherited = forAgents(annotations);
    const failures = await inParallel(pods, PODS_AT_ONCE, async (pod) => {
      const patch = inheritedPatch(inherited, pod);
      if (patch === undefined) return;
      const { uid } = pod.metadata;
      await client.patch(
        nameOf(pod),
        { metadata: { uid, annotations: patch } },
        { type: "merge", signal },
      );
    });
    const [first] = failures;
    if (first !== undefined) throw first;
  }

  async #patch(
    { kind, object }: ReloadTarget,
    patch: { readonly metadata?: object },
    signal: AbortSignal,
  ): Promise<void> {
    const { resourceVersion } = object.metadata;
    const body = { ...patch, metadata: { ...patch.metadata, resourceVersion } };
    const client = new ResourceClient<ApiObject>(this.#context.client, kind);
    await client.patch(nameOf(object), body, { type: "merge", signal });
  }
}

/** "configmap/app changed (log.level)", for people. */
export function changesText(changes: readonly ObjectChange[]): string {
  const texts = changes.map((change) =>
    change.keys.includes(ALL_KEYS)
      ? `${objectName(change)} changed`
      : `${objectName(change)} changed (${keysText(change.keys)})`,
  );
  return texts.join(", ");
}

function keysText(keys: readonly string[]): string {
  const named = keys.slice(0, MAX_NAMED).join(", ");
  return keys.length > MAX_NAMED ? `${named} and ${keys.length - MAX_NAMED} more` : named;
}

function reloadedFor(changes: readonly ObjectChange[], nowMs: number): string {
  const objects = changes.map((change) => [objectName(change), change.keys.slice(0, MAX_NAMED)]);
  return JSON.stringify({ at: microTime(nowMs), changed: Object.fromEntries(objects) as object });
}

function nameOf({ metadata: { namespace, name = "" } }: ApiObject): {
  readonly namespace: string | undefined;
  readonly name: string;
} {
  return { namespace, name };
}
