// One watch per resource, of its metadata alone, as many as the server has resources, and only as long as it has them. One that is
// refused does not keep the others from being followed.

import type { ApiObject } from "../../api/object.ts";
import { linkSignals } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { type Change, Informer } from "../../client/informer.ts";
import { type ListWatch, listWatchOf, type WatchEvent } from "../../client/list-watch.ts";
import type { ResourceKind } from "../../client/resource-path.ts";

export interface ResourceMonitorsOptions {
  readonly client: ApiClient;
  readonly onChange: (kind: ResourceKind, change: Change<ApiObject>) => void;
  /** The resource is not followed any more; these were there. */
  readonly onLost: (objects: readonly ApiObject[]) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

interface Monitor {
  readonly kind: ResourceKind;
  readonly informer: Informer<ApiObject>;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** A resource that has not come by then is not waited for. */
const MAX_WAIT_MS = 30_000;
const LOOK_MS = 500;

export class ResourceMonitors {
  readonly #options: ResourceMonitorsOptions;
  readonly #monitors = new Map<string, Monitor>();

  constructor(options: ResourceMonitorsOptions) {
    this.#options = options;
  }

  /** Exactly these, until the signal aborts. */
  follow(kinds: readonly ResourceKind[], signal: AbortSignal): void {
    const wanted = new Map(kinds.map((kind) => [nameOf(kind), kind]));
    for (const [name, { informer, stop }] of this.#monitors) {
      if (wanted.has(name)) continue;
      stop.abort();
      this.#monitors.delete(name);
      this.#options.onLost(informer.list());
    }
    for (const [name, kind] of wanted) {
      if (this.#monitors.has(name)) continue;
      this.#monitors.set(name, this.#start(kind, signal));
    }
  }

  get kinds(): readonly ResourceKind[] {
    return Array.from(this.#monitors.values(), ({ kind }) => kind);
  }

  /** Settles when each has its first state or was refused, and in any case after half a minute. */
  async settled(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    const startedMs = clock.monotonicMs();
    const pending = (): readonly Monitor[] =>
      [...this.#monitors.values()].filter(({ informer }) => !informer.hasSynced);
    for (;;) {
      const missing = pending();
      const isRefused = missing.every(({ informer }) => informer.failure !== undefined);
      const isLate = clock.monotonicMs() - startedMs >= MAX_WAIT_MS;
      if (isRefused || isLate) {
        const resources = missing.map(({ kind }) => kind.resource);
        if (missing.length > 0) logger.warn("garbage is collected without", { resources });
        return;
      }
      const all = Promise.all(missing.map(({ informer }) => informer.synced));
      const enough = new AbortController();
      using link = linkSignals(signal, enough.signal);
      await Promise.race([all, clock.sleep(LOOK_MS, link.signal)]);
      enough.abort();
    }
  }

  /** To be called when the signal has aborted. */
  async ended(): Promise<void> {
    await Promise.all(Array.from(this.#monitors.values(), ({ ended }) => ended));
  }

  #start(kind: ResourceKind, signal: AbortSignal): Monitor {
    const { client, onChange, clock, random, logger } = this.#options;
    const listWatch = metadataOf(client, kind);
    const parts = { clock, random, logger };
    const informer = new Informer<ApiObject>({
      ...{ listWatch, indexers: {}, startsWithNewest: true },
      ...parts,
    });
    informer.onChange((change) => onChange(kind, change));
    const stop = new AbortController();
    const run = async (): Promise<void> => {
      using link = linkSignals(signal, stop.signal);
      await informer.run(link.signal);
    };
    return { kind, informer, stop, ended: run() };
  }
}

/** Everything about objects that does not concern whose they are would fill memory for nothing. */
function metadataOf(client: ApiClient, kind: ResourceKind): ListWatch<ApiObject> {
  const inner = listWatchOf<ApiObject>({ client, kind, isMetadataOnly: true });
  return {
    ...inner,
    // Of its own: that a resource has vanished says nothing about what the server can do for others.
    facts: { supportsWatchList: false },
    async list(resourceVersion, signal) {
      const listed = await inner.list(resourceVersion, signal);
      return { ...listed, items: listed.items.map(trimmed) };
    },
    async watch(parameters, signal) {
      return trimmedEvents(await inner.watch(parameters, signal));
    },
  };
}

async function* trimmedEvents(events: AsyncIterable<WatchEvent>): AsyncGenerator<WatchEvent> {
  for await (const event of events) {
    const isObject = event.type !== "BOOKMARK" && event.type !== "ERROR";
    yield isObject ? { ...event, object: trimmed(event.object as ApiObject) } : event;
  }
}

function trimmed({ metadata }: ApiObject): ApiObject {
  const { namespace, name, uid, resourceVersion } = metadata;
  const { deletionTimestamp, finalizers, ownerReferences } = metadata;
  return {
    metadata: {
      ...{ namespace, name, uid, resourceVersion },
      ...(deletionTimestamp != null && { deletionTimestamp }),
      ...(finalizers != null && { finalizers }),
      ...(ownerReferences != null && { ownerReferences }),
    },
  };
}

function nameOf({ group, version, resource }: ResourceKind): string {
  return `${group}/${version}/${resource}`;
}
