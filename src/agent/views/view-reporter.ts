// Keeps the server's copy of this node's views the same as what the node knows. Views are known by their pod's "namespace/name".
//
//   changed ──► dirty ──50 ms──► waiting for a place (8) ──► made, compared with the server's, written if it says something new
//                 ▲                                                        │
//                 └─────────── changed meanwhile, or failed ◄──────────────┘
//
// The view is made when its turn comes, so that whatever happened until then goes with one write. What the server has is followed (list and watch of
// our own): a view that somebody else changed, that was lost, or whose pod is gone, is put right whoever noticed it first.

import { isDeepStrictEqual } from "node:util";
import type { ApiObject } from "../../api/object.ts";
import { isNotFound, StatusError } from "../../api/status-error.ts";
import type { ConfigUse, ConfigView } from "../../api/types.ts";
import { aborted, isAbort } from "../../base/abort.ts";
import { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import { Gate } from "../../client/gate.ts";
import type { Informer } from "../../client/informer.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { isOlderVersion } from "../../client/resource-version.ts";
import type { PodView } from "./pod-view.ts";
import type { ViewMetrics } from "./view-metrics.ts";

export type StoredView = ConfigView & ApiObject;

/** A pod of this node as the server knows it, and what there is to say of it. */
export interface ViewedPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  view(before: readonly ConfigUse[]): PodView;
}

export interface ViewReporterOptions {
  readonly nodeName: string;
  readonly views: Pick<ResourceClient<StoredView>, "get" | "update" | "delete">;
  /** Of this node's own views. */
  readonly informer: Pick<Informer<StoredView>, "run" | "synced" | "get" | "onChange">;
  /** By "namespace/name". Undefined: the server has no such pod on this node, or it is over. */
  readonly pod: (key: string) => ViewedPod | undefined;
  /** Of all pods. */
  readonly keys: () => readonly string[];
  /** Settles when `pod` knows all pods: before that none is taken for gone. */
  readonly podsKnown: Promise<void>;
  /** The server has heard of this node lately. Else NodeAway is not contradicted: whoever says so would say it again. */
  readonly isNodeHeard: () => boolean;
  readonly metrics: ViewMetrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

interface Entry {
  isBusy: boolean;
  /** Something came since the view was last made. */
  isDirty: boolean;
  /** What the server answered last: what is known of it otherwise may be older. */
  answered: StoredView | undefined;
  /** What it answered to. */
  written: readonly ConfigUse[] | undefined;
  /** The uid of a view that is certainly gone, of which not everybody has heard. */
  gone: string | undefined;
  /** The last try failed, and that was said. */
  hasFailed: boolean;
  /** Set while a time is waited for. */
  recheck: Disposable | undefined;
  /** After failures. */
  readonly backoff: Backoff;
  /** After writes. */
  readonly pauses: Backoff;
}

const MERGE_MS = 50;
/** Between two writes of a pod, growing while it changes without end: what a pod says of itself must not keep the server busy. */
const PAUSES = { baseMs: 250, factor: 1.5, maxMs: 1000, jitter: 0, resetAfterMs: 5000 };
const MAX_WRITES = 8;

export class ViewReporter {
  readonly #options: ViewReporterOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #dirty = new Set<string>();
  readonly #gate = new Gate(MAX_WRITES);
  readonly #work = new Set<Promise<void>>();
  #merging: Disposable | undefined;
  /** Set when both sides are known. */
  #signal: AbortSignal | undefined;

  constructor(options: ViewReporterOptions) {
    this.#options = options;
  }

