// A run: writers, readers and watchers by chance from a seed, against a server that a test restarts meanwhile. In the
// end everything that they were told is held against the promises.

import assert from "node:assert/strict";
import {
  auditors,
  type Connections,
  connectionsTo,
  HEAVY,
  heavyKeys,
  hotKeys,
  kinds,
  lightKeys,
  namespaces,
  slowReaders,
  someView,
  watchers,
} from "./cast.ts";
import { Model } from "./model.ts";
import { Reader } from "./reader.ts";
import { listObjects } from "./reads.ts";
import type { RunRecord } from "./record.ts";
import type { ServerUnderTest } from "./server-under-test.ts";
import { Shared, shortly, until } from "./shared.ts";
import { broken } from "./validate/validate.ts";
import type { WatchClient } from "./watch-client.ts";
import { Writer } from "./writer.ts";

export interface WorkloadOptions {
  readonly server: ServerUnderTest;
  readonly seed: number;
  readonly writers: number;
  readonly readers: number;
  readonly watchers: number;
}

/** Without progress for so long, something hangs. */
const STUCK_MS = 60_000;
/** More than a server and the kernel keep for one who does not read. */
const HEAVY_WRITES = 120;
const HEAVY_BYTES = 300_000;
const LIGHT_BYTES = 200;

export class Workload implements AsyncDisposable {
  readonly #options: WorkloadOptions;
  readonly #shared: Shared;
  readonly #connections: Connections;
  readonly #auditors: readonly WatchClient[];
  readonly #clients: WatchClient[] = [];
  readonly #work: Promise<void>[] = [];
  readonly #watching: Promise<void>[] = [];
  #failure: unknown;

  private constructor(options: WorkloadOptions) {
    this.#options = options;
    this.#shared = new Shared(options.seed, [...namespaces, HEAVY]);
    this.#connections = connectionsTo(options.server.address);
    this.#auditors = auditors(this.#shared, this.#connections);
  }

  static async start(options: WorkloadOptions): Promise<Workload> {
    const { server } = options;
    for (const name of [...namespaces, HEAVY]) {
      const made = await server.current.fetch("POST", "/api/v1/namespaces", { metadata: { name } });
      assert.equal(made.status, 201, made.text);
    }
    const workload = new Workload(options);
    await workload.#begin();
    return workload;
  }

  get run(): RunRecord {
    return this.#shared.run;
  }

