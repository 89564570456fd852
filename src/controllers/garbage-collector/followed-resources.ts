// Keeps up with what the server serves: every resource that can have dependents or be one is followed, from when it appears until it
// vanishes.

import { apiVersionOf } from "../../api/kind.ts";
import { isAbort, untilAborted } from "../../base/abort.ts";
import { Backoff } from "../../base/backoff.ts";
import { discover, type ServedResource } from "../../client/discovery.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import { ResourceMonitors, type ResourceMonitorsOptions } from "./resource-monitors.ts";

export interface FollowedResourcesOptions extends ResourceMonitorsOptions {
  /** `kindOf` knows more than before. */
  readonly onNewKinds: () => void;
}

/** As the original. How often the server is asked what it serves. */
const DISCOVERY_MS = 30_000;

export class FollowedResources {
  readonly #options: FollowedResourcesOptions;
  readonly #monitors: ResourceMonitors;
  readonly #settled = Promise.withResolvers<void>();
  /** All that is served, by "apiVersion/kind". */
  #kinds: ReadonlyMap<string, ResourceKind> = new Map();
  #hasSettled = false;

  constructor(options: FollowedResourcesOptions) {
    this.#options = options;
    this.#monitors = new ResourceMonitors(options);
  }

  /** Settles when every resource that can be read has its first state. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  kindOf(apiVersion: string, kind: string): ResourceKind | undefined {
    return this.#kinds.get(`${apiVersion}/${kind}`);
  }

  async run(signal: AbortSignal): Promise<void> {
    await untilAborted(signal, () => this.#keepUp(signal));
    await this.#monitors.ended();
  }

  async #keepUp(signal: AbortSignal): Promise<never> {
    const { clock, random, logger } = this.#options;
    const pause = new Backoff({
      ...{ baseMs: 1000, factor: 2, maxMs: DISCOVERY_MS, jitter: 0.5, resetAfterMs: DISCOVERY_MS },
      ...{ clock, random },
    });
    for (;;) {
      try {
        await this.#discover(signal);
      } catch (err) {
        if (isAbort(err, signal)) throw err;
        logger.warn("discovery failed", { err });
        await pause.wait(signal);
        continue;
      }
      if (!this.#hasSettled) await this.#monitors.settled(signal);
      this.#hasSettled = true;
      this.#settled.resolve();
      await clock.sleep(DISCOVERY_MS, signal);
    }
  }

  async #discover(signal: AbortSignal): Promise<void> {
    const { client, logger, onNewKinds } = this.#options;
    const { resources, failures } = await discover(client, signal);
    if (failures.size > 0) {
      logger.warn("failed to discover some groups", { groups: [...failures.keys()] });
    }
    const followed = resources.filter(isCollected);
    if (followed.length === 0) throw new Error("no resources reported by discovery");
    // What could not be told now is as it was.
    const isUnclear = (kind: ResourceKind): boolean => failures.has(apiVersionOf(kind));
    const kinds = new Map<string, ResourceKind>();
    for (const kind of [...resources, ...[...this.#kinds.values()].filter(isUnclear)]) {
      const name = `${apiVersionOf(kind)}/${kind.kind}`;
      if (!kinds.has(name)) kinds.set(name, kind);
    }
    const isMore = [...kinds.keys()].some((name) => !this.#kinds.has(name));
    this.#kinds = kinds;
    this.#monitors.follow([...followed, ...this.#monitors.kinds.filter(isUnclear)], signal);
    if (isMore) onNewKinds();
  }
}

/** Events have no owners, come in great numbers and go by themselves. */
function isCollected({ group, resource, verbs, isPreferred }: ServedResource): boolean {
  const isEvent = resource === "events" && (group === "" || group === "events.k8s.io");
  return isPreferred && !isEvent && ["delete", "list", "watch"].every((v) => verbs.includes(v));
}