  /** What is said of this pod may be another thing now. Asks nobody and never waits. */
  changed(key: string): void {
    this.#dirty.add(key);
    if (this.#signal === undefined || this.#merging !== undefined) return;
    this.#merging = this.#options.clock.schedule(MERGE_MS, () => {
      this.#merging = undefined;
      this.#flush();
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { informer, podsKnown } = this.#options;
    const following = informer.run(signal);
    using _views = informer.onChange(({ type, object }) => {
      const { namespace = "", name = "", uid } = object.metadata;
      const key = `${namespace}/${name}`;
      const entry = this.#entries.get(key);
      // The answer to our own write may come later than the news that it is gone.
      if (type === "deleted" && entry !== undefined) entry.gone = uid;
      this.changed(key);
    });
    const known = Promise.all([informer.synced, podsKnown]);
    await Promise.race([known, aborted(signal)]);
    if (!signal.aborted) {
      this.#signal = signal;
      for (const key of this.#options.keys()) this.#dirty.add(key);
      this.#flush();
      await aborted(signal);
    }
    this.#merging?.[Symbol.dispose]();
    for (const { recheck } of this.#entries.values()) recheck?.[Symbol.dispose]();
    await Promise.all([following, ...this.#work]);
  }

  #flush(): void {
    const keys = [...this.#dirty];
    this.#dirty.clear();
    for (const key of keys) this.#start(key);
  }

  #start(key: string): void {
    const signal = this.#signal;
    const entry = this.#entries.get(key) ?? this.#newEntry();
    this.#entries.set(key, entry);
    entry.isDirty = true;
    if (entry.isBusy || signal === undefined || signal.aborted) return;
    entry.isBusy = true;
    const work = this.#writeAll(key, entry, signal).finally(() => {
      entry.isBusy = false;
      this.#work.delete(work);
      if (entry.isDirty) this.#start(key);
      else this.#forgetIfGone(key, entry);
    });
    this.#work.add(work);
  }

  #newEntry(): Entry {
    const { clock, random } = this.#options;
    const backoff = new Backoff({
      ...{ baseMs: 200, factor: 2, maxMs: 10_000, jitter: 0.5, resetAfterMs: 60_000 },
      ...{ clock, random },
    });
    const pauses = new Backoff({ ...PAUSES, clock, random });
    return {
      ...{ isBusy: false, isDirty: false, answered: undefined, written: undefined },
      ...{ gone: undefined, hasFailed: false, recheck: undefined },
      ...{ backoff, pauses },
    };
  }

  /** Until the server has the newest. Never rejects. */
  async #writeAll(key: string, entry: Entry, signal: AbortSignal): Promise<void> {
    const { logger, metrics } = this.#options;
    while (entry.isDirty && !signal.aborted) {
      try {
        const hasWritten = await this.#writeOnce(key, entry, signal);
        entry.backoff.reset();
        entry.hasFailed = false;
        if (hasWritten) await entry.pauses.wait(signal);
        continue;
      } catch (err) {
        if (isAbort(err, signal)) return;
        entry.isDirty = true;
        metrics.wrote(isConflict(err) ? "conflict" : "failed");
        logger[entry.hasFailed ? "debug" : "warn"]("view of a pod is not written", {
          err,
          pod: key,
        });
        entry.hasFailed = true;
      }
      await entry.backoff.wait(signal).catch(() => undefined);
    }
  }

  /** Returns whether there was something to write. */
  async #writeOnce(key: string, entry: Entry, signal: AbortSignal): Promise<boolean> {
    using _place = await this.#gate.enter(signal);
    entry.isDirty = false;
    const pod = this.#options.pod(key);
    const server = this.#onServer(key, entry);
    const own = pod !== undefined && server?.pod.uid === pod.uid ? server : undefined;
    const view = this.#made(key, entry, { pod, before: own?.uses ?? [] });
    if (view === undefined) return await this.#withdraw(key, entry, { server, signal });
    if (own !== undefined && !this.#isNews(entry, own, view.uses)) return false;
    // A view of another pod that had this name cannot become one of this pod.
    if (own === undefined) await this.#withdraw(key, entry, { server, signal });
    return await this.#put(key, entry, { ...view, server: own, signal });
  }

  /** Returns whether there was one. */
  async #withdraw(
    key: string,
    entry: Entry,
    { server, signal }: { readonly server: StoredView | undefined; readonly signal: AbortSignal },
  ): Promise<boolean> {
    if (server !== undefined) await this.#delete(key, entry, { server, signal });
    return server !== undefined;
  }

