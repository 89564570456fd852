// Makes the revisions of an object and removes those that are too many. What there is already, here or by another server, is not made again.

import { hasHistory } from "../../api/config/history-annotation.ts";
import type { ApiObject } from "../../api/object.ts";
import { isAlreadyExists } from "../../api/status-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Counter, Metrics } from "../../base/metrics.ts";
import type { ObjectStore } from "../registry/object-store.ts";
import type { Resource } from "../registry/resource.ts";
import { createdForGood } from "../registry/system-write.ts";
import type { ObjectHistory } from "./object-history.ts";
import type { PendingContent } from "./pending-contents.ts";
import type { RevisionIndex } from "./revision-index.ts";
import { readRevision, revisionOf } from "./revision-object.ts";

export interface RevisionWriterOptions {
  readonly configMaps: Resource;
  readonly secrets: Resource;
  readonly revisions: Resource;
  readonly objects: ObjectStore;
  readonly index: RevisionIndex;
  /** How many are kept of each object. */
  readonly limit: number;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

export class RevisionWriter {
  readonly #options: RevisionWriterOptions;
  readonly #results: Counter<"result">;

  constructor(options: RevisionWriterOptions) {
    this.#options = options;
    this.#results = options.metrics.counter({
      name: "driftless_config_revisions_total",
      help: "ConfigRevisions by what was done: made, removed, or failed.",
      labels: ["result"],
    });
    for (const result of ["made", "removed", "failed"]) this.#results.add(0, { result });
  }

  /** Drops what the newest revision has, or has overtaken, and what nobody wants a revision of. */
  dropKnown(history: ObjectHistory): void {
    const { pending } = history;
    for (let { head } = pending; head !== undefined; head = pending.head) {
      if (!this.#isThere(history, head)) pending.clear();
      else if (this.#isKnown(history, head)) pending.doneWith(head.cached.revision);
      else return;
    }
  }

  /** Makes the revision of what waits longest; or finds that another server was faster, and makes none. */
  async make(history: ObjectHistory, content: PendingContent): Promise<void> {
    const { revisions, objects, index, clock } = this.#options;
    const { kind, group } = history.options;
    const { cached } = content;
    const newest = index.newest(group);
    const previous = newest && readRevision(newest);
    const wanted = revisionOf({
      kind,
      cached,
      hash: history.pending.hashOf(content),
      number: index.next(group),
      author: content.author ?? "",
      changedAtMs: content.changedAtMs,
      previous: previous?.object.uid === cached.object.metadata.uid ? previous : undefined,
    });
    const key = `${wanted.metadata.namespace}/${wanted.metadata.name}`;
    const made = createdForGood(revisions, wanted as object as ApiObject, clock.now());
    try {
      const stored = await objects.create(revisions, key, made);
      history.knows(stored, wanted);
      stored.release();
    } catch (err) {
      if (!isAlreadyExists(err)) throw err;
      // With this content, or with the one before or after it. Look again.
      await objects.get(revisions, key);
      return;
    }
    this.#results.inc({ result: "made" });
    history.made(clock.monotonicMs());
    history.pending.doneWith(cached.revision);
  }

  hasSurplus({ options }: ObjectHistory): boolean {
    const { index, limit } = this.#options;
    return index.beyond(options.group, limit).length > 0;
  }

  async removeSurplus({ options }: ObjectHistory): Promise<void> {
    const { revisions, objects, index, limit } = this.#options;
    const removed = index.beyond(options.group, limit).map(async (key) => {
      await objects.change(revisions, key, (current) => ({
        do: current === undefined ? "nothing" : "delete",
      }));
      this.#results.inc({ result: "removed" });
    });
    const failed = (await Promise.allSettled(removed)).find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }

  failed(): void {
    this.#results.inc({ result: "failed" });
  }

  /** The object, not one that took its name. */
  #isThere({ options }: ObjectHistory, { cached }: PendingContent): boolean {
    const { configMaps, secrets } = this.#options;
    const { cache } = options.kind === "Secret" ? secrets : configMaps;
    return cache.get(options.key)?.object.metadata.uid === cached.object.metadata.uid;
  }

  #isKnown(history: ObjectHistory, content: PendingContent): boolean {
    const { object } = content.cached;
    const { metadata } = object;
    // Of one that is on its way out nothing is kept: what goes with it must not come back.
    if (!hasHistory(object) || metadata.deletionTimestamp !== undefined) return true;
    const newest = history.read(this.#options.index.newest(history.options.group));
    if (newest === undefined || newest.uid !== metadata.uid) return false;
    return (
      newest.resourceVersion >= content.cached.revision ||
      newest.hash === history.pending.hashOf(content)
    );
  }
}
