// Deletion as an API server does it: at once, or in steps when somebody has to let go of the object first (finalizers) or it needs time
// to stop (grace).

import { isJsonObject } from "../../api/json.ts";
import type { Kind } from "../../api/kind.ts";
import type { ApiObject } from "../../api/object.ts";
import { conflict } from "../../api/status-error.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import type { Clock } from "../../base/clock.ts";
import { rulesOf } from "./sim-rules.ts";
import type { SimStore } from "./sim-store.ts";

export interface SimDeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

interface Grace {
  readonly seconds: number;
  /** When it will be over. */
  readonly at: string;
}

const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";

export class SimDeletion {
  readonly #store: SimStore;
  readonly #clock: Clock;

  constructor({ store, clock }: { readonly store: SimStore; readonly clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Throws Conflict. */
  delete(
    kind: Kind,
    live: ApiObject,
    options: SimDeleteOptions & { readonly by: string },
  ): { readonly object: ApiObject; readonly isGone: boolean } {
    checkPreconditions(kind, live, options);
    const marked = this.#marked(kind, live, options);
    if (marked === undefined) {
      return { object: this.#store.remove(kind, live, options.by), isGone: true };
    }
    const object = semanticEqual(marked, live) ? live : this.#store.write(kind, marked, options.by);
    if (!isFree(object)) return { object, isGone: false };
    return { object: this.#store.remove(kind, object, options.by), isGone: true };
  }

  /** The object with what says that it is on its way out; undefined if it can go now. */
  #marked(kind: Kind, live: ApiObject, options: SimDeleteOptions): ApiObject | undefined {
    const grace = this.#grace(kind, live, options.gracePeriodSeconds);
    if (grace === "pending") return live;
    const finalizers = finalizersFor(kind, live, options);
    if (grace === undefined && finalizers.length === 0 && specFinalizers(live) === 0) {
      return undefined;
    }
    const now = stamp(this.#clock.now());
    const object = marked(live, { grace: grace ?? standingGrace(live, now), finalizers });
    return rulesOf(kind).markDeleted?.(object) ?? object;
  }

  #grace(kind: Kind, live: ApiObject, asked: number | undefined): Grace | "pending" | undefined {
    const { gracePeriod } = rulesOf(kind);
    if (gracePeriod === undefined) return undefined;
    const nowMs = this.#clock.now();
    const requested = asked !== undefined && asked < 0 ? 1 : asked;
    const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = live.metadata;
    if (deletionTimestamp == null) {
      const seconds = gracePeriod(live, requested);
      return { seconds, at: stamp(nowMs + seconds * 1000) };
    }
    if (deletionGracePeriodSeconds === 0) return undefined;
    // Once it is on its way out, the time can only be shortened.
    if (requested === undefined || requested >= deletionGracePeriodSeconds) return "pending";
    const began = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
    const ends = began + requested * 1000;
    if (ends >= nowMs) return { seconds: requested, at: stamp(ends) };
    return { seconds: requested === 0 ? 0 : 1, at: stamp(nowMs) };
  }
}

/** Of kinds that know no grace: it is over when they are marked. */
function standingGrace({ metadata }: ApiObject, now: string): Grace {
  return { seconds: 0, at: metadata.deletionTimestamp ?? now };
}

function marked(
  live: ApiObject,
  { grace, finalizers }: { readonly grace: Grace; readonly finalizers: readonly string[] },
): ApiObject {
  const { finalizers: _, ...metadata } = live.metadata;
  const { deletionTimestamp, generation } = metadata;
  const isCounted = deletionTimestamp === undefined && generation !== undefined;
  return {
    ...live,
    metadata: {
      ...metadata,
      ...(isCounted && { generation: generation + 1 }),
      deletionTimestamp: grace.at,
      deletionGracePeriodSeconds: grace.seconds,
      ...(finalizers.length > 0 && { finalizers: [...finalizers] }),
    },
  };
}

/** The garbage collector's own finalizers say what becomes of dependents. */
function finalizersFor(kind: Kind, live: ApiObject, options: SimDeleteOptions): readonly string[] {
  const given = live.metadata.finalizers ?? [];
  const wanted = propagationOf(options) ?? standing(given) ?? byDefault(kind);
  return [
    ...given.filter((name) => name !== ORPHAN && name !== FOREGROUND),
    ...(wanted === "Orphan" ? [ORPHAN] : []),
    ...(wanted === "Foreground" ? [FOREGROUND] : []),
  ];
}

function propagationOf({
  propagationPolicy,
  orphanDependents,
}: SimDeleteOptions): string | undefined {
  if (orphanDependents !== undefined) return orphanDependents ? "Orphan" : "Background";
  return propagationPolicy;
}

/** What an earlier request asked for. */
function standing(finalizers: readonly string[]): string | undefined {
  if (finalizers.includes(ORPHAN)) return "Orphan";
  return finalizers.includes(FOREGROUND) ? "Foreground" : undefined;
}

function byDefault(kind: Kind): string {
  return rulesOf(kind).orphansByDefault === true ? "Orphan" : "Background";
}

function specFinalizers({ ["spec"]: spec }: ApiObject): number {
  const held = isJsonObject(spec) ? spec["finalizers"] : undefined;
  return Array.isArray(held) ? held.length : 0;
}

/** Nobody holds it any more. */
export function isFree(object: ApiObject): boolean {
  const { finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata;
  return finalizers.length + specFinalizers(object) === 0 && deletionGracePeriodSeconds === 0;
}

function checkPreconditions(
  { group, kind }: Kind,
  { metadata }: ApiObject,
  { preconditions = {} }: SimDeleteOptions,
): void {
  const as = { group, resource: kind, kind };
  const { name = "" } = metadata;
  const { uid, resourceVersion } = preconditions;
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      as,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      as,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
}

function stamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
