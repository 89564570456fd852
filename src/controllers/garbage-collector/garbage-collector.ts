// Deletes what has lost all of its owners, and ends deletions that concern dependents: those that wait for them (foreground) and those
// that leave them behind (orphan). Watches of every resource make a graph; whatever in it may be garbage is looked at one by one, and
// only what the server itself says decides.

import { apiVersionOf } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import type { OwnerReference } from "../../api/types.ts";
import type { Logger } from "../../base/logger.ts";
import type { Change } from "../../client/informer.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import { Controller } from "../../controller/controller.ts";
import type { ControllerContext, RunnableController } from "../../controller/controller-context.ts";
import type { Events } from "../../controller/event-recorder.ts";
import { inParallel } from "../../controller/in-parallel.ts";
import { AbsentOwners } from "./absent-owners.ts";
import { DependencyGraph } from "./dependency-graph.ts";
import { FollowedResources } from "./followed-resources.ts";
import {
  awaitedDependents,
  FOREGROUND_FINALIZER,
  type GraphNode,
  isGoingBy,
  ORPHAN_FINALIZER,
} from "./graph-node.ts";
import { type Identity, identityText, ownerIdentity } from "./identity.ts";
import {
  LiveObjects,
  MisplacedOwnerError,
  UnknownKindError,
  VanishedKindError,
} from "./live-objects.ts";
import { ParkedNodes } from "./parked-nodes.ts";
import { type JudgedOwner, type Policy, type Standing, verdictOn } from "./verdict.ts";

const WORKERS = 20;
/** For what the server has and no watch has told of, and for what it cannot tell of at the moment. */
const UNSEEN_MS = 30_000;
const LATER_MS = 1000;
/** Dependents that are let go of at once. */
const ORPHANS_AT_ONCE = 16;

export class GarbageCollector implements RunnableController {
  readonly name = "garbage-collector-controller";
  readonly #logger: Logger;
  readonly #events: Events;
  readonly #graph: DependencyGraph;
  readonly #absent = new AbsentOwners();
  readonly #live: LiveObjects;
  readonly #resources: FollowedResources;
  readonly #deletions: Controller;
  readonly #orphans: Controller;
  readonly #parked = new ParkedNodes((uid) => this.#graph.get(uid) !== undefined);

