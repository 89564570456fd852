// What every store does when it ends, and what several servers see of one that they share, as tests.

import assert from "node:assert/strict";
import { it } from "node:test";
import { type Revision, type Store, StoreUnavailableError } from "../store.ts";
import { type RunningStore, runStore, type StoreContract } from "./running-store.ts";
import { bytes, createAll, mustWrite } from "./test-writes.ts";

export function lifeContract(contract: StoreContract): void {
  const calls: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
    revision: (store) => store.revision(),
    get: (store) => store.get("/a"),
    range: (store) => store.range({ prefix: "" }),
    create: (store) => store.create("/a", bytes("")),
    update: (store) => store.update("/a", bytes(""), 1n),
    delete: (store) => store.delete("/a", 1n),
    compact: (store) => store.compact(0n),
    check: (store) => store.check(),
    watch: async (store) => {
      const { signal } = new AbortController();
      for await (const _ of store.watch({ prefix: "", after: 0n, signal })) return;
    },
  };

  const assertRefusesAll = async (store: Store): Promise<void> => {
    for (const [method, call] of Object.entries(calls)) {
      await assert.rejects(call(store), StoreUnavailableError, method);
    }
  };

  it("refuses every call before run()", async () => {
    await using opened = await contract.open({});
    await assertRefusesAll(opened.store);
  });

  it("refuses every call after the end of run()", async () => {
    await using running = await runStore(contract);
    await running.stop();
    await assertRefusesAll(running.store);
  });

  it("check() resolves while it runs", async () => {
    await using running = await runStore(contract);
    await running.store.check();
  });

  it("lets run() end at once when its signal has aborted before", async () => {
    await using opened = await contract.open({});
    await opened.store.run(AbortSignal.abort());
    await assert.rejects(opened.store.get("/a"), StoreUnavailableError);
  });

  it("settles every write that is under way when it stops", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const writes = Array.from({ length: 50 }, (_, i) => store.create(`/${i}`, bytes("")));
    const settled = Promise.allSettled(writes);
    await running.stop();
    for (const result of await settled) {
      const reason: unknown = result.status === "rejected" ? result.reason : undefined;
      assert.ok(reason === undefined || reason instanceof StoreUnavailableError, String(reason));
    }
  });
}

export function sharedContract(contract: StoreContract): void {
  it("shows each what the other has written, at once", async () => {
    await using running = await runStore(contract);
    const { store, other } = both(running);
    for (let i = 0; i < 10; i++) {
      const writer: Store = i % 2 === 0 ? store : other;
      const reader: Store = i % 2 === 0 ? other : store;
      const written = await mustWrite(writer.create(`/${i}`, bytes(String(i))));
      assert.ok((await reader.revision()) >= written, "revision() is linearizable");
      assert.equal((await reader.get(`/${i}`)).item?.revision, written);
      assert.equal((await reader.range({ prefix: "/" })).items.length, i + 1);
    }
  });

  it("has one winner among the writers of both", async () => {
    await using running = await runStore(contract);
    const { store, other } = both(running);
    const tries = Array.from({ length: 20 }, (_, i) =>
      (i % 2 === 0 ? store : other).create("/a", bytes(String(i))),
    );
    const results = await Promise.all(tries);
    assert.equal(results.filter(({ ok }) => ok).length, 1);
  });

  it("can be watched through one while the other writes", async () => {
    await using running = await runStore(contract);
    const { store, other } = both(running);
    const after = await store.revision();
    const stop = new AbortController();
    const revisions = await createAll(other, ["/a", "/b", "/c"]);
    const seen: Revision[] = [];
    for await (const { events } of store.watch({ prefix: "/", after, signal: stop.signal })) {
      seen.push(...events.map(({ revision }) => revision));
      if (seen.length >= revisions.length) stop.abort();
    }
    assert.deepEqual(seen, revisions);
  });
}

function both({ store, other }: RunningStore): { store: Store; other: Store } {
  assert.ok(other !== undefined, "a shared store is opened twice");
  return { store, other };
}
