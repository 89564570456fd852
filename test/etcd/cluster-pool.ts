// Empty stores for the contract's tests. They share a cluster, each with a prefix of its own, as long as
// nothing is compacted there: that is for the whole cluster, and a test may want to see all of the past.

import { systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/random.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { EtcdStore, type EtcdStoreOptions } from "../../src/storage/etcd/etcd-store.ts";
import type { OpenOptions, OpenStore } from "../../src/storage/testing/running-store.ts";
import { EtcdCluster } from "./etcd-cluster.ts";

/** For tests that are not about time: thousands of writes at once are no fault of a store, however long a busy machine takes. */
export const PATIENT_CALL_MS = 60_000;

/** A store with the real clock and chance. */
export function etcdStore(
  options: Omit<EtcdStoreOptions, "clock" | "random" | "logger">,
  logger: CaptureLogger = new CaptureLogger(),
): EtcdStore {
  return new EtcdStore({ ...options, clock: systemClock, random: systemRandom, logger });
}

export class ClusterPool implements AsyncDisposable {
  readonly #binary: string;
  #cluster: EtcdCluster | undefined;
  #isCompacted = false;
  #opened = 0;

  constructor(binary: string) {
    this.#binary = binary;
  }

  async open({ maxPendingEvents }: OpenOptions): Promise<OpenStore> {
    if (this.#isCompacted) await this[Symbol.asyncDispose]();
    this.#cluster ??= await EtcdCluster.start({ binary: this.#binary });
    const options = {
      endpoints: this.#cluster.endpoints,
      callTimeoutMs: PATIENT_CALL_MS,
      prefix: `/test-${++this.#opened}`,
      ...(maxPendingEvents !== undefined && { maxPendingEvents }),
    };
    const stores = [etcdStore(options), etcdStore(options)] as const;
    for (const store of stores) this.#noteCompaction(store);
    return { store: stores[0], other: stores[1], [Symbol.asyncDispose]: async () => undefined };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cluster?.[Symbol.asyncDispose]();
    this.#cluster = undefined;
    this.#isCompacted = false;
  }

  #noteCompaction(store: EtcdStore): void {
    const compact = store.compact.bind(store);
    store.compact = (revision) => {
      this.#isCompacted = true;
      return compact(revision);
    };
  }
}
