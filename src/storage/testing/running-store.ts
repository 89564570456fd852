// How the contract's tests get a store: the implementation says how to make one, this runs it for the time
// of a test.

import type { Store } from "../store.ts";

export interface OpenOptions {
  /** How many events may wait for one watcher. A test makes it small to be a slow watcher soon. */
  readonly maxPendingEvents?: number;
}

/** A store with no keys. It does not run yet. Disposing it removes its data. */
export interface OpenStore extends AsyncDisposable {
  readonly store: Store;
  /** A second way to the same data, for stores that several servers share. It does not run yet either. */
  readonly other?: Store;
}

export interface StoreContract {
  readonly name: string;
  open(options: OpenOptions): Promise<OpenStore>;
  /** Several servers use it at once: open() gives `other`. */
  readonly isShared?: boolean;
  /** Why it cannot be tested here. */
  readonly skip?: string;
}

export interface RunningStore extends AsyncDisposable {
  readonly store: Store;
  readonly other: Store | undefined;
  /** Ends run(), and resolves when it has settled. */
  stop(): Promise<void>;
}

/** Opens a store, and runs it until it is disposed: `await using running = await runStore(contract);` */
export async function runStore(
  contract: StoreContract,
  options: OpenOptions = {},
): Promise<RunningStore> {
  const opened = await contract.open(options);
  const { store, other } = opened;
  const controller = new AbortController();
  const stores = other === undefined ? [store] : [store, other];
  const runs = stores.map((one) => one.run(controller.signal));
  // A store that cannot start fails in run(), and may never become ready.
  await Promise.race([Promise.all(stores.map((one) => one.ready())), Promise.all(runs)]);
  const stop = async (): Promise<void> => {
    controller.abort();
    await Promise.all(runs);
  };
  return {
    store,
    other,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      await opened[Symbol.asyncDispose]();
    },
  };
}
