// A picture that follows the server: of pods, views, nodes, workloads and objects, by watches. Only what a first look was let read is watched;
// the rest stays as unknown as it was.

import type { ConfigKind } from "../../api/config/pod-uses.ts";
import type { ApiObject } from "../../api/object.ts";
import type { ConfigView, Node, Pod } from "../../api/types.ts";
import type { Logger } from "../../base/logger.ts";
import { objectVersion } from "../../base/object-content.ts";
import { systemRandom } from "../../base/random.ts";
import { Informer } from "../../client/informer.ts";
import { listWatchOf } from "../../client/list-watch.ts";
import { ResourceClient } from "../../client/resource-client.ts";
import type { ResourceKind } from "../../client/resource-path.ts";
import type { CliContext } from "../cli-context.ts";
import { PODS } from "../pod-target.ts";
import {
  CONFIG_MAPS,
  CONFIG_VIEWS,
  NODES,
  REPLICA_SETS,
  SECRETS,
  WORKLOADS,
} from "./answer-kinds.ts";
import type { ConfigReference, Picture, Workload } from "./picture.ts";
import { allowed, type PictureAsked } from "./read-picture.ts";

/** Bursts become one picture. */
const MERGE_MS = 25;

/** A watch that fails is begun again by itself; nobody at a terminal wants to read of it. */
const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
};

interface Place {
  readonly namespace: string | undefined;
  readonly fieldSelector: string | undefined;
}

export class LivePicture {
  readonly #context: CliContext;
  readonly #asked: PictureAsked;
  readonly #first: Picture;
  readonly #informers = new Map<string, Informer<ApiObject>>();
  readonly #versions = new WeakMap<ApiObject, string>();
  #news = Promise.withResolvers<void>();

  /** `first` brings what is not followed. */
  constructor(context: CliContext, asked: PictureAsked, first: Picture) {
    this.#context = context;
    this.#asked = asked;
    this.#first = first;
  }

  /** The first when all is known, from then on one after each change. Ends with the signal, by throwing its reason. */
  async *pictures(signal: AbortSignal): AsyncGenerator<Picture> {
    const stopped = new AbortController();
    const runs: Promise<void>[] = [];
    const aborted = Promise.withResolvers<never>();
    const onAbort = (): void => aborted.reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    aborted.promise.catch(() => undefined);
    try {
      signal.throwIfAborted();
      await this.#start(runs, AbortSignal.any([signal, stopped.signal]));
      const synced = [...this.#informers.values()].map(({ synced: one }) => one);
      await Promise.race([Promise.all(synced), aborted.promise]);
      for (;;) {
        this.#news = Promise.withResolvers();
        yield this.#picture();
        await Promise.race([this.#news.promise, aborted.promise]);
        await this.#context.clock.sleep(MERGE_MS, signal);
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      stopped.abort();
      await Promise.all(runs);
    }
  }

  /** What it has begun is in `runs`, also if it fails. */
  async #start(runs: Promise<void>[], signal: AbortSignal): Promise<void> {
    const { namespace, object } = this.#asked;
    const kinds = [PODS, CONFIG_VIEWS, NODES, REPLICA_SETS, ...WORKLOADS, CONFIG_MAPS, SECRETS];
    const isObject = (kind: ResourceKind): boolean => kind === CONFIG_MAPS || kind === SECRETS;
    const wanted = kinds.filter(
      (kind) => object === undefined || !isObject(kind) || kind.kind === object.kind,
    );
    for (const kind of wanted) {
      const within = kind.namespaced ? namespace : undefined;
      const fieldSelector =
        object !== undefined && isObject(kind) ? `metadata.name=${object.name}` : undefined;
      const place = { namespace: within, fieldSelector };
      if (!(await this.#mayList(kind, place, signal))) continue;
      const informer = this.#informer(kind, place);
      this.#informers.set(kind.resource, informer);
      informer.onChange(() => this.#news.resolve());
      runs.push(informer.run(signal));
    }
  }

  async #mayList(
    kind: ResourceKind,
    { namespace, fieldSelector }: Place,
    signal: AbortSignal,
  ): Promise<boolean> {
    const selected = fieldSelector === undefined ? {} : { fieldSelector };
    const objects = new ResourceClient<ApiObject>(this.#context.client, kind);
    const page = await allowed(() => objects.list({ namespace, signal, limit: 1, ...selected }));
    return page !== undefined;
  }

  #informer(kind: ResourceKind, { namespace, fieldSelector }: Place): Informer<ApiObject> {
    const { client, clock } = this.#context;
    return new Informer<ApiObject>({
      listWatch: listWatchOf({ client, kind, namespace, fieldSelector }),
      indexers: {},
      startsWithNewest: true,
      clock,
      random: systemRandom,
      logger: silent,
    });
  }

  #list<T>(kind: ResourceKind): readonly T[] | undefined {
    return this.#informers.get(kind.resource)?.list() as readonly T[] | undefined;
  }

  #picture(): Picture {
    return {
      pods: this.#list<Pod>(PODS) ?? [],
      views: this.#list<ConfigView>(CONFIG_VIEWS) ?? [],
      nodes: this.#list<Node>(NODES),
      replicaSets: this.#list<ApiObject>(REPLICA_SETS) ?? [],
      workloads: WORKLOADS.flatMap((kind) =>
        (this.#list<Workload>(kind) ?? []).map((one) => ({ ...one, kind: kind.kind })),
      ),
      versionNow: (of) => this.#versionNow(of),
      revisionsOf: (of) => this.#first.revisionsOf(of),
      notes: this.#first.notes,
    };
  }

  #versionNow({ kind, namespace, name }: ConfigReference): string | undefined {
    const { resource } = kind === "Secret" ? SECRETS : CONFIG_MAPS;
    const informer = this.#informers.get(resource);
    // Whoever may get an object but not watch it waits for what it held at first.
    if (informer === undefined) return this.#first.versionNow({ kind, namespace, name });
    const object = informer.get(`${namespace}/${name}`);
    return object === undefined ? "gone" : this.#versionOf(object, kind);
  }

  /** Hashed once: an object that changed is another one. */
  #versionOf(object: ApiObject, kind: ConfigKind): string {
    const known = this.#versions.get(object) ?? objectVersion(kind, object);
    this.#versions.set(object, known);
    return known;
  }
}
