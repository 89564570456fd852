// A store on etcd 3.4 or later, for several servers at once. Every write is one transaction that compares
// the key's revision and, if it differs, returns how the key is: one round trip whatever happens.

import { aborted } from "../../base/abort.ts";
import { describe } from "../../base/errors.ts";
import {
  CompactedError,
  FutureRevisionError,
  type GetResult,
  type RangeQuery,
  type RangeResult,
  type Revision,
  type Store,
  StoreUnavailableError,
  type WatchBatch,
  type WatchQuery,
  type WriteResult,
} from "../store.ts";
import { WaitingWrites } from "../waiting-writes.ts";
import { refuseIllFormed } from "../well-formed-key.ts";
import { compactedRevision } from "./compacted-revision.ts";
import { parseEndpoint } from "./endpoint.ts";
import { EtcdClient, type EtcdClientOptions } from "./etcd-client.ts";
import { isCompacted, isFutureRevision, isTooLarge } from "./etcd-errors.ts";
import { EtcdWatches } from "./etcd-watches.ts";
import { Keyspace } from "./keyspace.ts";
import {
  compactRpc,
  encodeCompact,
  encodeRange,
  encodeWrite,
  etcdRevision,
  MAX_REVISION,
  rangeRpc,
  statusRpc,
  type WriteRequest,
  writeRpc,
} from "./messages.ts";
import { readRange } from "./range-reader.ts";
import { RevisionReader } from "./revision-reader.ts";

export interface EtcdStoreOptions extends EtcdClientOptions {
  /** All keys are under it; "/driftless" by default. Stores with different prefixes do not see each other. */
  readonly prefix?: string;
  /** Events that may wait for one watcher before it is dropped. */
  readonly maxPendingEvents?: number;
}

const defaultPrefix = "/driftless";

const checkTimeoutMs = 2000;
const reconnectMs = 1000;

/** What exists only while the store runs. */
interface Running {
  readonly client: EtcdClient;
  readonly watches: EtcdWatches;
  readonly revisions: RevisionReader;
}

export class EtcdStore implements Store {
  readonly #options: EtcdStoreOptions;
  readonly #keyspace: Keyspace;
  readonly #ready = Promise.withResolvers<void>();
  readonly #waiting = new WaitingWrites();
  #running: Running | undefined;
  /** Why there is nothing in #running. */
  #notRunning = "it does not run";

  constructor(options: EtcdStoreOptions) {
    if (options.endpoints.length === 0) throw new Error("Cannot use etcd: no endpoint is given");
    for (const url of options.endpoints) parseEndpoint(url, options.tls);
    this.#options = options;
    this.#keyspace = new Keyspace(options.prefix ?? defaultPrefix);
  }

  async revision(): Promise<Revision> {
    return this.#require("read the revision").revisions.read();
  }

