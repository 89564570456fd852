// Writes the rules of aggregated ClusterRoles whenever a role that they choose changes. Follows the cache: there is
// nothing to poll, and a role that nobody chooses costs one look at its labels.

import type { ApiObject } from "../../api/object.ts";
import type { LabelSelector } from "../../api/selectors/label-selector.ts";
import type { ClusterRole, PolicyRule } from "../../api/types.ts";
import { semanticEqual } from "../../api/validation/semantic-equal.ts";
import { isAbort } from "../../base/abort.ts";
import { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { CachedObject } from "../cache/cached-object.ts";
import type { Follower } from "../cache/kind-cache.ts";
import type { ObjectStore } from "../registry/object-store.ts";
import type { Resource } from "../registry/resource.ts";
import { updatedBySystem } from "../registry/system-write.ts";
import { aggregatedRules, selectorsOf } from "./aggregated-rules.ts";

const MANAGER = "clusterrole-aggregation-controller";

export interface RoleAggregationOptions {
  readonly clusterRoles: Resource;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export class RoleAggregation implements Follower {
  readonly #options: RoleAggregationOptions;
  /** What each aggregated role chooses, by its key. */
  readonly #selectors = new Map<string, readonly LabelSelector[]>();
  /** Something changed since the rules were last looked at. */
  #isDue = true;
  #wake: (() => void) | undefined;

  /** Follows the roles from now on; writes nothing before `run` or `settle`. */
  constructor(options: RoleAggregationOptions) {
    this.#options = options;
    options.clusterRoles.cache.follow(this);
  }

  reset(objects: Iterable<CachedObject>): void {
    this.#selectors.clear();
    for (const object of objects) this.#learn(object);
    this.#call();
  }

  changed(now: CachedObject | undefined, before: CachedObject | undefined): void {
    const key = now?.key ?? before?.key ?? "";
    const wasAggregated = this.#selectors.delete(key);
    if (now !== undefined) this.#learn(now);
    const isAggregated = this.#selectors.has(key);
    if (wasAggregated || isAggregated || this.#isChosen(now) || this.#isChosen(before))
      this.#call();
  }

  /** Writes what differs, until the signal aborts. A write that fails is tried again. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, logger } = this.#options;
    const backoff = new Backoff({
      baseMs: 50,
      factor: 2,
      maxMs: 10_000,
      jitter: 0.5,
      resetAfterMs: 60_000,
      clock,
      random,
    });
    const wake = (): void => this.#wake?.();
    signal.addEventListener("abort", wake, { once: true });
    while (!signal.aborted) {
      try {
        await this.#called(signal);
        if (!signal.aborted) await this.settle();
      } catch (err) {
        if (isAbort(err, signal)) break;
        logger.warn("cannot write the rules of an aggregated role", { err });
        this.#isDue = true;
        await backoff.wait(signal).catch(() => undefined); // The loop's condition sees the abort.
      }
    }
    signal.removeEventListener("abort", wake);
  }

  /** Resolves when every aggregated role that the cache knows now has the rules that it should have. */
  async settle(): Promise<void> {
    const { cache } = this.#options.clusterRoles;
    this.#isDue = false;
    if (this.#selectors.size === 0) return;
    const roles = [...cache.list("")].map(({ object }) => object as ClusterRole);
    const differing = [...aggregatedRules(roles)].filter(
      ([role, rules]) => !semanticEqual(role.rules, rules),
    );
    const writes = differing.map(([role, rules]) => this.#write(role.metadata.name ?? "", rules));
    const results = await Promise.allSettled(writes);
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  async #write(name: string, rules: readonly PolicyRule[]): Promise<void> {
    const { clusterRoles, objects, clock } = this.#options;
    await objects.change(clusterRoles, name, (current) => {
      // Whoever changed it in between has called for another look.
      const live = current?.object;
      if (live === undefined || (live as ClusterRole).aggregationRule === undefined) {
        return { do: "nothing" };
      }
      if (semanticEqual((live as ClusterRole).rules, rules)) return { do: "nothing" };
      const wanted = { ...live, rules: [...rules] } as ApiObject;
      const write = { manager: MANAGER, nowMs: clock.now() };
      return { do: "write", object: updatedBySystem(clusterRoles, { live, wanted }, write) };
    });
  }

  #learn({ key, object }: CachedObject): void {
    const selectors = selectorsOf(object as ClusterRole);
    if (selectors !== undefined) this.#selectors.set(key, selectors);
  }

  #isChosen(role: CachedObject | undefined): boolean {
    if (role === undefined) return false;
    const { labels } = role.object.metadata;
    for (const selectors of this.#selectors.values()) {
      if (selectors.some((selector) => selector.matches(labels))) return true;
    }
    return false;
  }

  #call(): void {
    this.#isDue = true;
    this.#wake?.();
  }

  #called(signal: AbortSignal): Promise<void> | undefined {
    if (this.#isDue || signal.aborted) return undefined;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
