// Looks after nodes: one that gives no sign of life for a while counts as unknown, is kept free of new pods at once and, unless it
// is us who are cut off, loses its pods after the time for which they tolerate that.

import { isNotFound } from "../../api/status-error.ts";
import type { Change, Informer } from "../../client/informer.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import { Controller } from "../../controller/controller.ts";
import type { ControllerContext, RunnableController } from "../../controller/controller-context.ts";
import type { Events } from "../../controller/event-recorder.ts";
import { BY_NODE } from "../../controller/informers.ts";
import { POD, type PodObject } from "../pods/pod-object.ts";
import { NodeHealth } from "./node-health.ts";
import {
  LEASE,
  LEASE_NAMESPACE,
  type LeaseObject,
  NODE,
  type NodeObject,
  nodeCondition,
  readyStatus,
} from "./node-objects.ts";
import { type Driving, drivingKey, isDriving, wantedTaints } from "./node-taints.ts";
import { TaintEviction } from "./taint-eviction.ts";
import { unknownConditions } from "./unknown-conditions.ts";
import { markUnready } from "./unready-pods.ts";
import { Zones } from "./zones.ts";

const COMPONENT = "node-controller";
const WORKERS = 8;

export class NodeController implements RunnableController {
  readonly name = "node-lifecycle-controller";
  readonly #context: ControllerContext;
  readonly #loop: Controller;
  readonly #eviction: TaintEviction;
  readonly #nodes: Informer<NodeObject>;
  readonly #leases: Informer<LeaseObject>;
  readonly #pods: Informer<PodObject>;
  readonly #nodeClient: ResourceClient<NodeObject>;
  readonly #leaseClient: ResourceClient<LeaseObject>;
  readonly #podClient: ResourceClient<PodObject>;
  readonly #events: Events;
  readonly #health: NodeHealth;
  readonly #zones: Zones;
  /** By node: since when it was unknown when its pods were marked. Once each, for a node that comes back tells of its pods first. */
  readonly #marked = new Map<string, string>();

  constructor(context: ControllerContext) {
    const { client, informers, clock, random, logger } = context;
    this.#context = context;
    this.#nodes = informers.of<NodeObject>(NODE);
    this.#leases = informers.of<LeaseObject>(LEASE);
    this.#pods = informers.of<PodObject>(POD);
    this.#nodeClient = new ResourceClient(client, NODE);
    this.#leaseClient = new ResourceClient(client, LEASE);
    this.#podClient = new ResourceClient(client, POD);
    this.#events = context.eventsOf(COMPONENT);
    this.#health = new NodeHealth(clock);
    this.#zones = new Zones(clock);
    this.#eviction = new TaintEviction(context);
    this.#loop = new Controller({
      name: this.name,
      workers: WORKERS,
      synced: async () => {
        await Promise.all([this.#nodes.synced, this.#leases.synced, this.#pods.synced]);
      },
      sync: (name, signal) => this.#sync(name, signal),
      ...{ clock, random, logger, loops: context.loops },
    });
    this.#nodes.onChange((change) => this.#onNode(change));
    this.#leases.onChange(({ object: { metadata } }) => {
      const node = this.#nodes.get(metadata.name ?? "");
      if (metadata.namespace === LEASE_NAMESPACE && node !== undefined) this.#listen(node);
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#loop.run(signal), this.#eviction.run(signal)]);
  }

  #onNode(change: Change<NodeObject>): void {
    const { object: node } = change;
    const { name = "" } = node.metadata;
    const wasAllGone = this.#zones.isAllGone;
    const isNews = change.type === "deleted" ? this.#zones.forget(node) : this.#zones.saw(node);
    if (change.type === "deleted") {
      this.#health.forget(name);
      this.#marked.delete(name);
    } else {
      this.#listen(node);
      this.#loop.queue.add(name);
    }
    this.#tellOf(change);
    if (!isNews) return;
    // Nobody could be heard, so nobody was silent.
    if (wasAllGone && !this.#zones.isAllGone) this.#health.excuseAll();
    for (const { metadata } of this.#nodes.list()) this.#loop.queue.add(metadata.name ?? "");
  }

  #listen(node: NodeObject): void {
    this.#health.saw(node, this.#leases.get(`${LEASE_NAMESPACE}/${node.metadata.name}`));
  }

