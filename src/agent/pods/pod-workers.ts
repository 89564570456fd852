// The workers of all pods of this node, by uid. Two pods never share a name: the second waits until the first is gone, with its
// containers and volumes, also when it is the same static pod that was taken away and put back.

import type { Pod } from "../../api/types.ts";
import { aborted } from "../../base/abort.ts";
import type { PodParts } from "./pod-parts.ts";
import { PodWorker } from "./pod-worker.ts";

export class PodWorkers {
  readonly #parts: PodParts;
  /** Of one uid the newest. */
  readonly #workers = new Map<string, PodWorker>();
  /** The last that came by this name, as long as it lives. */
  readonly #byName = new Map<string, PodWorker>();
  /** Pods that are done here and still on the server, which is about to delete them. */
  readonly #gone = new Set<string>();
  readonly #lives = new Set<Promise<void>>();
  /** Workers that came before `run`, in order, each with whom it waits for. */
  readonly #early: (() => void)[] = [];
  #signal: AbortSignal | undefined;

  constructor(parts: PodParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#workers.size;
  }

  get(podUid: string): PodWorker | undefined {
    return this.#workers.get(podUid);
  }

  /** The last that came by this name: "namespace/name". */
  named(name: string): PodWorker | undefined {
    return this.#byName.get(name);
  }

  /** A pod that is new here, or as it is now. */
  update(pod: Pod): void {
    const { uid = "", deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined && this.#gone.has(uid)) return;
    const worker = this.#workers.get(uid);
    if (worker === undefined || isComingBack(worker, pod)) this.#add(pod);
    else worker.update(pod);
  }

  /** Its source has it no more. */
  remove(pod: Pod): void {
    const { uid = "" } = pod.metadata;
    this.#gone.delete(uid);
    this.#workers.get(uid)?.remove(pod);
  }

  /** Something of this pod is on the machine, and nobody wants it. */
  removeOrphan(pod: Pod): PodWorker {
    return this.#add(pod, (one) => one.remove());
  }

  containerEnded(podUid: string): void {
    this.#workers.get(podUid)?.containerEnded();
  }

  probesChanged(podUid: string): void {
    this.#workers.get(podUid)?.probesChanged();
  }

  /** Of each pod the newest. */
  all(): readonly PodWorker[] {
    return [...this.#workers.values()];
  }

  /** Something came that this pod may have waited for. */
  causeChanged(podUid: string): void {
    this.#workers.get(podUid)?.causeChanged();
  }

  /** Something came that any pod may have waited for. */
  allCausesChanged(): void {
    for (const worker of this.#workers.values()) worker.causeChanged();
  }

  /** Settles when all workers have. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const start of this.#early.splice(0)) start();
    await aborted(signal);
    await Promise.all(this.#lives);
  }

  #add(pod: Pod, prepare?: (worker: PodWorker) => void): PodWorker {
    const worker = new PodWorker(this.#parts, pod);
    prepare?.(worker);
    const name = `${pod.metadata.namespace ?? ""}/${pod.metadata.name ?? ""}`;
    const before = this.#byName.get(name);
    this.#byName.set(name, worker);
    this.#workers.set(worker.uid, worker);
    const start = (): void => {
      const life = this.#live(worker, before).finally(() => {
        this.#lives.delete(life);
        if (this.#workers.get(worker.uid) === worker) this.#workers.delete(worker.uid);
        if (this.#byName.get(name) === worker) this.#byName.delete(name);
      });
      this.#lives.add(life);
    };
    if (this.#signal === undefined) this.#early.push(start);
    else start();
    return worker;
  }

  async #live(worker: PodWorker, before: PodWorker | undefined): Promise<void> {
    const signal = this.#signal;
    if (signal === undefined) return;
    if (before !== undefined) await before.ended;
    if (signal.aborted) return;
    try {
      await worker.run(signal);
      const isOnServer = !worker.isUnknown && worker.pod.metadata.deletionTimestamp !== undefined;
      if (!signal.aborted && isOnServer) this.#gone.add(worker.uid);
    } catch (err) {
      const { namespace, name } = worker.pod.metadata;
      this.#parts.logger.error("pod worker failed", { err, namespace, name });
    }
  }
}

/** A file can be put back while the pod that it was is on its way out. A pod of the server does not come back. */
function isComingBack({ isLeaving }: PodWorker, { metadata }: Pod): boolean {
  return isLeaving && metadata.deletionTimestamp === undefined;
}
