// Volumes that are there as soon as they are wanted, unless a test says otherwise.

import type { Pod } from "../../../api/types.ts";
import type {
  MountedVolumes,
  VolumeChange,
  VolumeChangeHandler,
  Volumes,
} from "../../volumes/volumes.ts";

export class FakeVolumes implements Volumes {
  /** "want uid", "unwant uid", "all wanted". */
  readonly log: string[] = [];
  readonly wanted: Map<string, Pod> = new Map();
  readonly #handlers = new Set<VolumeChangeHandler>();
  /** How often it was said that the server is back. */
  comebacks = 0;
  /** While set, nothing can be mounted. */
  mountFailure: Error | undefined;
  unmountFailure: Error | undefined;
  /** While set, mounting waits for it. */
  mounting: Promise<void> | undefined;

  async run(): Promise<void> {
    // There is nothing to keep as it should be.
  }

  want(pod: Pod): void {
    const { uid = "" } = pod.metadata;
    if (!this.wanted.has(uid)) this.log.push(`want ${uid}`);
    this.wanted.set(uid, pod);
  }

  async mounted(podUid: string, signal: AbortSignal): Promise<MountedVolumes> {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    signal.throwIfAborted();
    await Promise.race([this.mounting, promise]);
    if (!this.wanted.has(podUid)) throw new Error(`volumes of ${podUid} are not wanted`);
    if (this.mountFailure !== undefined) throw this.mountFailure;
    return new Map();
  }

  current(): MountedVolumes {
    return new Map();
  }

  unwant(podUid: string): void {
    if (this.wanted.delete(podUid)) this.log.push(`unwant ${podUid}`);
  }

  async unmounted(podUid: string): Promise<void> {
    await Promise.resolve();
    if (this.unmountFailure !== undefined) throw this.unmountFailure;
    if (this.wanted.has(podUid)) throw new Error(`volumes of ${podUid} are wanted`);
  }

  allWanted(): void {
    this.log.push("all wanted");
  }

  serverIsBack(): void {
    this.comebacks++;
  }

  onChange(handler: VolumeChangeHandler): Disposable {
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => this.#handlers.delete(handler) };
  }

  tell(change: VolumeChange): void {
    for (const handler of this.#handlers) handler(change);
  }
}
