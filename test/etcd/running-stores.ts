// Stores that run for the time of a test.

import type { EtcdStore, EtcdStoreOptions } from "../../src/storage/etcd/etcd-store.ts";
import { etcdStore } from "./cluster-pool.ts";

export interface RunningStores extends AsyncDisposable {
  readonly stores: readonly EtcdStore[];
}

/** Resolves when they serve. */
export async function runStores(
  count: number,
  options: Omit<EtcdStoreOptions, "clock" | "random" | "logger">,
): Promise<RunningStores> {
  const stores = Array.from({ length: count }, () => etcdStore(options));
  const stop = new AbortController();
  const runs = stores.map((store) => store.run(stop.signal));
  await Promise.all(stores.map((store) => store.ready()));
  return {
    stores,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(runs);
    },
  };
}
