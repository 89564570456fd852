// Nodes that are nothing but what the API says of them: their leases are renewed, and pods that are bound to them are said to be ready
// after a while, and gone when they should be. For tests of controllers that need no container.

import type { ApiObject } from "../../src/api/object.ts";
import { isNotFound } from "../../src/api/status-error.ts";
import type { Lease, Node, Pod } from "../../src/api/types.ts";
import { isAbort } from "../../src/base/abort.ts";
import { systemClock } from "../../src/base/clock.ts";
import type { ApiClient } from "../../src/client/api-client.ts";
import { ResourceClient } from "../../src/client/resource-client.ts";
import { servedKind } from "../../src/controllers/pods/pod-object.ts";

const LOOK_MS = 100;
const RENEW_MS = 5000;
const LEASES = "kube-node-lease";

export interface PaperNodesOptions {
  readonly client: ApiClient;
  readonly names: readonly string[];
  /** From bound to ready. */
  readonly readyAfterMs: number;
  /** While it says so no pod becomes ready. */
  readonly isHeld?: () => boolean;
  /** After each look: all pods as they were. */
  readonly onPods?: (pods: readonly Pod[]) => void;
}

export class PaperNodes implements AsyncDisposable {
  readonly #options: PaperNodesOptions;
  readonly #pods: ResourceClient<Pod & ApiObject>;
  readonly #nodes: ResourceClient<Node & ApiObject>;
  readonly #leases: ResourceClient<Lease & ApiObject>;
  readonly #stop = new AbortController();
  readonly #boundAtMs = new Map<string, number>();
  #renewedMs = Number.NEGATIVE_INFINITY;
  #running: Promise<void> = Promise.resolve();

  private constructor(options: PaperNodesOptions) {
    const { client } = options;
    this.#options = options;
    this.#pods = new ResourceClient(client, servedKind("v1", "Pod"));
    this.#nodes = new ResourceClient(client, servedKind("v1", "Node"));
    this.#leases = new ResourceClient(client, servedKind("coordination.k8s.io/v1", "Lease"));
  }

  static async start(options: PaperNodesOptions): Promise<PaperNodes> {
    const nodes = new PaperNodes(options);
    for (const name of options.names) await nodes.#register(name);
    nodes.#running = nodes.#run();
    return nodes;
  }

  /** Throws what went wrong in between. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #register(name: string): Promise<void> {
    await this.#nodes.create({ metadata: { name } } as Node & ApiObject);
    const at = now();
    const conditions = [
      { type: "Ready", status: "True", lastHeartbeatTime: at, lastTransitionTime: at },
    ];
    const room = { cpu: "100", memory: "100Gi", pods: "500" };
    const status = { conditions, allocatable: room, capacity: room };
    await this.#nodes.patch({ name }, { status }, { type: "merge", subresource: "status" });
    const spec = { holderIdentity: name, leaseDurationSeconds: 40 };
    await this.#leases.create({ metadata: { name, namespace: LEASES }, spec });
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    try {
      while (!signal.aborted) {
        await this.#renew();
        const { items } = await this.#pods.list({ signal });
        await Promise.all(items.map((pod) => this.#look(pod)));
        this.#options.onPods?.(items);
        await systemClock.sleep(LOOK_MS, signal);
      }
    } catch (err) {
      if (!isAbort(err, signal) && !signal.aborted) throw err;
    }
  }

  async #renew(): Promise<void> {
    if (systemClock.monotonicMs() - this.#renewedMs < RENEW_MS) return;
    this.#renewedMs = systemClock.monotonicMs();
    const renewTime = new Date(systemClock.now()).toISOString().replace("Z", "000Z");
    for (const name of this.#options.names) {
      const of = { namespace: LEASES, name };
      await this.#leases.patch(of, { spec: { renewTime } }, { type: "merge" });
    }
  }

  async #look(pod: Pod & ApiObject): Promise<void> {
    const { namespace, name = "", uid = "", deletionTimestamp } = pod.metadata;
    if ((pod.spec.nodeName ?? "") === "") return;
    try {
      if (deletionTimestamp != null) {
        await this.#pods.delete({ namespace, name }, { gracePeriodSeconds: 0 });
        return;
      }
      if (isReady(pod) || !this.#isDue(uid)) return;
      const conditions = [{ type: "Ready", status: "True", lastTransitionTime: now() }];
      const patch = { metadata: { uid }, status: { phase: "Running", conditions } };
      await this.#pods.patch({ namespace, name }, patch, {
        type: "strategic",
        subresource: "status",
      });
    } catch (err) {
      if (!isNotFound(err)) throw err;
    }
  }

  /** To become ready. */
  #isDue(uid: string): boolean {
    const { readyAfterMs, isHeld } = this.#options;
    const nowMs = systemClock.monotonicMs();
    const boundAtMs = this.#boundAtMs.get(uid) ?? nowMs;
    this.#boundAtMs.set(uid, boundAtMs);
    return nowMs - boundAtMs >= readyAfterMs && isHeld?.() !== true;
  }
}

export function isReady({ status }: Pod): boolean {
  return (
    status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true
  );
}

function now(): string {
  return `${new Date(systemClock.now()).toISOString().slice(0, 19)}Z`;
}
