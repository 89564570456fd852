// A watch says how far it has come although only others write to the same etcd, and never says so before
// its own events. Up to 3.4.24 and 3.5.7, etcd's answers to progress requests do that (etcd-io/etcd#15220);
// 3.4.23, which Debian bookworm has, is one of those.

import assert from "node:assert/strict";
import { it } from "node:test";
import type { Revision, Store, WatchBatch } from "../../src/storage/store.ts";
import { LONG } from "../support/campaign.ts";
import { etcdBinary } from "./etcd-binaries.ts";
import { EtcdCluster } from "./etcd-cluster.ts";
import { checkNothingLost, checkOrder } from "./history.ts";
import { runStores } from "./running-stores.ts";
import { until } from "./traffic.ts";

for (const line of ["3.4", "3.5"] as const) {
  const found = await etcdBinary(line);
  const skip = found.ok ? false : found.reason;
  const binary = found.ok ? found.path : "";

  it(`a watch on ${line} reaches a revision that somebody else's write has made`, {
    skip,
  }, async () => {
    await using cluster = await EtcdCluster.start({ binary });
    const { endpoints } = cluster;
    await using ours = await runStores(1, { endpoints });
    await using theirs = await runStores(1, { endpoints, prefix: "/elsewhere" });
    const [store, other] = [only(ours.stores), only(theirs.stores)];
    const { batches, stop } = watching(store, await store.revision());
    await until(() => batches.length > 0, "the watch has begun");
    for (let i = 0; i < 5; i++) {
      const written = await other.create(`/${i}`, Buffer.from(""));
      assert.ok(written.ok);
      const revision = await store.revision();
      assert.ok(revision >= written.revision);
      await until(() => (batches.at(-1)?.revision ?? 0n) >= revision, `it reaches ${revision}`);
    }
    stop();
    assert.deepEqual(
      batches.flatMap(({ events }) => events),
      [],
    );
  });

  it(`progress on ${line} never overtakes events`, { skip }, async () => {
    await using cluster = await EtcdCluster.start({ binary });
    const { endpoints } = cluster;
    await using ours = await runStores(2, { endpoints });
    const [store, writing] = ours.stores;
    assert.ok(store && writing);
    const after = await store.revision();
    const { batches, stop } = watching(store, after);
    const end = performance.now() + (LONG ? 30_000 : 2000);
    const acknowledged: { type: "put"; key: string; revision: Revision; value: string }[] = [];
    // A slow machine takes longer for as many.
    const isGoingOn = (): boolean => performance.now() < end || acknowledged.length <= 100;
    const write = async (writer: number): Promise<void> => {
      // Large values make the events' way slower than that of a progress answer.
      const value = String(writer).repeat(50_000);
      for (let i = 0; isGoingOn(); i++) {
        const key = `/${writer}/${i}`;
        const result = await writing.create(key, Buffer.from(value));
        assert.ok(result.ok);
        acknowledged.push({ type: "put", key, revision: result.revision, value });
      }
    };
    const read = async (): Promise<void> => {
      while (isGoingOn()) await store.revision();
    };
    await Promise.all([...Array.from({ length: 16 }, (_, i) => write(i)), read()]);
    const last = await store.revision();
    await until(() => (batches.at(-1)?.revision ?? 0n) >= last, `the watch reaches ${last}`);
    stop();
    const watched = { name: "the watch", prefix: "/", after, batches };
    checkOrder(watched);
    checkNothingLost(watched, acknowledged);
    assert.ok(acknowledged.length > 100);
  });
}

function only(stores: readonly Store[]): Store {
  const [store] = stores;
  assert.ok(store);
  return store;
}

function watching(store: Store, after: Revision): { batches: WatchBatch[]; stop: () => void } {
  const controller = new AbortController();
  const { signal } = controller;
  const batches: WatchBatch[] = [];
  void (async () => {
    for await (const batch of store.watch({ prefix: "/", after, signal })) batches.push(batch);
  })();
  return { batches, stop: () => controller.abort() };
}
