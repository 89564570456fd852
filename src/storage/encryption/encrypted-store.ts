// A store in front of another one: values below some prefixes are encrypted on their way in and decrypted on their way
// out. Everything else passes through as it is. The keys come from a file, see key-file.ts; while it runs, it also
// re-encrypts what older keys have sealed, or none.

import { linkSignals } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import {
  CompactedError,
  type GetResult,
  type RangeQuery,
  type RangeResult,
  type Revision,
  type Store,
  type StoredValue,
  type StoreEvent,
  StoreUnavailableError,
  type WatchBatch,
  type WatchQuery,
  type WriteResult,
} from "../store.ts";
import { openKeys } from "./agree-on-keys.ts";
import { missingKeys } from "./encryption-refused-error.ts";
import { KeyRing } from "./key-ring.ts";
import { openValue } from "./open-value.ts";
import { Reencryption } from "./reencryption.ts";
import { seal } from "./sealed-value.ts";

/** How long a store that is away at the start is left alone before it is asked again. */
const RETRY_MS = 1000;

/**
 * Stands for a value that cannot be decrypted, where others must not be lost with it: in lists, events, and what a
 * write has replaced. No object is empty, so whoever decodes it finds out.
 */
export const UNREADABLE: Uint8Array = new Uint8Array();

