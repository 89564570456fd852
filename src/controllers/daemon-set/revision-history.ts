// Keeps the revisions of DaemonSets: one for each template that a set had, the one of its present template with the highest number.

import type { LabelSelector } from "../../api/selectors/label-selector.ts";
import { isAlreadyExists, isNotFound } from "../../api/status-error.ts";
import type { Informer } from "../../client/informer.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import { claim } from "../../controller/claim.ts";
import type { ControllerContext } from "../../controller/controller-context.ts";
import { BY_OWNER, orphansOf, ownedBy } from "../../controller/informers.ts";
import { OwnWrites } from "../../controller/own-writes.ts";
import type { OwnedPods } from "../pods/owned-pods.ts";
import { keyOfObject, type PodObject } from "../pods/pod-object.ts";
import {
  CONTROLLER_REVISION,
  DAEMON_SET,
  type DaemonSetObject,
  HASH_LABEL,
  type RevisionObject,
} from "./daemon-set-object.ts";
import { hashOf, isOf, newestRevision, outlived, revisionOf } from "./revision-data.ts";

export interface History {
  readonly current: RevisionObject;
  readonly old: readonly RevisionObject[];
}

/** What it is asked about. */
export interface HistoryOf {
  readonly set: DaemonSetObject;
  readonly selector: LabelSelector;
  /** All of the set's. */
  readonly pods: readonly PodObject[];
  readonly signal: AbortSignal;
}

export class RevisionHistory {
  readonly informer: Informer<RevisionObject>;
  readonly #revisions: ResourceClient<RevisionObject>;
  readonly #sets: ResourceClient<DaemonSetObject>;
  readonly #pods: OwnedPods;
  readonly #ownWrites: OwnWrites;

  constructor({ client, informers, clock }: ControllerContext, pods: OwnedPods) {
    this.informer = informers.of<RevisionObject>(CONTROLLER_REVISION);
    this.#revisions = new ResourceClient<RevisionObject>(client, CONTROLLER_REVISION);
    this.#sets = new ResourceClient<DaemonSetObject>(client, DAEMON_SET);
    this.#pods = pods;
    this.#ownWrites = new OwnWrites({ informer: this.informer, clock });
  }

  /** Whether the informer shows all that was written for this set. */
  areSeen(setKey: string): boolean {
    return this.#ownWrites.areSeen(setKey);
  }

  forget(setKey: string): void {
    this.#ownWrites.forget(setKey);
  }

  /** Makes what is missing. Undefined if pods were given to another revision: they are to be read again. */
  async settle(of: HistoryOf): Promise<History | undefined> {
    const { set } = of;
    const all = await this.#labelled(await this.#claimed(of), of);
    const matching = all.filter((revision) => isOf(set, revision));
    const old = all.filter((revision) => !isOf(set, revision));
    const number = newestRevision(old) + 1;
    const [first, ...more] = matching.toSorted((a, b) => b.revision - a.revision);
    if (first === undefined) return { current: await this.#create(of, number), old };
    if (more.length > 0) {
      await this.#unite(first, more, of);
      return undefined;
    }
    if (first.revision >= number) return { current: first, old };
    return { current: await this.#update({ ...first, revision: number }, of), old };
  }

  async cleanUp({ old }: History, { set, pods, signal }: HistoryOf): Promise<void> {
    const liveHashes = new Set(pods.map(({ metadata }) => metadata.labels?.[HASH_LABEL] ?? ""));
    const limit = set.spec.revisionHistoryLimit ?? 10;
    for (const revision of outlived(old, { limit, liveHashes })) {
      await this.#delete(revision, signal);
    }
  }

  async #claimed({ set, selector, signal }: HistoryOf): Promise<readonly RevisionObject[]> {
    const { namespace = "", name = "" } = set.metadata;
    const { informer } = this;
    return claim({
      owner: set,
      ownerKind: DAEMON_SET,
      selector,
      candidates: [
        ...informer.byIndex(BY_OWNER, ownedBy(set.metadata)),
        ...informer.byIndex(BY_OWNER, orphansOf(namespace)),
      ],
      children: this.#revisions,
      freshOwner: () => this.#sets.get({ namespace, name }, { signal }),
      signal,
    });
  }

  /** Those of other makers may lack the label; their name is unique as well. */
  async #labelled(
    revisions: readonly RevisionObject[],
    of: HistoryOf,
  ): Promise<readonly RevisionObject[]> {
    const labelled: RevisionObject[] = [];
    for (const revision of revisions) {
      const { metadata } = revision;
      if (hashOf(revision) !== "") {
        labelled.push(revision);
        continue;
      }
      const labels = { ...metadata.labels, [HASH_LABEL]: metadata.name ?? "" };
      labelled.push(await this.#update({ ...revision, metadata: { ...metadata, labels } }, of));
    }
    return labelled;
  }

  async #create({ set, signal }: HistoryOf, number: number): Promise<RevisionObject> {
    const wanted = revisionOf(set, number);
    try {
      return this.#wrote(set, await this.#revisions.create(wanted, { signal }));
    } catch (err) {
      if (!isAlreadyExists(err)) throw err;
      const { namespace, name = "" } = wanted.metadata;
      const there = await this.#revisions.get({ namespace, name }, { signal });
      if (isOf(set, there)) return this.#wrote(set, there);
      await this.#countCollision(set, signal);
      throw err;
    }
  }

  /** The next try gets another name. */
  async #countCollision(set: DaemonSetObject, signal: AbortSignal): Promise<void> {
    const { namespace, name = "" } = set.metadata;
    const fresh = await this.#sets.get({ namespace, name }, { signal });
    const { collisionCount = 0 } = fresh.status;
    // It was counted already, and the copy does not show it yet.
    if (collisionCount !== (set.status.collisionCount ?? 0)) return;
    const status = { ...fresh.status, collisionCount: collisionCount + 1 };
    await this.#sets.updateStatus({ ...fresh, status }, { signal });
  }

  /** Pods of equal revisions are pods of one. */
  async #unite(
    kept: RevisionObject,
    others: readonly RevisionObject[],
    { set, pods, signal }: HistoryOf,
  ): Promise<void> {
    const hash = hashOf(kept);
    const hashes = new Set(others.map(hashOf));
    for (const { metadata } of pods) {
      if (!hashes.has(metadata.labels?.[HASH_LABEL] ?? "")) continue;
      const { namespace, name = "" } = metadata;
      const patch = { metadata: { labels: { [HASH_LABEL]: hash } } };
      const options = { type: "merge", signal } as const;
      this.#pods.wrote(set, await this.#pods.client.patch({ namespace, name }, patch, options));
    }
    for (const revision of others) await this.#delete(revision, signal);
  }

  async #update(revision: RevisionObject, { set, signal }: HistoryOf): Promise<RevisionObject> {
    return this.#wrote(set, await this.#revisions.update(revision, { signal }));
  }

  async #delete({ metadata }: RevisionObject, signal: AbortSignal): Promise<void> {
    const { namespace, name = "", uid } = metadata;
    const preconditions = uid === undefined ? {} : { uid };
    try {
      await this.#revisions.delete({ namespace, name }, { preconditions, signal });
    } catch (err) {
      if (!isNotFound(err)) throw err;
    }
  }

  #wrote(set: DaemonSetObject, revision: RevisionObject): RevisionObject {
    this.#ownWrites.wrote(keyOfObject(set), revision);
    return revision;
  }
}
