// Removes copies that nothing can need any more. Early removal breaks pods that start later, so it goes slowly:
//   1. a copy that is not the newest, and that nothing refers to, gets the time on it;
//   2. whatever refers to it again takes the time away;
//   3. after the grace time the server itself is asked for all that could refer to it, and only then it is deleted, if it is still the
//      same: one that has become the newest again has another resourceVersion.
// The time is on the copy: a restart begins nothing anew.

import { microTime } from "../../api/api-time.ts";
import type { ApiObject } from "../../api/object.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { Informer } from "../../client/informer.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import { Controller } from "../../controller/controller.ts";
import type { ControllerContext } from "../../controller/controller-context.ts";
import { BY_NAMESPACE } from "../../controller/informers.ts";
import { type ConfigObjects, SOURCE_KINDS } from "./config-objects.ts";
import { isMarkMoved } from "./copy-keeper.ts";
import { REFERRING, type ReferringKind, referredBy } from "./referring-objects.ts";
import { newestSince, type SourceKind, sourceOfCopy, UNNEEDED_SINCE } from "./versioned-names.ts";

/** Nothing here is urgent: what happens in this time is looked at once. */
const LOOK_MS = 5000;

interface Candidate {
  readonly kind: SourceKind;
  readonly copy: ApiObject;
}

export class CopyRemover {
  readonly #context: ControllerContext;
  readonly #objects: ConfigObjects;
  readonly #graceMs: number;
  readonly #followed: readonly (ReferringKind & { readonly informer: Informer<ApiObject> })[];
  readonly #loop: Controller;

  constructor(
    context: ControllerContext,
    { objects, graceMs }: { readonly objects: ConfigObjects; readonly graceMs: number },
  ) {
    const { informers, clock, random, logger } = context;
    this.#context = context;
    this.#objects = objects;
    this.#graceMs = graceMs;
    this.#followed = REFERRING.filter(({ isFollowed }) => isFollowed).map((referring) => ({
      ...referring,
      informer: informers.of<ApiObject>(referring.kind),
    }));
    this.#loop = new Controller({
      name: "versioned-cleanup",
      workers: 1,
      synced: async () => {
        const used = this.#followed.map(({ informer }) => informer.synced);
        await Promise.all([objects.synced(), ...used]);
      },
      sync: (namespace, signal) => this.#sync(namespace, signal),
      ...{ clock, random, logger, loops: context.loops },
    });
    for (const { informer } of this.#followed) {
      informer.onChange((change) => {
        const isSame =
          change.type === "updated" &&
          change.object.metadata.generation === change.old.metadata.generation;
        if (!isSame) this.#look(change.object);
      });
    }
    objects.onChange((_, change) => {
      const isNews = change.type !== "updated" || isMarkMoved(change);
      if (isNews && sourceOfCopy(change.object) !== undefined) this.#look(change.object);
    });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  #look({ metadata: { namespace = "" } }: ApiObject): void {
    if (this.#candidates(namespace).length > 0) this.#loop.queue.addAfter(namespace, LOOK_MS);
  }

  #candidates(namespace: string): readonly Candidate[] {
    return SOURCE_KINDS.flatMap((kind) =>
      this.#objects
        .copiesIn(kind, namespace)
        .filter(
          (copy) => copy.metadata.deletionTimestamp == null && newestSince(copy) === undefined,
        )
        .map((copy) => ({ kind, copy })),
    );
  }

  async #sync(namespace: string, signal: AbortSignal): Promise<number | undefined> {
    const candidates = this.#candidates(namespace);
    if (candidates.length === 0) return undefined;
    const used = this.#seenUses(namespace);
    const due: Candidate[] = [];
    let againMs = Number.POSITIVE_INFINITY;
    for (const candidate of candidates) {
      if (used.has(nameOf(candidate))) {
        await this.#note(candidate, null, signal);
        continue;
      }
      const leftMs = this.#leftMs(candidate.copy);
      if (leftMs === undefined) {
        await this.#note(candidate, microTime(this.#context.clock.now()), signal);
      } else if (leftMs <= 0) {
        due.push(candidate);
        continue;
      }
      againMs = Math.min(againMs, leftMs ?? this.#graceMs);
    }
    if (due.length > 0) await this.#removeUnused(namespace, due, signal);
    return Number.isFinite(againMs) ? Math.max(againMs, LOOK_MS) : undefined;
  }

  /** Until it may go; undefined if it is not waiting for that. */
  #leftMs({ metadata }: ApiObject): number | undefined {
    const sinceMs = Date.parse(metadata.annotations?.[UNNEEDED_SINCE] ?? "");
    if (Number.isNaN(sinceMs)) return undefined;
    return sinceMs + this.#graceMs - this.#context.clock.now();
  }

  /** By what the informers show. */
  #seenUses(namespace: string): ReadonlySet<string> {
    return new Set(
      this.#followed.flatMap(({ informer, path }) =>
        informer.byIndex(BY_NAMESPACE, namespace).flatMap((object) => referredBy({ path }, object)),
      ),
    );
  }

  async #removeUnused(
    namespace: string,
    due: readonly Candidate[],
    signal: AbortSignal,
  ): Promise<void> {
    const used = await this.#usesOnServer(namespace, signal);
    for (const candidate of due) {
      if (used.has(nameOf(candidate))) await this.#note(candidate, null, signal);
      else await this.#remove(candidate, signal);
    }
  }

  async #usesOnServer(namespace: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const used = new Set<string>();
    for (const { kind, path } of REFERRING) {
      const client = new ResourceClient<ApiObject>(this.#context.client, kind);
      for await (const object of client.all({ namespace, signal })) {
        for (const name of referredBy({ path }, object)) used.add(name);
      }
    }
    return used;
  }

  async #remove({ kind, copy }: Candidate, signal: AbortSignal): Promise<void> {
    const { namespace, name = "", uid = "", resourceVersion = "" } = copy.metadata;
    try {
      const preconditions = { uid, resourceVersion };
      await this.#objects.client(kind).delete({ namespace, name }, { preconditions, signal });
      this.#context.logger.info("copy removed: nothing needs it", { kind, namespace, name });
    } catch (err) {
      if (!isNotFound(err)) throw err;
    }
  }

  /** `since`: nothing needs it since then; null: something does. */
  async #note({ kind, copy }: Candidate, since: string | null, signal: AbortSignal): Promise<void> {
    const { namespace, name = "", resourceVersion, annotations } = copy.metadata;
    if ((annotations?.[UNNEEDED_SINCE] ?? null) === since) return;
    const patch = { metadata: { resourceVersion, annotations: { [UNNEEDED_SINCE]: since } } };
    const client = this.#objects.client(kind);
    await client.patch({ namespace, name }, patch, { type: "merge", signal });
  }
}

function nameOf({ kind, copy }: Candidate): string {
  return `${kind}/${copy.metadata.name ?? ""}`;
}