export interface EncryptedStoreOptions {
  /** Not running: this one runs it. */
  readonly store: Store;
  readonly prefixes: readonly string[];
  /** Made at the first start of a store that has no encrypted values. */
  readonly keyFile: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class EncryptedStore implements Store {
  readonly #options: EncryptedStoreOptions;
  readonly #store: Store;
  readonly #ring: KeyRing;
  readonly #ready = Promise.withResolvers<void>();
  #isOpen = false;
  /** Of values that this store has sealed: a store in the same process hands the very bytes on to its watchers, who need not decrypt them. */
  readonly #ownSealed = new WeakMap<
    Uint8Array,
    { readonly key: string; readonly value: Uint8Array }
  >();
  /** Aborts when those who watch have to list again, because what they could not read can be read now. */
  #relist = new AbortController();

  constructor(options: EncryptedStoreOptions) {
    this.#options = options;
    this.#store = options.store;
    const { keyFile: file, clock, logger } = options;
    this.#ring = new KeyRing({ file, clock, logger, onFound: () => this.#endWatches() });
    // run() fails with the same error, and is where it is heard.
    this.#ready.promise.catch(() => undefined);
  }

  /** Rejects with an EncryptionRefusedError when keys are missing or the key file is unusable. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    using link = linkSignals(signal, stop.signal);
    const running = this.#store.run(link.signal).finally(() => stop.abort());
    running.catch(() => undefined); // Heard below.
    try {
      await Promise.race([this.#store.ready(), running]);
      await this.#open(link.signal);
      await Promise.all([running, this.#reencryption().run(link.signal)]);
    } catch (err) {
      this.#ready.reject(err);
      stop.abort();
      await running; // Why it ended comes first: the rest only follows from it.
      if (!signal.aborted) throw err;
    } finally {
      this.#isOpen = false;
    }
  }

  ready(): Promise<void> {
    return this.#ready.promise;
  }

  async check(): Promise<void> {
    this.#refuseUnlessOpen();
    await this.#store.check();
    const { file, missing } = this.#ring;
    if (missing.length > 0) throw new StoreUnavailableError(missingKeys(file, missing).message);
  }

  async revision(): Promise<Revision> {
    this.#refuseUnlessOpen();
    return this.#store.revision();
  }

  /** Rejects for a value that cannot be decrypted. */
  async get(key: string): Promise<GetResult> {
    this.#refuseUnlessOpen();
    const result = await this.#store.get(key);
    return this.#isSealed(key) ? { ...result, item: this.#opened(result.item) } : result;
  }

  async range(query: RangeQuery): Promise<RangeResult> {
    this.#refuseUnlessOpen();
    const result = await this.#store.range(query);
    if (!this.#mayHold(query.prefix)) return result;
    return { ...result, items: result.items.map((item) => this.#openedOrUnreadable(item)) };
  }

  async create(key: string, value: Uint8Array): Promise<WriteResult> {
    this.#refuseUnlessOpen();
    if (!this.#isSealed(key)) return this.#store.create(key, value);
    return this.#openedResult(await this.#store.create(key, this.#sealed(key, value)));
  }

  async update(key: string, value: Uint8Array, expected: Revision): Promise<WriteResult> {
    this.#refuseUnlessOpen();
    if (!this.#isSealed(key)) return this.#store.update(key, value, expected);
    return this.#openedResult(await this.#store.update(key, this.#sealed(key, value), expected));
  }

  async delete(key: string, expected: Revision): Promise<WriteResult> {
    this.#refuseUnlessOpen();
    const result = await this.#store.delete(key, expected);
    return this.#isSealed(key) ? this.#openedResult(result) : result;
  }

  async compact(revision: Revision): Promise<void> {
    this.#refuseUnlessOpen();
    await this.#store.compact(revision);
  }

  /** Throws CompactedError also when a key has come that was missing: list again then. */
  async *watch(query: WatchQuery): AsyncGenerator<WatchBatch, void> {
    this.#refuseUnlessOpen();
    if (!this.#mayHold(query.prefix)) {
      yield* this.#store.watch(query);
      return;
    }
    const relist = this.#relist.signal;
    using link = linkSignals(query.signal, relist);
    let seen = query.after;
    for await (const batch of this.#store.watch({ ...query, signal: link.signal })) {
      seen = batch.revision;
      yield { ...batch, events: batch.events.map((event) => this.#openedEvent(event)) };
    }
    if (relist.aborted && !query.signal.aborted) throw new CompactedError(seen);
  }

  /** On a full disk it opens for reading: a new key has to wait until the record of it can be written. */
  async #open(signal: AbortSignal): Promise<void> {
    const { store, prefixes, clock, logger } = this.#options;
    while (!signal.aborted && !this.#ring.canWrite) {
      try {
        await openKeys({ store, ring: this.#ring, prefixes });
      } catch (err) {
        if (!(err instanceof StoreUnavailableError)) throw err;
        logger.warn("cannot agree on the keys of the store", { err });
        if (!this.#ring.canWrite) await clock.sleep(RETRY_MS, signal);
      }
    }
    if (signal.aborted) return;
    const { file, writer } = this.#ring;
    logger.info("values are encrypted", { file, key: writer.id, prefixes });
    this.#isOpen = true;
    this.#ready.resolve();
  }

  #reencryption(): Reencryption {
    return new Reencryption({ ...this.#options, ring: this.#ring });
  }

  #endWatches(): void {
    this.#relist.abort();
    this.#relist = new AbortController();
  }

  #isSealed(key: string): boolean {
    return this.#options.prefixes.some((prefix) => key.startsWith(prefix));
  }

  /** Whether keys that begin with this can be sealed ones. */
  #mayHold(start: string): boolean {
    return this.#options.prefixes.some(
      (prefix) => prefix.startsWith(start) || start.startsWith(prefix),
    );
  }

  #sealed(key: string, value: Uint8Array): Uint8Array {
    const sealed = seal(this.#ring.writer, key, value);
    this.#ownSealed.set(sealed, { key, value });
    return sealed;
  }

  #opened(item: StoredValue): StoredValue;
  #opened(item: StoredValue | undefined): StoredValue | undefined;
  #opened(item: StoredValue | undefined): StoredValue | undefined {
    if (item === undefined) return undefined;
    const own = this.#ownSealed.get(item.value);
    // Elsewhere it was sealed for another place, and must not open.
    const value = own?.key === item.key ? own.value : openValue(this.#ring, item);
    return { ...item, value };
  }

  #openedOrUnreadable(item: StoredValue): StoredValue {
    if (!this.#isSealed(item.key)) return item;
    try {
      return this.#opened(item);
    } catch (err) {
      const { key, revision } = item;
      this.#options.logger.error("cannot decrypt a stored value", { key, revision, err });
      return { ...item, value: UNREADABLE };
    }
  }

  /** Few ever look at what was before. */
  #openedWhenRead(item: StoredValue): StoredValue {
    const { key, revision, createRevision } = item;
    const opened = (): Uint8Array => this.#openedOrUnreadable(item).value;
    let value: Uint8Array | undefined;
    return {
      key,
      revision,
      createRevision,
      get value() {
        value ??= opened();
        return value;
      },
    };
  }

  /** A write that has happened stays one, whatever it has replaced. */
  #openedResult(result: WriteResult): WriteResult {
    if (!result.ok) return { ...result, current: this.#opened(result.current) };
    const { previous } = result;
    return { ...result, previous: previous && this.#openedWhenRead(previous) };
  }

  #openedEvent(event: StoreEvent): StoreEvent {
    if (!this.#isSealed(event.key)) return event;
    const { value, previous } = event;
    return {
      ...event,
      value: value && this.#openedOrUnreadable(value),
      previous: previous && this.#openedWhenRead(previous),
    };
  }

  #refuseUnlessOpen(): void {
    if (!this.#isOpen) {
      throw new StoreUnavailableError("Cannot use the store: it is not running");
    }
  }
}
