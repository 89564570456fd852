// Pictures of the static pods on the server, so that people see them. Whatever somebody does to a picture, it is made again; it
// goes when its static pod goes. The pods themselves do not depend on any of this.

import type { ApiObject } from "../../api/object.ts";
import { isAlreadyExists, isNotFound, StatusError } from "../../api/status-error.ts";
import type { Pod } from "../../api/types.ts";
import { aborted, isAbort } from "../../base/abort.ts";
import { Backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { configAnnotations } from "./static-pod.ts";

export interface MirrorPodsOptions {
  readonly pods: ResourceClient<Pod & ApiObject>;
  readonly nodeName: string;
  /** Of the Node object, which owns the pictures; undefined as long as it is not known. */
  readonly nodeUid: () => string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export class MirrorPods {
  readonly #options: MirrorPodsOptions;
  /** By "namespace/name", both of them. */
  readonly #statics = new Map<string, Pod>();
  readonly #mirrors = new Map<string, Pod>();
  /** What may not be as it should be, and whether somebody is at it. */
  readonly #dirty = new Map<string, "waiting" | "working" | "again">();
  readonly #work = new Set<Promise<void>>();
  /** Both sides are known whole: before that nothing is taken for missing. */
  #isComplete = false;
  #signal: AbortSignal | undefined;

  constructor(options: MirrorPodsOptions) {
    this.#options = options;
  }

  /** The picture of this pod, if the server has one that is right. */
  of(pod: Pod): Pod | undefined {
    const mirror = this.#mirrors.get(keyOf(pod));
    return mirror !== undefined && isMirrorOf(mirror, pod) ? mirror : undefined;
  }

  /** The static pod of this picture. */
  staticOf(mirror: Pod): Pod | undefined {
    return this.#statics.get(keyOf(mirror));
  }

  setStatic(pod: Pod): void {
    this.#statics.set(keyOf(pod), pod);
    this.#check(keyOf(pod));
  }

  deleteStatic(pod: Pod): void {
    const key = keyOf(pod);
    // The one that took its place may be known already.
    if (this.#statics.get(key)?.metadata.uid !== pod.metadata.uid) return;
    this.#statics.delete(key);
    this.#check(key);
  }

  setMirror(mirror: Pod): void {
    this.#mirrors.set(keyOf(mirror), mirror);
    this.#check(keyOf(mirror));
  }

  deleteMirror(mirror: Pod): void {
    const key = keyOf(mirror);
    if (this.#mirrors.get(key)?.metadata.uid === mirror.metadata.uid) this.#mirrors.delete(key);
    this.#check(key);
  }

  /** All static pods and all pictures are known: from now on what is missing is made, and what is too much removed. */
  complete(): void {
    this.#isComplete = true;
    for (const key of new Set([...this.#statics.keys(), ...this.#mirrors.keys()])) this.#check(key);
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const key of [...this.#dirty.keys()]) this.#start(key);
    await aborted(signal);
    await Promise.all(this.#work);
  }

  #check(key: string): void {
    const state = this.#dirty.get(key);
    if (state === "working") this.#dirty.set(key, "again");
    if (state !== undefined) return;
    this.#dirty.set(key, "waiting");
    this.#start(key);
  }

  #start(key: string): void {
    const signal = this.#signal;
    if (signal === undefined || signal.aborted || this.#dirty.get(key) !== "waiting") return;
    const work = this.#settle(key, signal).finally(() => this.#work.delete(work));
    this.#work.add(work);
  }

  /** Until it is as it should be. Never rejects. */
  async #settle(key: string, signal: AbortSignal): Promise<void> {
    const { clock, random, logger } = this.#options;
    const backoff = new Backoff({
      ...{ baseMs: 1000, factor: 2, maxMs: 30_000, jitter: 0.5, resetAfterMs: 60_000 },
      ...{ clock, random },
    });
    while (!signal.aborted) {
      this.#dirty.set(key, "working");
      try {
        await this.#settleOnce(key, signal);
        if (this.#dirty.get(key) === "again") continue;
        this.#dirty.delete(key);
        return;
      } catch (err) {
        if (isAbort(err, signal)) return;
        logger.warn("mirror pod is not as it should be", { err, pod: key });
      }
      await backoff.wait(signal).catch(() => undefined);
    }
  }

  async #settleOnce(key: string, signal: AbortSignal): Promise<void> {
    if (!this.#isComplete) return;
    const pod = this.#statics.get(key);
    const mirror = this.#mirrors.get(key);
    if (mirror !== undefined && (pod === undefined || !isMirrorOf(mirror, pod))) {
      await this.#delete(mirror, signal);
      if (this.#mirrors.get(key) === mirror) this.#mirrors.delete(key);
    } else if (mirror !== undefined) {
      return;
    }
    if (pod !== undefined) await this.#create(pod, signal);
  }

  async #create(pod: Pod, signal: AbortSignal): Promise<void> {
    const { pods, nodeName, nodeUid } = this.#options;
    const uid = nodeUid();
    if (uid === undefined) throw new Error("Cannot make a mirror pod: the node is not registered");
    const { name, namespace, labels, annotations } = pod.metadata;
    const owner = { apiVersion: "v1", kind: "Node", name: nodeName, uid, controller: true };
    const mirror = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name,
        namespace,
        ...(labels !== undefined && { labels }),
        annotations: {
          ...annotations,
          [configAnnotations.mirror]: annotations?.[configAnnotations.hash] ?? "",
        },
        ownerReferences: [owner],
      },
      spec: pod.spec,
      status: {},
    };
    try {
      const made = await pods.create(mirror as Pod & ApiObject, { signal });
      this.#mirrors.set(keyOf(pod), made);
    } catch (err) {
      // The watch is on its way to tell of it, and then it is looked at.
      if (!isAlreadyExists(err)) throw err;
    }
  }

  async #delete({ metadata }: Pod, signal: AbortSignal): Promise<void> {
    const { namespace, name = "", uid = "" } = metadata;
    try {
      const options = { gracePeriodSeconds: 0, preconditions: { uid }, signal };
      await this.#options.pods.delete({ namespace, name }, options);
    } catch (err) {
      const isAnother = err instanceof StatusError && err.reason === "Conflict";
      if (!isNotFound(err) && !isAnother) throw err;
    }
  }
}

function isMirrorOf(mirror: Pod, pod: Pod): boolean {
  return (
    mirror.metadata.deletionTimestamp === undefined &&
    mirror.metadata.annotations?.[configAnnotations.mirror] === pod.metadata.uid
  );
}

function keyOf({ metadata }: Pod): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}
