// Keeps the server's copy of pod statuses the same as the node's. Per pod one request at a time and the newest status wins: what
// changes while a request is under way goes with the next one. A server that is away is asked again and again; nobody waits for it.

import type { ApiObject } from "../../api/object.ts";
import { isNotFound, StatusError } from "../../api/status-error.ts";
import type { Pod, PodStatus } from "../../api/types.ts";
import { aborted, isAbort, linkSignals } from "../../base/abort.ts";
import { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import { Gate } from "../../client/gate.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { isOlderVersion } from "../../client/resource-version.ts";
import { isOver } from "./pod-actions.ts";
import type { PodStatuses } from "./pod-parts.ts";
import { statusPatch } from "./status-patch.ts";

export interface StatusWriterOptions {
  /** Undefined on a machine without a server: statuses are kept and go nowhere. */
  readonly pods: ResourceClient<Pod & ApiObject> | undefined;
  /** The pod as the server has it, as far as is known here: of a static pod its mirror. Undefined: it has none. */
  readonly onServer: (pod: Pod) => Pod | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

interface Entry {
  pod: Pod;
  status: PodStatus;
  /** Nothing of it is left on this node. */
  isFinished: boolean;
  /** What the server answered last: what is known of it otherwise may be older. */
  answered: Pod | undefined;
  /** What it answered to. */
  written: PodStatus | undefined;
  isBusy: boolean;
  /** Something came since the server's copy was last compared with it. */
  isDirty: boolean;
  readonly backoff: Backoff;
}

/** Requests at a time: a node with many pods that comes back must not be a flood. */
const MAX_REQUESTS = 8;

export class StatusWriter implements PodStatuses {
  readonly #options: StatusWriterOptions;
  /** By the uid of the pod on this node. */
  readonly #entries = new Map<string, Entry>();
  readonly #gate = new Gate(MAX_REQUESTS);
  readonly #work = new Set<Promise<void>>();
  readonly #handlers = new Set<(pod: Pod) => void>();
  #signal: AbortSignal | undefined;
  /** Cuts short those who wait to try again. */
  #pauses = new AbortController();

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** The newest status of a pod, whether the server has it or not. */
  get(podUid: string): PodStatus | undefined {
    return this.#entries.get(podUid)?.status;
  }

  set(pod: Pod, status: PodStatus): void {
    const { uid = "" } = pod.metadata;
    const entry = this.#entries.get(uid) ?? this.#newEntry(pod, status);
    this.#entries.set(uid, entry);
    entry.pod = pod;
    this.#tell(pod);
    // Whoever was told that a pod is over has acted on it.
    if (isOver(entry.status.phase) && entry.status.phase !== status.phase) return;
    entry.status = status;
    this.#write(uid, entry);
  }

  finish(pod: Pod): void {
    const { uid = "" } = pod.metadata;
    const entry = this.#entries.get(uid) ?? this.#newEntry(pod, pod.status);
    this.#entries.set(uid, entry);
    entry.pod = pod;
    entry.isFinished = true;
    this.#tell(pod);
    this.#write(uid, entry);
  }

  /** What the server has of this pod has changed: it may not be what was written. */
  changed(podUid: string): void {
    const entry = this.#entries.get(podUid);
    if (entry === undefined) return;
    this.#tell(entry.pod);
    this.#write(podUid, entry);
  }

  /** Called when something was heard of a pod, from either side, and when the server has it no more. It must not throw. */
  onNews(handler: (pod: Pod) => void): Disposable {
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
  }

  /** The server answers again: nobody waits to try. */
  serverIsBack(): void {
    this.#pauses.abort();
    this.#pauses = new AbortController();
  }

  /** The server has this pod no more. */
  forget(podUid: string): void {
    const entry = this.#entries.get(podUid);
    this.#entries.delete(podUid);
    if (entry !== undefined) this.#tell(entry.pod);
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const [uid, entry] of this.#entries) this.#write(uid, entry);
    await aborted(signal);
    await Promise.all(this.#work);
  }

  #tell(pod: Pod): void {
    for (const handler of this.#handlers) handler(pod);
  }

  #newEntry(pod: Pod, status: PodStatus): Entry {
    const { clock, random } = this.#options;
    const backoff = new Backoff({
      ...{ baseMs: 200, factor: 2, maxMs: 30_000, jitter: 0.5, resetAfterMs: 60_000 },
      ...{ clock, random },
    });
    return {
      ...{ pod, status, isFinished: false, isBusy: false, isDirty: false, backoff },
      ...{ answered: undefined, written: undefined },
    };
  }

  #write(uid: string, entry: Entry): void {
    const signal = this.#signal;
    if (this.#options.pods === undefined) {
      if (entry.isFinished) this.#entries.delete(uid);
      return;
    }
    entry.isDirty = true;
    if (entry.isBusy || signal === undefined || signal.aborted) return;
    entry.isBusy = true;
    const work = this.#writeAll(uid, entry, signal).finally(() => {
      entry.isBusy = false;
      this.#work.delete(work);
      // It may have come when the last comparison was over and its end not known yet.
      if (entry.isDirty && this.#entries.get(uid) === entry) this.#write(uid, entry);
    });
    this.#work.add(work);
  }

  /** Until the server has the newest. Never rejects. */
  async #writeAll(uid: string, entry: Entry, signal: AbortSignal): Promise<void> {
    const { logger } = this.#options;
    while (this.#entries.get(uid) === entry && !signal.aborted) {
      try {
        using _place = await this.#gate.enter(signal);
        entry.isDirty = false;
        if (await this.#writeOnce(uid, entry, signal)) return;
        entry.backoff.reset();
        continue;
      } catch (err) {
        if (isAbort(err, signal)) return;
        const { namespace, name } = entry.pod.metadata;
        logger.warn("pod status is not written", { err, namespace, name });
      }
      using either = linkSignals(signal, this.#pauses.signal);
      await entry.backoff.wait(either.signal).catch(() => undefined);
    }
  }

  /** Returns whether there is nothing left to do. */
  async #writeOnce(uid: string, entry: Entry, signal: AbortSignal): Promise<boolean> {
    const server = this.#onServer(entry);
    if (server === undefined) {
      if (entry.isFinished) this.#entries.delete(uid);
      return true;
    }
    try {
      if (await this.#patch(entry, server, signal)) return false;
      if (!entry.isFinished) return true;
      if (server.metadata.deletionTimestamp !== undefined) await this.#delete(server, signal);
    } catch (err) {
      if (!(await this.#isGone(server, err, signal))) throw err;
      // Of a static pod there will be another mirror, which is told the same; of any other pod somebody says that it is gone.
      if (!entry.isFinished) return true;
    }
    this.#entries.delete(uid);
    return true;
  }

  /** Returns whether there was something to write. */
  async #patch(entry: Entry, server: Pod, signal: AbortSignal): Promise<boolean> {
    const { status } = entry;
    // A server that took it and says something else will say so again.
    if (entry.written === status && entry.answered === server) return false;
    const isPastEnd = isOver(server.status.phase) && server.status.phase !== status.phase;
    const patch = isPastEnd ? undefined : statusPatch(server.status, status);
    if (patch === undefined) return false;
    const { namespace, name = "", uid } = server.metadata;
    const body = { metadata: { uid }, status: patch };
    entry.answered = await this.#options.pods?.patch({ namespace, name }, body, {
      type: "strategic",
      subresource: "status",
      signal,
    });
    entry.written = status;
    return true;
  }

  async #delete(server: Pod, signal: AbortSignal): Promise<void> {
    const { namespace, name = "", uid } = server.metadata;
    await this.#options.pods?.delete(
      { namespace, name },
      {
        gracePeriodSeconds: 0,
        ...(uid !== undefined && { preconditions: { uid } }),
        signal,
      },
    );
  }

  #onServer({ pod, answered }: Entry): Pod | undefined {
    const known = this.#options.onServer(pod);
    if (known === undefined || answered === undefined) return known;
    if (known.metadata.uid !== answered.metadata.uid) return known;
    const isOld = isOlderVersion(known.metadata.resourceVersion, answered.metadata.resourceVersion);
    return isOld ? answered : known;
  }

  /** Says whether `err` means that there is no such pod any more. A conflict alone may be about something else. */
  async #isGone({ metadata }: Pod, err: unknown, signal: AbortSignal): Promise<boolean> {
    if (isNotFound(err)) return true;
    if (!(err instanceof StatusError && err.reason === "Conflict")) return false;
    const { namespace, name = "", uid } = metadata;
    try {
      const found = await this.#options.pods?.get({ namespace, name }, { signal });
      return found?.metadata.uid !== uid;
    } catch (failed) {
      return isNotFound(failed);
    }
  }
}