  constructor(context: ControllerContext) {
    const { client, clock, random, eventsOf } = context;
    this.#logger = context.logger.child({ controller: this.name });
    this.#events = eventsOf(this.name);
    const synced = (): Promise<void> => this.#resources.settled;
    const { logger, loops } = context;
    const loop = { workers: WORKERS, synced, clock, random, logger, loops };
    this.#deletions = new Controller({
      ...loop,
      name: "garbage-collector-deletions",
      sync: (key, signal) => this.#attempt(key, signal),
    });
    this.#orphans = new Controller({
      ...loop,
      name: "garbage-collector-orphans",
      sync: (key, signal) => this.#orphan(key, signal),
    });
    this.#graph = new DependencyGraph({
      lookAt: (node) => this.#deletions.queue.add(keyOf(node)),
      lookAtLater: (node) => this.#deletions.queue.addAfter(keyOf(node), LATER_MS),
      orphan: (node) => this.#orphans.queue.add(keyOf(node)),
      isAbsent: (owner) => this.#absent.add(owner),
      isInvalid: (dependent, owner) => this.#tellInvalid(dependent, owner),
    });
    this.#live = new LiveObjects({
      client,
      kindOf: (apiVersion, kind) => this.#resources.kindOf(apiVersion, kind),
    });
    this.#resources = new FollowedResources({
      ...{ client, clock, random, logger: this.#logger },
      onChange: (kind, change) => this.#observe(kind, change),
      onLost: (objects) => {
        for (const { metadata } of objects) this.#graph.lose(metadata.uid ?? "");
      },
      onNewKinds: () => {
        for (const key of this.#parked.takeAll()) this.#deletions.queue.add(key);
      },
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const parts = [this.#resources, this.#deletions, this.#orphans];
    await Promise.all(parts.map((part) => part.run(signal)));
  }

  #observe(kind: ResourceKind, change: Change<ApiObject>): void {
    const { namespace = "", name = "", uid = "" } = change.object.metadata;
    if (change.type === "deleted") {
      this.#graph.remove(uid, !change.isFinalStateUnknown);
      return;
    }
    const identity = { apiVersion: apiVersionOf(kind), kind: kind.kind, namespace, name, uid };
    const before = change.type === "updated" ? change.old : undefined;
    this.#graph.observe(identity, change.object, before);
  }

  async #attempt(key: string, signal: AbortSignal): Promise<number | undefined> {
    const node = this.#graph.get(uidOf(key));
    if (node === undefined) return undefined;
    try {
      await this.#judge(node, signal);
    } catch (err) {
      if (err instanceof MisplacedOwnerError) return undefined;
      if (err instanceof VanishedKindError) return UNSEEN_MS;
      if (!(err instanceof UnknownKindError)) throw err;
      this.#logger.debug("kind not served", { key, err });
      this.#parked.add(uidOf(key), key);
      return undefined;
    }
    // It may go without any watch telling, and would then be in the graph for ever.
    const isUnseen = node.isVirtual && this.#graph.get(uidOf(key)) === node;
    return isUnseen ? UNSEEN_MS : undefined;
  }

  async #judge(node: GraphNode, signal: AbortSignal): Promise<void> {
    // It will go by itself, and its dependents are looked at then.
    if (node.isBeingDeleted && !node.isDeletingDependents && !node.isVirtual) return;
    const { identity } = node;
    const latest = await this.#live.get(identity, signal);
    if (latest === undefined) {
      this.#graph.confirmAbsent(identity);
    } else if (node.isDeletingDependents) {
      await this.#finish(node, signal);
    } else {
      await this.#collect(node, latest, signal);
    }
  }

  /** It goes when no dependent is left that it has to wait for. */
  async #finish(node: GraphNode, signal: AbortSignal): Promise<void> {
    const awaited = awaitedDependents(node);
    if (awaited.length === 0) {
      await this.#live.removeFinalizer(node.identity, FOREGROUND_FINALIZER, signal);
    }
    for (const dependent of awaited) {
      if (!dependent.isDeletingDependents) this.#deletions.queue.add(keyOf(dependent));
    }
  }

  async #collect(node: GraphNode, latest: ApiObject, signal: AbortSignal): Promise<void> {
    const { identity } = node;
    const owners: JudgedOwner[] = [];
    for (const reference of latest.metadata.ownerReferences ?? []) {
      const standing = await this.#standing(reference, identity.namespace, signal);
      owners.push({ reference, standing });
    }
    const verdict = verdictOn(latest, owners, node);
    switch (verdict.do) {
      case "keep":
        return;
      case "release":
        await this.#live.releaseOwners(identity, verdict.uids, signal);
        return;
      case "delete":
        await this.#delete(identity, { latest, ...verdict }, signal);
    }
  }

  async #delete(
    identity: Identity,
    how: { readonly latest: ApiObject; readonly policy: Policy; readonly unblocks: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const { policy, unblocks } = how;
    const latest = unblocks
      ? await this.#live.unblockOwners(identity, how.latest, signal)
      : how.latest;
    const isDeleted =
      latest !== undefined && (await this.#live.delete(identity, { latest, policy }, signal));
    if (isDeleted) this.#logger.debug("deleted", { ...identity, policy });
    else this.#graph.confirmAbsent(identity);
  }

  async #standing(
    reference: OwnerReference,
    namespace: string,
    signal: AbortSignal,
  ): Promise<Standing> {
    const owner = ownerIdentity(reference, namespace);
    const ofCluster = ownerIdentity(reference, "");
    if (this.#absent.has(ofCluster) || this.#absent.has(owner)) return "dangling";
    const live = await this.#live.get(owner, signal);
    if (live !== undefined) return isGoingBy(live, FOREGROUND_FINALIZER) ? "waiting" : "solid";
    const kind = this.#resources.kindOf(reference.apiVersion, reference.kind);
    this.#absent.add(kind?.namespaced === false ? ofCluster : owner);
    return "dangling";
  }

  async #orphan(key: string, signal: AbortSignal): Promise<undefined> {
    const owner = this.#graph.get(uidOf(key));
    if (owner === undefined) return;
    const { identity, dependents } = owner;
    const failures = await inParallel(dependents, ORPHANS_AT_ONCE, (dependent) =>
      this.#live.releaseOwners(dependent.identity, [identity.uid], signal),
    );
    if (failures.length > 0) {
      const what = identityText(identity);
      throw new AggregateError(failures, `failed to orphan dependents of owner ${what}`);
    }
    await this.#live.removeFinalizer(identity, ORPHAN_FINALIZER, signal);
  }

  #tellInvalid({ apiVersion, kind, namespace, name, uid }: Identity, owner: Identity): void {
    this.#events.record({
      object: { apiVersion, kind, name, uid, ...(namespace !== "" && { namespace }) },
      type: "Warning",
      reason: "OwnerRefInvalidNamespace",
      message: `ownerRef ${identityText(owner)} does not exist in namespace ${JSON.stringify(namespace)}`,
    });
  }
}

/** Namespaces take turns, and uids tell objects apart. */
function keyOf({ identity: { namespace, uid } }: GraphNode): string {
  return `${namespace}/${uid}`;
}

function uidOf(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}
