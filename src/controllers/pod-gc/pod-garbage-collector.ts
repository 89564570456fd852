// Ends pods that nobody else will end: those whose node is gone for good, and ended ones above a number. Looks every 20 seconds; none
// of it is urgent. A pod is Failed before it is deleted, so that whoever waits for its end sees one.

import { apiTime } from "../../api/api-time.ts";
import { kindOf } from "../../api/kinds.ts";
import { isNotFound, StatusError } from "../../api/status-error.ts";
import { aborted, untilAborted } from "../../base/abort.ts";
import type { Logger } from "../../base/logger.ts";
import type { Informer } from "../../client/informer.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import type { ControllerContext, RunnableController } from "../../controller/controller-context.ts";
import { inParallel } from "../../controller/in-parallel.ts";
import {
  endedAbove,
  leftOnDeadNodes,
  missingNodes,
  neverScheduled,
  type StoredNode,
  type StoredPod,
} from "./pod-garbage.ts";

export interface PodGarbageOptions {
  /** So many ended pods may stay. */
  readonly maxEndedPods?: number;
}

const PERIOD_MS = 20_000;
/** A node that is not seen may be one that has just come. */
const QUARANTINE_MS = 40_000;
/** As the original. */
const MAX_ENDED_PODS = 12_500;
const AT_ONCE = 16;

const podKind = kindOf("v1", "Pod");
const nodeKind = kindOf("v1", "Node");

export class PodGarbageCollector implements RunnableController {
  readonly name = "pod-garbage-collector-controller";
  readonly #context: ControllerContext;
  readonly #maxEndedPods: number;
  readonly #logger: Logger;
  readonly #podInformer: Informer<StoredPod>;
  readonly #nodeInformer: Informer<StoredNode>;
  readonly #pods: ResourceClient<StoredPod>;
  readonly #nodes: ResourceClient<StoredNode>;
  /** Since when a node is missed, by its name; only those that are. */
  readonly #missedMs = new Map<string, number>();

  constructor(context: ControllerContext, options: PodGarbageOptions = {}) {
    if (podKind === undefined || nodeKind === undefined) {
      throw new Error("Cannot collect pods: the API has no such kind");
    }
    const { client, informers, logger } = context;
    this.#context = context;
    this.#maxEndedPods = options.maxEndedPods ?? MAX_ENDED_PODS;
    this.#logger = logger.child({ controller: this.name });
    this.#podInformer = informers.of<StoredPod>(podKind);
    this.#nodeInformer = informers.of<StoredNode>(nodeKind);
    this.#pods = new ResourceClient<StoredPod>(client, podKind);
    this.#nodes = new ResourceClient<StoredNode>(client, nodeKind);
  }

  async run(signal: AbortSignal): Promise<void> {
    const synced = Promise.all([this.#podInformer.synced, this.#nodeInformer.synced]);
    await Promise.race([synced, aborted(signal)]);
    await untilAborted(signal, async () => {
      while (!signal.aborted) {
        await this.#round(signal);
        await this.#context.clock.sleep(PERIOD_MS, signal);
      }
    });
  }

  async #round(signal: AbortSignal): Promise<void> {
    const pods = this.#podInformer.list();
    const nodeOf = (name: string): StoredNode | undefined => this.#nodeInformer.get(name);
    await this.#end(endedAbove(pods, this.#maxEndedPods), { why: "ended long ago", signal });
    await this.#end(leftOnDeadNodes(pods, nodeOf), { why: "on a node out of service", signal });
    const gone = await this.#goneNodes(missingNodes(pods, nodeOf), signal);
    const orphans = pods.filter(({ spec }) => gone.has(spec.nodeName ?? ""));
    const message = "PodGC: node no longer exists";
    await this.#end(orphans, { why: "node gone", message, signal });
    await this.#end(neverScheduled(pods), { why: "never scheduled", signal });
  }

  /** Those that have been missed for long enough, and that the server does not have either. */
  async #goneNodes(
    missing: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const nowMs = this.#context.clock.monotonicMs();
    for (const name of this.#missedMs.keys()) {
      if (!missing.has(name)) this.#missedMs.delete(name);
    }
    const gone = new Set<string>();
    for (const name of missing) {
      const sinceMs = this.#missedMs.get(name) ?? nowMs;
      this.#missedMs.set(name, sinceMs);
      if (nowMs - sinceMs < QUARANTINE_MS) continue;
      try {
        await this.#nodes.get({ name }, { signal });
        this.#missedMs.delete(name);
      } catch (err) {
        signal.throwIfAborted();
        if (isNotFound(err)) gone.add(name);
        else this.#logger.warn("node not looked up", { name, err });
      }
    }
    return gone;
  }

  async #end(
    pods: readonly StoredPod[],
    options: { readonly why: string; readonly message?: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const { why, message, signal } = options;
    await inParallel(pods, AT_ONCE, async (pod) => {
      const { namespace, name = "", uid = "" } = pod.metadata;
      try {
        if (pod.status.phase !== "Succeeded" && pod.status.phase !== "Failed") {
          const type = "strategic";
          const patch = this.#failed(pod, message);
          await this.#pods.patch({ namespace, name }, patch, {
            type,
            subresource: "status",
            signal,
          });
        }
        const preconditions = { uid };
        await this.#pods.delete(
          { namespace, name },
          { preconditions, gracePeriodSeconds: 0, signal },
        );
        this.#logger.info("pod deleted", { namespace, name, why });
      } catch (err) {
        // Gone, or another one by now: just as well.
        if (signal.aborted || (err instanceof StatusError && [404, 409].includes(err.code))) return;
        this.#logger.warn("pod not deleted", { namespace, name, why, err });
      }
    });
    signal.throwIfAborted();
  }

  #failed({ metadata, status }: StoredPod, message: string | undefined): object {
    const { uid, generation } = metadata;
    const observed = generation === undefined ? {} : { observedGeneration: generation };
    const type = "DisruptionTarget";
    const old = status.conditions?.find((condition) => condition.type === type);
    const now = apiTime(this.#context.clock.now());
    const condition = {
      ...{ type, ...observed, status: "True", reason: "DeletionByPodGC", message },
      lastTransitionTime: old?.status === "True" ? old.lastTransitionTime : now,
    };
    const conditions = message === undefined ? {} : { conditions: [condition] };
    return { metadata: { uid }, status: { phase: "Failed", ...observed, ...conditions } };
  }
}