  /** Undefined: there is nothing to say. */
  #made(
    key: string,
    entry: Entry,
    { pod, before }: { readonly pod: ViewedPod | undefined; readonly before: readonly ConfigUse[] },
  ): { readonly pod: ViewedPod; readonly uses: readonly ConfigUse[] } | undefined {
    const view = pod?.view(before);
    this.#options.metrics.made(key, view?.uses, before);
    this.#recheckAt(key, entry, view?.recheckAtMs);
    if (pod === undefined || view === undefined || view.uses.length === 0) return undefined;
    return { pod, uses: view.uses };
  }

  #isNews(entry: Entry, server: StoredView, uses: readonly ConfigUse[]): boolean {
    const { nodeName, isNodeHeard } = this.#options;
    if (server.node === nodeName && isDeepStrictEqual(plain(uses), plain(server.uses ?? []))) {
      return false;
    }
    const isAway = server.uses?.some(({ drift }) => drift?.reason === "NodeAway") === true;
    if (isAway && !isNodeHeard()) return false;
    // A server that took it and says something else will say so again.
    const isAnswer = entry.answered === server && entry.written !== undefined;
    return !(isAnswer && isDeepStrictEqual(plain(entry.written), plain(uses)));
  }

  async #put(
    key: string,
    entry: Entry,
    of: {
      readonly pod: ViewedPod;
      readonly uses: readonly ConfigUse[];
      readonly server: StoredView | undefined;
      readonly signal: AbortSignal;
    },
  ): Promise<boolean> {
    const { nodeName, views, metrics } = this.#options;
    const { pod, uses, server, signal } = of;
    const { namespace, name, uid } = pod;
    const { resourceVersion } = server?.metadata ?? {};
    const object: StoredView = {
      apiVersion: "driftless.dev/v1",
      kind: "ConfigView",
      metadata: {
        ...{ namespace, name, ...(resourceVersion !== undefined && { resourceVersion }) },
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid }],
      },
      ...{ pod: { name, uid }, node: nodeName, uses: [...uses] },
    };
    try {
      entry.answered = await views.update(object, { signal });
      entry.written = uses;
      metrics.wrote("written");
      return true;
    } catch (err) {
      // Whether the pod is gone, or somebody was faster: what the server has now decides.
      if (err instanceof StatusError) await this.#look(key, entry, signal);
      if (this.#options.pod(key)?.uid === uid) throw err;
      metrics.wrote("gone");
      entry.isDirty = true;
      return false;
    }
  }

  async #delete(
    key: string,
    entry: Entry,
    of: { readonly server: StoredView; readonly signal: AbortSignal },
  ): Promise<void> {
    const { views, metrics } = this.#options;
    const { uid } = of.server.metadata;
    const options = { ...(uid !== undefined && { preconditions: { uid } }), signal: of.signal };
    try {
      await views.delete(nameOf(key), options);
      metrics.wrote("deleted");
    } catch (err) {
      if (!isNotFound(err) && !isConflict(err)) throw err;
      metrics.wrote("gone");
    }
    entry.answered = undefined;
    entry.written = undefined;
    entry.gone = uid;
  }

  async #look(key: string, entry: Entry, signal: AbortSignal): Promise<void> {
    try {
      entry.answered = await this.#options.views.get(nameOf(key), { signal });
    } catch (err) {
      if (!isNotFound(err)) return;
      entry.gone = this.#onServer(key, entry)?.metadata.uid;
      entry.answered = undefined;
    }
  }

  #onServer(key: string, entry: Entry): StoredView | undefined {
    const [known, answered] = [this.#options.informer.get(key), entry.answered].map((view) =>
      view?.metadata.uid === entry.gone ? undefined : view,
    );
    if (known === undefined || answered === undefined) return known ?? answered;
    const [followed, own] = [known, answered].map(({ metadata }) => metadata.resourceVersion);
    return followed === own || isOlderVersion(followed, own) ? answered : known;
  }

  #recheckAt(key: string, entry: Entry, atMs: number | undefined): void {
    const { clock } = this.#options;
    entry.recheck?.[Symbol.dispose]();
    entry.recheck =
      atMs === undefined
        ? undefined
        : clock.schedule(Math.max(0, atMs - clock.now()), () => this.changed(key));
  }

  #forgetIfGone(key: string, entry: Entry): void {
    const { pod, informer } = this.#options;
    if (pod(key) !== undefined || informer.get(key) !== undefined) return;
    if (this.#entries.get(key) !== entry) return;
    entry.recheck?.[Symbol.dispose]();
    this.#entries.delete(key);
  }
}

function isConflict(err: unknown): boolean {
  return err instanceof StatusError && err.reason === "Conflict";
}

function nameOf(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf("/");
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** As a server gives it back: without what is empty. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, one: unknown) => (isEmpty(one) ? undefined : one)) ?? "null",
  );
}

function isEmpty(value: unknown): boolean {
  return value === "" || value === null || (Array.isArray(value) && value.length === 0);
}
