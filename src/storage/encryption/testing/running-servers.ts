// One store in memory, and any number of servers with encryption on it, each as if on a machine of its own.

import { aborted } from "../../../base/abort.ts";
import { CaptureLogger } from "../../../base/testing/capture-logger.ts";
import { FakeClock } from "../../../base/testing/fake-clock.ts";
import { MemoryStore } from "../../memory/memory-store.ts";
import type { Store } from "../../store.ts";
import { EncryptedStore } from "../encrypted-store.ts";

export const PREFIX = "core/secrets/";

export interface RunningServer extends AsyncDisposable {
  readonly store: EncryptedStore;
  readonly logger: CaptureLogger;
}

export class RunningServers implements AsyncDisposable {
  /** What is stored, as it is stored. */
  readonly raw: MemoryStore = new MemoryStore();
  readonly clock: FakeClock = new FakeClock();
  readonly #stop = new AbortController();
  readonly #run = this.raw.run(this.#stop.signal);

  /** Rejects when the server refuses to start. */
  async start(keyFile: string, behind: Store = joined(this.raw)): Promise<RunningServer> {
    const { clock } = this;
    const logger = new CaptureLogger();
    const prefixes = [PREFIX];
    const store = new EncryptedStore({ store: behind, prefixes, keyFile, clock, logger });
    const stop = new AbortController();
    const run = store.run(stop.signal);
    await Promise.race([store.ready(), run]);
    return {
      store,
      logger,
      async [Symbol.asyncDispose]() {
        stop.abort();
        await run;
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#run;
  }
}

/** The same store for one more server: to stop it stops nothing else. */
export function joined(store: Store): Store {
  return {
    revision: () => store.revision(),
    get: (key) => store.get(key),
    range: (query) => store.range(query),
    create: (key, value) => store.create(key, value),
    update: (key, value, expected) => store.update(key, value, expected),
    delete: (key, expected) => store.delete(key, expected),
    watch: (query) => store.watch(query),
    compact: (revision) => store.compact(revision),
    check: () => store.check(),
    run: (signal) => aborted(signal),
    ready: () => store.ready(),
  };
}