  async #sync(name: string, signal: AbortSignal): Promise<number | undefined> {
    const seen = this.#nodes.get(name);
    if (seen === undefined) return undefined;
    const isSilent = this.#health.leftMs(seen) <= 0;
    const node = isSilent ? await this.#giveUp(seen, signal) : seen;
    const turnMs = await this.#taint(node, signal);
    await this.#markPods(node, signal);
    // One whose time ran out during this turn has its own turn for that: a timer may be early.
    const leftMs = Math.max(0, this.#health.leftMs(node));
    const againMs = Math.min(turnMs, isSilent && leftMs === 0 ? Number.POSITIVE_INFINITY : leftMs);
    return Number.isFinite(againMs) ? againMs : undefined;
  }

  /** As it is afterwards. */
  async #giveUp(node: NodeObject, signal: AbortSignal): Promise<NodeObject> {
    const conditions = unknownConditions(node, this.#context.clock.now());
    if (conditions === undefined || (await this.#isHeardByServer(node, signal))) return node;
    const { name } = node.metadata;
    this.#context.logger.warn("node gives no sign of life", { node: name });
    return this.#nodeClient.updateStatus(
      { ...node, status: { ...node.status, conditions } },
      { signal },
    );
  }

  /** What we did not hear may be our own fault: then its time begins anew. */
  async #isHeardByServer({ metadata }: NodeObject, signal: AbortSignal): Promise<boolean> {
    const { name = "" } = metadata;
    const key = { namespace: LEASE_NAMESPACE, name };
    const seen = this.#leases.get(`${LEASE_NAMESPACE}/${name}`);
    try {
      const lease = await this.#leaseClient.get(key, { signal });
      if (lease.spec.renewTime === seen?.spec.renewTime) return false;
    } catch (err) {
      if (isNotFound(err)) return false;
      this.#health.excuse(name);
      throw err;
    }
    this.#health.excuse(name);
    this.#context.logger.info("node was heard by the server, and not by us", { node: name });
    return true;
  }

  /** In how many milliseconds it may be its turn to be emptied; Infinity if there is nothing to wait for. */
  async #taint(node: NodeObject, signal: AbortSignal): Promise<number> {
    const { name = "", resourceVersion } = node.metadata;
    const isCandidate = drivingKey(node) !== undefined && !this.#zones.isAllGone;
    const turnMs =
      isCandidate && !isDriving(node) ? this.#zones.takeTurn(node) : Number.POSITIVE_INFINITY;
    const driving: Driving = isCandidate ? (turnMs === 0 ? "give" : "keep") : "none";
    const taints = wantedTaints(node, driving, this.#context.clock.now());
    if (taints !== undefined) {
      try {
        // With its version: a node that somebody else has just tainted is looked at again.
        const patch = { metadata: { resourceVersion }, spec: { taints } };
        await this.#nodeClient.patch({ name }, patch, { type: "merge", signal });
      } catch (err) {
        if (turnMs === 0) this.#zones.returnTurn(node);
        if (!isNotFound(err)) throw err;
      }
    }
    return turnMs === 0 ? Number.POSITIVE_INFINITY : turnMs;
  }

  async #markPods(node: NodeObject, signal: AbortSignal): Promise<void> {
    const { name = "" } = node.metadata;
    const ready = nodeCondition(node, "Ready");
    const since = ready?.lastTransitionTime ?? "";
    if (ready?.status !== "Unknown" || this.#marked.get(name) === since) return;
    const { clock } = this.#context;
    const options = { pods: this.#podClient, events: this.#events, clock };
    await markUnready(this.#pods.byIndex(BY_NODE, name), options, signal);
    this.#marked.set(name, since);
  }

  #tellOf(change: Change<NodeObject>): void {
    const { name = "" } = change.object.metadata;
    switch (change.type) {
      case "added":
        this.#tell(change.object, "RegisteredNode", `event: Registered Node ${name} in Controller`);
        break;
      case "deleted":
        this.#tell(change.object, "RemovingNode", `event: Removing Node ${name} from Controller`);
        break;
      case "updated": {
        const isReady = readyStatus(change.object) === "True";
        if (isReady === (readyStatus(change.old) === "True")) return;
        const status = isReady ? "NodeReady" : "NodeNotReady";
        this.#tell(change.object, status, `status is now: ${status}`);
      }
    }
  }

  #tell({ metadata: { name = "", uid } }: NodeObject, reason: string, what: string): void {
    const object = { apiVersion: "v1", kind: "Node", name, ...(uid !== undefined && { uid }) };
    const message = `Node ${name} ${what}`;
    this.#events.record({ object, type: "Normal", reason, message });
  }
}