  async get(key: string): Promise<GetResult> {
    refuseIllFormed(key);
    const what = `read "${key}"`;
    const { client } = this.#require(what);
    const request = encodeRange({ key: this.#keyspace.toEtcd(key) });
    const { items, revision } = await client.call(rangeRpc, request, { what, isRepeatable: true });
    const [item] = items;
    return { item: item && this.#keyspace.stored(item), revision };
  }

  async range(query: RangeQuery): Promise<RangeResult> {
    refuseIllFormed(query.prefix, query.after);
    const { client } = this.#require(`list "${query.prefix}"`);
    try {
      return await readRange(client, this.#keyspace, query);
    } catch (err) {
      throw await this.#translated(err, query.revision ?? 0n);
    }
  }

  create(key: string, value: Uint8Array): Promise<WriteResult> {
    return this.#write(`create "${key}"`, { key, value, expected: 0n });
  }

  async update(key: string, value: Uint8Array, expected: Revision): Promise<WriteResult> {
    return isPossible(expected)
      ? this.#write(`update "${key}"`, { key, value, expected })
      : this.#conflict(key);
  }

  async delete(key: string, expected: Revision): Promise<WriteResult> {
    return isPossible(expected)
      ? this.#write(`delete "${key}"`, { key, value: undefined, expected })
      : this.#conflict(key);
  }

  async *watch(query: WatchQuery): AsyncGenerator<WatchBatch, void> {
    refuseIllFormed(query.prefix);
    yield* this.#require(`watch "${query.prefix}"`).watches.watch(query);
  }

  async compact(revision: Revision): Promise<void> {
    const what = `compact revision ${revision}`;
    const { client } = this.#require(what);
    if (revision <= 0n) return;
    try {
      // Twice is as good as once.
      await client.call(compactRpc, encodeCompact(etcdRevision(revision)), {
        what,
        isRepeatable: true,
      });
    } catch (err) {
      if (!isCompacted(err)) throw await this.#translated(err, revision);
    }
  }

  async check(): Promise<void> {
    const what = "expect writes to succeed";
    const { client } = this.#require(what);
    const options = { what, isRepeatable: true, timeoutMs: checkTimeoutMs };
    const request = this.#probeRequest(undefined);
    try {
      await client.call(rangeRpc, request, options);
    } catch {
      // The one that failed last is not the whole story: ask all.
      const said = await client.ask(rangeRpc, request, checkTimeoutMs / 2);
      const failed = [...said].filter(([, problem]) => problem !== undefined);
      if (failed.length < said.size) return;
      const each = failed.map(([url, problem]) => `${url}: ${problem}`).join("; ");
      throw new StoreUnavailableError(`Cannot ${what}: no etcd endpoint serves (${each})`);
    }
    const alarms = await this.#alarms(client);
    if (alarms.length > 0) {
      throw new StoreUnavailableError(`Cannot ${what}: etcd has raised ${alarms.join(", ")}`);
    }
  }

  /** None when the member will not say: it may be a matter of rights. */
  async #alarms(client: EtcdClient): Promise<readonly string[]> {
    const options = { what: "read alarms", isRepeatable: true, timeoutMs: checkTimeoutMs };
    try {
      const { errors } = await client.call(statusRpc, Buffer.alloc(0), options);
      return errors.filter((error) => error.includes("alarm:"));
    } catch {
      return [];
    }
  }

  ready(): Promise<void> {
    return this.#ready.promise;
  }

  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const client = new EtcdClient(this.#options);
    const closing = aborted(signal).then(() => {
      this.#running = undefined;
      this.#notRunning = "it was stopped";
      client.close();
    });
    await this.#connect(client, signal);
    if (!signal.aborted) {
      const running = this.#start(client, signal);
      this.#running = running;
      this.#ready.resolve();
      await closing;
      await running.watches.ended();
    }
  }

  /** Tries until etcd answers: at the start of a site, servers often come up before it does. */
  async #connect(client: EtcdClient, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    while (!signal.aborted) {
      try {
        const options = { what: "connect to etcd", isRepeatable: true, timeoutMs: reconnectMs };
        await client.call(rangeRpc, this.#probeRequest(undefined), options);
        return;
      } catch (err) {
        if (signal.aborted) return;
        this.#notRunning = `it is not connected yet: ${describe(err)}`;
        logger.warn("etcd not reached yet", { reason: describe(err) });
        await clock.sleep(reconnectMs, signal).catch(() => undefined);
      }
    }
  }

  #start(client: EtcdClient, signal: AbortSignal): Running {
    const { clock, random, logger, maxPendingEvents } = this.#options;
    const watches = new EtcdWatches(
      {
        client,
        keyspace: this.#keyspace,
        clock,
        random,
        logger,
        probe: (after) => this.#probe(client, after),
        ...(maxPendingEvents !== undefined && { maxPendingEvents }),
      },
      signal,
    );
    const revisions = new RevisionReader(async () => {
      const revision = await this.#probe(client, undefined);
      watches.want(revision);
      return revision;
    });
    return { client, watches, revisions };
  }

  /** The store's revision; fails if the state as of `after` is gone or has not come. */
  async #probe(client: EtcdClient, after: Revision | undefined): Promise<Revision> {
    const options = { what: "read the revision", isRepeatable: true };
    try {
      return (await client.call(rangeRpc, this.#probeRequest(after), options)).revision;
    } catch (err) {
      throw await this.#translated(err, after ?? 0n);
    }
  }

  /** The cheapest read that the members agree on. */
  #probeRequest(after: Revision | undefined): Buffer {
    return encodeRange({
      key: this.#keyspace.progressKey,
      countOnly: true,
      ...(after !== undefined && { revision: etcdRevision(after) }),
    });
  }

  async #write(what: string, write: WriteRequest): Promise<WriteResult> {
    refuseIllFormed(write.key);
    const { client } = this.#require(what);
    this.#waiting.add(write);
    try {
      return await this.#send(client, what, write);
    } finally {
      this.#waiting.remove(write);
    }
  }

  async #send(
    client: EtcdClient,
    what: string,
    { key, value, expected }: WriteRequest,
  ): Promise<WriteResult> {
    const request = encodeWrite({ key: this.#keyspace.toEtcd(key), value, expected });
    try {
      const { succeeded, revision, item } = await client.call(writeRpc, request, {
        what,
        isRepeatable: false,
      });
      const stored = item && this.#keyspace.stored(item);
      return succeeded ? { ok: true, revision, previous: stored } : { ok: false, current: stored };
    } catch (err) {
      throw isTooLarge(err) ? tooLarge(what, request.length, err) : err;
    }
  }

  /** No value has such a revision. */
  async #conflict(key: string): Promise<WriteResult> {
    return { ok: false, current: (await this.get(key)).item };
  }

  /** What a caller is to catch, for an error of etcd about the revision that was asked for. */
  async #translated(err: unknown, asked: Revision): Promise<unknown> {
    const { client, revisions } = this.#require("read");
    if (isFutureRevision(err)) return new FutureRevisionError(asked, await revisions.read());
    if (!isCompacted(err)) return err;
    const { clock } = this.#options;
    const last = await compactedRevision({ client, keyspace: this.#keyspace, clock });
    return new CompactedError(last ?? asked);
  }

  #require(what: string): Running {
    if (this.#running === undefined) {
      throw new StoreUnavailableError(`Cannot ${what}: ${this.#notRunning}`);
    }
    return this.#running;
  }
}

/** A value can have this revision. */
function isPossible(revision: Revision): boolean {
  return revision > 0n && revision <= MAX_REVISION;
}

function tooLarge(what: string, bytes: number, cause: unknown): Error {
  return new Error(
    `Cannot ${what}: etcd does not take a request of ${bytes} bytes; ` +
      "start it with a larger --max-request-bytes (its default is 1.5 MiB)",
    { cause },
  );
}