  async #begin(): Promise<void> {
    const { writers, readers, watchers: count } = this.#options;
    const shared = this.#shared;
    this.#watch(this.#auditors);
    await this.#until(
      () => this.#auditors.every(({ isWatching }) => isWatching),
      () => "the auditors watch",
    );
    this.#watch(watchers(shared, this.#connections, count));
    for (let i = 0; i < writers; i++) {
      this.#start(new Writer({ ...this.#writer(`w${i}`, i), maxBallast: LIGHT_BYTES }));
    }
    const random = shared.randomForNext();
    for (let i = 0; i < readers; i++) {
      const views = Array.from({ length: 10 }, () => someView(random));
      this.#start(new Reader({ shared, transport: this.#connections.for(i), views }));
    }
  }

  /** Resolves when so many more writes were acknowledged. */
  async progresses(writes: number): Promise<void> {
    const target = this.#shared.acknowledged + writes;
    await this.#until(
      () => this.#shared.acknowledged >= target,
      () => `${target - this.#shared.acknowledged} more writes are acknowledged`,
    );
  }

  /** Resolves when watchers have received so many events since the beginning. */
  async receives(events: number): Promise<void> {
    while (this.#shared.events < events) await this.progresses(20);
  }

  /** Resolves when a watch that lasted was told how far it is. */
  async isBookmarked(): Promise<void> {
    await this.#until(
      () => this.#shared.bookmarks > 0,
      () => "a bookmark comes",
    );
  }

  /** Lists everything as it is now. */
  async looksAround(): Promise<void> {
    const actor = { shared: this.#shared, transport: this.#connections.http1 };
    for (const kind of kinds) {
      const list = await listObjects(actor, { view: { kind }, asked: { match: "newest" } });
      assert.notEqual(list, "no answer", `a list of ${kind} right after the start`);
    }
  }

  /** Some stop to read while much is written. The others get everything meanwhile. */
  async neglect(): Promise<void> {
    const shared = this.#shared;
    const over = Promise.withResolvers<void>();
    const slow = slowReaders(shared, this.#connections, over.promise);
    this.#watch(slow);
    const writer = new Writer({
      ...this.#writer(`heavy${shared.acknowledged}`, 0),
      keys: heavyKeys(),
      hotKeys: heavyKeys(),
      maxBallast: HEAVY_BYTES,
    });
    const random = shared.randomForNext();
    for (let i = 0; i < HEAVY_WRITES; i++) {
      const { is } = await writer.once();
      if (is === "unknown") await shortly(random);
      if (i < 20) {
        await this.#until(
          () => slow.every(({ isWatching }) => isWatching),
          () => "slow readers watch",
        );
      }
    }
    await this.#caughtUp(this.#clients.filter((client) => !slow.includes(client)));
    over.resolve();
    await this.#caughtUp(slow);
  }

  /** Ends the work, waits until everybody has everything, and judges. */
  async finish(): Promise<readonly string[]> {
    const shared = this.#shared;
    shared.stopWork();
    await Promise.all(this.#work);
    const actor = { shared, transport: this.#connections.http1 };
    for (const kind of kinds) await this.#lastWord(kind);
    const lists = [];
    for (const kind of kinds) {
      const list = await listObjects(actor, { view: { kind }, asked: { match: "newest" } });
      assert.ok(typeof list !== "string", `the last list of ${kind} failed`);
      lists.push(list);
    }
    const finalRevision = Math.max(...lists.map(({ version }) => version));
    // One who does not get there is found by the validators, which know what is missing.
    await this.#caughtUp(this.#clients).catch(() => undefined);
    shared.stopWatching();
    await Promise.all(this.#watching);
    this.#throwIfFailed();
    for (const { record } of this.#auditors) {
      const expired = record.streams.find(({ end }) => end === "expired");
      assert.equal(
        expired,
        undefined,
        `Cannot judge: the ${record.name} was sent away: ${this.#options.server.log}`,
      );
    }
    return broken(shared.run, finalRevision);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#shared.stopWork();
    this.#shared.stopWatching();
    this.#connections[Symbol.dispose]();
    await Promise.allSettled([...this.#work, ...this.#watching]);
  }

  #writer(name: string, index: number): ConstructorParameters<typeof Writer>[0] {
    const transport = this.#connections.for(index);
    const keys = { keys: lightKeys(), hotKeys: hotKeys() };
    return { shared: this.#shared, transport, name, ...keys, maxBallast: 0 };
  }

  #start(actor: { run(): Promise<void> }): void {
    this.#work.push(this.#guarded(actor.run()));
  }

  #watch(clients: readonly WatchClient[]): void {
    this.#clients.push(...clients);
    for (const client of clients) this.#watching.push(this.#guarded(client.run()));
  }

  /** What fails is told to whoever waits next. */
  async #guarded(running: Promise<void>): Promise<void> {
    try {
      await running;
    } catch (err) {
      this.#failure ??= err;
    }
  }

  #throwIfFailed(): void {
    const { server } = this.#options;
    if (this.#failure !== undefined) throw this.#failure;
    assert.ok(!server.hasDied, `the server died: ${server.log}`);
  }

  #until(condition: () => boolean, what: () => string): Promise<void> {
    const isOver = (): boolean => {
      this.#throwIfFailed();
      return condition();
    };
    return until(isOver, what, STUCK_MS);
  }

  /** A write of this kind that the auditor sees after all others. */
  async #lastWord(kind: (typeof kinds)[number]): Promise<void> {
    const writer = new Writer(this.#writer(`last word on ${kind}`, 0));
    const key = `${kind}/r0/last-word`;
    const change = { labels: {}, mark: `last-word-on-${kind}` };
    const outcome = await writer.once({ verb: "create", key, change });
    assert.ok(outcome.is === "done", `the last write of ${kind} was ${outcome.is}`);
    await this.#until(
      () =>
        this.#auditors.every(
          ({ record, position }) =>
            record.view.kind !== kind || position >= outcome.object.revision,
        ),
      () => `the auditor of ${kind} sees the last write`,
    );
  }

  /** Resolves when these have everything that was acknowledged, or seen, until now. */
  async #caughtUp(clients: readonly WatchClient[]): Promise<void> {
    const model = new Model(this.run);
    const late = new Map<WatchClient, number>();
    for (const client of clients) {
      late.set(client, model.expected(client.record.view, 0).at(-1)?.revision ?? 0);
    }
    await this.#until(
      () => {
        for (const [client, due] of late) {
          if (client.position >= due) late.delete(client);
        }
        return late.size === 0;
      },
      () =>
        `${late.size} watchers get everything: ${[...late.keys()].map(({ record }) => record.name).join("; ")}`,
    );
  }
}
