// ConfigMaps or Secrets of one namespace or all: one by name, or those with labels. A watch, with a list behind it where that is asked for; a deletion that nobody
// saw is found when the state comes again.

import type { ApiObject } from "../../api/object.ts";
import { isNotFound, StatusError } from "../../api/status-error.ts";
import { untilAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { describe } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { type ListWatch, listWatchOf } from "../../client/list-watch.ts";
import { type ChangeType, keyOf, Reflector, type ReflectorSink } from "../../client/reflector.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import type { ResourceKind } from "../../client/resource-path.ts";

export type ObjectKind = "ConfigMap" | "Secret";

export interface ObjectFeedOptions {
  readonly client: ApiClient;
  readonly kind: ObjectKind;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly labelSelector: string | undefined;
  readonly pollMs: number | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly onChange: () => void;
}

export class ObjectFeed implements ReflectorSink<ApiObject> {
  readonly kind: ObjectKind;
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly #options: ObjectFeedOptions;
  readonly #listWatch: ListWatch<ApiObject>;
  /** By "namespace/name". */
  #objects = new Map<string, ApiObject>();
  #hasSynced = false;
  #failure: unknown;
  /** Of the lists besides the watch: while they succeed, or until it is known, what the watch complains of does not matter. */
  #poll: "none" | "unknown" | "good" | "bad";

  constructor(options: ObjectFeedOptions) {
    this.#options = options;
    const { client, kind, namespace, name, labelSelector, pollMs } = options;
    this.#poll = pollMs === undefined ? "none" : "unknown";
    this.kind = kind;
    this.name = name;
    this.namespace = namespace;
    const fieldSelector = name === undefined ? undefined : `metadata.name=${name}`;
    const asked = { client, kind: resourceOf(kind), namespace, labelSelector, fieldSelector };
    this.#listWatch = listWatchOf<ApiObject>(asked);
  }

  /** The first state is complete. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get objects(): Iterable<ApiObject> {
    return this.#objects.values();
  }

  /** What the server refuses and what would help; undefined while all is well. */
  get problem(): string | undefined {
    if (this.#failure === undefined || this.#poll === "good" || this.#poll === "unknown") {
      return undefined;
    }
    return `${this.#options.client.server}: ${this.#reason(this.#failure)}`;
  }

  /** "configmap/app in default", "secrets with app=web in all namespaces". */
  get what(): string {
    const { kind, namespace, name, labelSelector } = this.#options;
    const place = namespace === undefined ? "in all namespaces" : `in ${namespace}`;
    if (name !== undefined) return `${kind.toLowerCase()}/${name} ${place}`;
    return `${resourceOf(kind).resource} with ${labelSelector ?? "any labels"} ${place}`;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, logger } = this.#options;
    const parts = { clock, random, logger };
    const sink = { listWatch: this.#listWatch, sink: this, startsWithNewest: true };
    await Promise.all([new Reflector({ ...sink, ...parts }).run(signal), this.#list(signal)]);
  }

  /** For the reflector. */
  replace(items: readonly ApiObject[]): void {
    this.#failure = undefined;
    this.#objects = new Map(items.map((item) => [keyOf(item), item]));
    this.#hasSynced = true;
    this.#options.onChange();
  }

  /** For the reflector. */
  event(type: ChangeType, object: ApiObject): void {
    this.#failure = undefined;
    if (type === "DELETED") this.#objects.delete(keyOf(object));
    else this.#objects.set(keyOf(object), object);
    this.#options.onChange();
  }

  /** For the reflector. */
  held(key: string): ApiObject | undefined {
    return this.#objects.get(key);
  }

  /** For the reflector. */
  failed(err: unknown): void {
    this.#failure = err;
    this.#options.onChange();
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { clock, pollMs } = this.#options;
    if (pollMs === undefined) return;
    await untilAborted(signal, async () => {
      for (;;) {
        await this.#look(signal);
        await clock.sleep(pollMs, signal);
      }
    });
  }

  async #look(signal: AbortSignal): Promise<void> {
    try {
      const items = await this.#listed(signal);
      this.#poll = "good";
      this.replace(items);
    } catch (err) {
      signal.throwIfAborted();
      this.#poll = "bad";
      this.failed(err);
    }
  }

  async #listed(signal: AbortSignal): Promise<readonly ApiObject[]> {
    const { client, kind, namespace, name } = this.#options;
    try {
      return (await this.#listWatch.list("", signal)).items;
    } catch (err) {
      // Whoever may only get one object by its name may not list.
      if (!(isCode(err, 403) && name !== undefined && namespace !== undefined)) throw err;
    }
    try {
      const objects = new ResourceClient<ApiObject>(client, resourceOf(kind));
      return [await objects.get({ namespace, name }, { signal })];
    } catch (err) {
      if (isNotFound(err)) return [];
      throw err;
    }
  }

  #reason(err: unknown): string {
    const { kind, name, namespace } = this.#options;
    const { resource } = resourceOf(kind);
    if (isCode(err, 403)) {
      const which = name === undefined ? "" : ` (resourceNames: ["${name}"])`;
      const where =
        namespace === undefined ? "in all namespaces (ClusterRole)" : `in namespace "${namespace}"`;
      return `no right to "list" and "watch" ${resource}${which} ${where}`;
    }
    if (isCode(err, 401)) return "it does not know who we are (401); the token may be old";
    if (isCode(err, 404)) return `it has no ${resource}: is it a Kubernetes API server?`;
    return describe(err);
  }
}

function isCode(err: unknown, code: number): boolean {
  return err instanceof StatusError && err.code === code;
}

function resourceOf(kind: ObjectKind): ResourceKind {
  const resource = kind === "Secret" ? "secrets" : "configmaps";
  return { group: "", version: "v1", kind, resource, namespaced: true };
}
