// A load of writers, readers and watchers on several stores of one cluster, while a test breaks things.
// Everything that they were told is kept, and checked at the end.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../src/base/random.ts";
import {
  type Revision,
  type Store,
  StoreUnavailableError,
  type WatchBatch,
  type WriteResult,
} from "../../src/storage/store.ts";
import {
  type Acknowledged,
  checkAgreement,
  checkNothingLost,
  checkOrder,
  checkState,
  replay,
  type Watched,
} from "./history.ts";

export interface TrafficOptions {
  readonly stores: readonly Store[];
  readonly random: Random;
  readonly writers?: number;
}

interface Watcher extends Watched {
  readonly batches: WatchBatch[];
  reached: Revision;
}

const keys = ["/k/0", "/k/1", "/k/2", "/k/3", "/m/0", "/m/1"];
/** After the faults are over everything works again. How soon is the machine's affair; this ends a test that waits in vain. */
const recoveryMs = 60_000;

export class Traffic {
  readonly #options: TrafficOptions;
  readonly #stop = new AbortController();
  readonly #watching = new AbortController();
  readonly #acknowledged: Acknowledged[] = [];
  readonly #watchers: Watcher[] = [];
  readonly #work: Promise<void>[] = [];
  #unknown = 0;
  #reads = 0;
  #newest: Revision = 0n;

  private constructor(options: TrafficOptions) {
    this.#options = options;
  }

  static async start(options: TrafficOptions): Promise<Traffic> {
    const traffic = new Traffic(options);
    const { stores, writers = 8 } = options;
    const [first] = stores;
    assert.ok(first);
    const after = await patiently(() => first.revision());
    for (const [i, store] of stores.entries()) {
      traffic.#watch(store, `store ${i} all`, "/", after);
      traffic.#watch(store, `store ${i} /k/`, "/k/", after);
    }
    for (let i = 0; i < writers; i++) {
      traffic.#work.push(traffic.#write(stores[i % stores.length] ?? first, i));
    }
    for (const [i, store] of stores.entries()) traffic.#work.push(traffic.#read(store, 2 * i));
    return traffic;
  }

  get acknowledged(): number {
    return this.#acknowledged.length;
  }

  /** Resolves when so many more writes were acknowledged. */
  async progresses(writes: number): Promise<void> {
    const target = this.acknowledged + writes;
    await until(() => this.acknowledged >= target, `${writes} more writes are acknowledged`);
  }

  /** Ends the load, waits until all watches have everything, and checks it. Returns what there was. */
  async finish(): Promise<string> {
    const { stores } = this.#options;
    this.#stop.abort();
    await Promise.all(this.#work);
    const revision = await patiently(() => (stores[0] as Store).revision());
    await until(
      () => this.#watchers.every((watcher) => watcher.reached >= revision),
      `all watches reach ${revision} (${this.#watchers.map(({ reached }) => reached).join()})`,
    );
    this.#watching.abort();
    for (const watcher of this.#watchers) {
      checkOrder(watcher);
      checkNothingLost(watcher, this.#acknowledged);
      const [store] = stores;
      assert.ok(store);
      const { items } = await patiently(() => store.range({ prefix: watcher.prefix, revision }));
      checkState(watcher.name, replay(watcher, new Map()), items);
    }
    const [all, part, ...others] = this.#watchers;
    assert.ok(all && part);
    for (const [i, other] of others.entries()) checkAgreement(i % 2 === 0 ? all : part, other);
    return `${this.acknowledged} writes acknowledged, ${this.#unknown} unknown, ${this.#reads} reads`;
  }

  /** After a failure: ends everything without checks. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#watching.abort();
    await Promise.allSettled(this.#work);
  }

  #watch(store: Store, name: string, prefix: string, after: Revision): void {
    const watcher: Watcher = { name, prefix, after, batches: [], reached: after };
    this.#watchers.push(watcher);
    const follow = async (): Promise<void> => {
      for await (const batch of store.watch({ prefix, after, signal: this.#watching.signal })) {
        watcher.batches.push(batch);
        watcher.reached = batch.revision;
      }
    };
    // A watch that ends early never reaches the end, which is when somebody asks.
    follow().catch((err: unknown) => {
      if (!this.#watching.signal.aborted) console.log(`${name} ended:`, err);
    });
  }

  /** Several writers share each key: they lose to each other, and learn from it. */
  async #write(store: Store, writer: number): Promise<void> {
    const { random } = this.#options;
    for (let i = 0; !this.#stop.signal.aborted; i++) {
      const key = keys[random.uint32() % keys.length] as string;
      const value = `${writer}/${i}`;
      try {
        const { item } = await store.get(key);
        if (item === undefined) {
          this.#note(await store.create(key, Buffer.from(value)), { type: "put", key, value });
        } else if (random.uint32() % 4 === 0) {
          const result = await store.delete(key, item.revision);
          this.#note(result, { type: "delete", key, value: undefined });
        } else {
          const result = await store.update(key, Buffer.from(value), item.revision);
          this.#note(result, { type: "put", key, value });
        }
      } catch (err) {
        if (!(err instanceof StoreUnavailableError)) throw err;
        this.#unknown++;
        await sleep(20);
      }
    }
  }

  #note(result: WriteResult, write: Omit<Acknowledged, "revision">): void {
    if (!result.ok) return;
    this.#acknowledged.push({ ...write, revision: result.revision });
    if (result.revision > this.#newest) this.#newest = result.revision;
  }

  /** As a server with a cache reads: it asks for the revision, waits for its watch, and looks there. */
  async #read(store: Store, watcherIndex: number): Promise<void> {
    const watcher = this.#watchers[watcherIndex];
    assert.ok(watcher);
    while (!this.#stop.signal.aborted) {
      const newest = this.#newest;
      const revision = await patiently(() => store.revision());
      assert.ok(revision >= newest, `revision() says ${revision} after ${newest} was acknowledged`);
      await until(() => watcher.reached >= revision, `${watcher.name} reaches ${revision}`);
      const seen = new Set(
        watcher.batches.slice(-50).flatMap(({ events }) => events.map((event) => event.revision)),
      );
      const recent = this.#acknowledged.slice(-10).filter((write) => write.revision <= newest);
      const oldest = [...seen][0] ?? 0n;
      for (const write of recent) {
        assert.ok(
          write.revision < oldest || seen.has(write.revision),
          `a read at ${revision} does not see the write at ${write.revision}`,
        );
      }
      this.#reads++;
      await sleep(5);
    }
  }
}

/** Tries again while the store is unavailable. */
export async function patiently<T>(call: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + recoveryMs;
  for (;;) {
    try {
      return await call();
    } catch (err) {
      if (!(err instanceof StoreUnavailableError) || performance.now() > untilMs) throw err;
      await sleep(50);
    }
  }
}

/** Resolves when `condition` holds; fails when it does not for too long. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const untilMs = performance.now() + recoveryMs;
  while (!condition()) {
    assert.ok(performance.now() < untilMs, `within ${recoveryMs} ms: ${what}`);
    await sleep(5);
  }
}
