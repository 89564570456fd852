// A part of a store that looks like a whole one: all its keys begin with a prefix, which is not seen. What else is in
// the store stays out of sight, so that the contract's tests find an empty one.

import type {
  GetResult,
  RangeQuery,
  RangeResult,
  Revision,
  Store,
  StoredValue,
  WatchBatch,
  WatchQuery,
  WriteResult,
} from "../../store.ts";
import { refuseIllFormed } from "../../well-formed-key.ts";

export class StoreUnderPrefix implements Store {
  readonly #store: Store;
  readonly #prefix: string;

  constructor(store: Store, prefix: string) {
    this.#store = store;
    this.#prefix = prefix;
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#store.run(signal);
  }

  ready(): Promise<void> {
    return this.#store.ready();
  }

  check(): Promise<void> {
    return this.#store.check();
  }

  revision(): Promise<Revision> {
    return this.#store.revision();
  }

  compact(revision: Revision): Promise<void> {
    return this.#store.compact(revision);
  }

  async get(key: string): Promise<GetResult> {
    const { item, revision } = await this.#store.get(this.#long(key));
    return { item: this.#shortened(item), revision };
  }

  async range(query: RangeQuery): Promise<RangeResult> {
    const { prefix, after } = query;
    const result = await this.#store.range({
      ...query,
      prefix: this.#long(prefix),
      ...(after !== undefined && { after: this.#long(after) }),
    });
    return { ...result, items: result.items.map((item) => this.#shortened(item)) };
  }

  async create(key: string, value: Uint8Array): Promise<WriteResult> {
    return this.#shortenedResult(await this.#store.create(this.#long(key), value));
  }

  async update(key: string, value: Uint8Array, expected: Revision): Promise<WriteResult> {
    return this.#shortenedResult(await this.#store.update(this.#long(key), value, expected));
  }

  async delete(key: string, expected: Revision): Promise<WriteResult> {
    return this.#shortenedResult(await this.#store.delete(this.#long(key), expected));
  }

  async *watch(query: WatchQuery): AsyncGenerator<WatchBatch, void> {
    const prefix = this.#long(query.prefix);
    for await (const { events, revision } of this.#store.watch({ ...query, prefix })) {
      yield {
        revision,
        events: events.map((event) => ({
          ...event,
          key: event.key.slice(this.#prefix.length),
          value: this.#shortened(event.value),
          previous: this.#shortened(event.previous),
        })),
      };
    }
  }

  /** The refusal of a key names it as the caller did. */
  #long(key: string): string {
    refuseIllFormed(key);
    return this.#prefix + key;
  }

  #shortened(item: StoredValue): StoredValue;
  #shortened(item: StoredValue | undefined): StoredValue | undefined;
  #shortened(item: StoredValue | undefined): StoredValue | undefined {
    return item && { ...item, key: item.key.slice(this.#prefix.length) };
  }

  #shortenedResult(result: WriteResult): WriteResult {
    return result.ok
      ? { ...result, previous: this.#shortened(result.previous) }
      : { ...result, current: this.#shortened(result.current) };
  }
}
