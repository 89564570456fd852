// What every store does when it is written, as tests.

import assert from "node:assert/strict";
import { it } from "node:test";
import type { Revision } from "../store.ts";
import { runStore, type StoreContract } from "./running-store.ts";
import { assertItem, bytes, keysOf, mustWrite, text } from "./test-writes.ts";

const MIB = 2 ** 20;

export function writeContract(contract: StoreContract): void {
  it("creates a key that does not exist, with no previous value", async () => {
    await using running = await runStore(contract);
    const result = await running.store.create("/a", bytes("one"));
    assert.ok(result.ok);
    assert.equal(result.previous, undefined);
    assertItem((await running.store.get("/a")).item, {
      key: "/a",
      text: "one",
      revision: result.revision,
      createRevision: result.revision,
    });
  });

  it("does not create a key that exists, and says how it is", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const created = await mustWrite(store.create("/a", bytes("one")));
    const result = await store.create("/a", bytes("two"));
    assert.ok(!result.ok);
    const expected = { key: "/a", text: "one", revision: created, createRevision: created };
    assertItem(result.current, expected);
    assertItem((await store.get("/a")).item, expected);
  });

  it("updates the expected revision, and returns the previous value", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const created = await mustWrite(store.create("/a", bytes("one")));
    const result = await store.update("/a", bytes("two"), created);
    assert.ok(result.ok);
    assertItem(result.previous, {
      key: "/a",
      text: "one",
      revision: created,
      createRevision: created,
    });
  });

  it("does not update another revision, and says how the key is", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const created = await mustWrite(store.create("/a", bytes("one")));
    const updated = await mustWrite(store.update("/a", bytes("two"), created));
    const result = await store.update("/a", bytes("three"), created);
    assert.ok(!result.ok);
    const expected = { key: "/a", text: "two", revision: updated, createRevision: created };
    assertItem(result.current, expected);
    assertItem((await store.get("/a")).item, expected);
  });

  it("does not update a key that does not exist", async () => {
    await using running = await runStore(contract);
    const result = await running.store.update("/a", bytes("one"), 1n);
    assert.deepEqual(result, { ok: false, current: undefined });
    assert.equal((await running.store.get("/a")).item, undefined);
  });

  it("takes no revision that cannot be for one that is, nor for a key that does not exist", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const created = await mustWrite(store.create("/a", bytes("one")));
    for (const wrong of [0n, -1n, created + 2n ** 64n, created - 2n ** 64n]) {
      const missing = { ok: false, current: undefined };
      assert.deepEqual(await store.update("/b", bytes("two"), wrong), missing, String(wrong));
      assert.deepEqual(await store.delete("/b", wrong), missing, String(wrong));
      assert.equal((await store.update("/a", bytes("two"), wrong)).ok, false, String(wrong));
      assert.equal((await store.delete("/a", wrong)).ok, false, String(wrong));
    }
    assert.deepEqual(await keysOf(store, { prefix: "" }), ["/a"]);
  });

  it("deletes the expected revision, and returns the previous value", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const created = await mustWrite(store.create("/a", bytes("one")));
    const result = await store.delete("/a", created);
    assert.ok(result.ok);
    assert.ok(result.revision > created);
    assertItem(result.previous, {
      key: "/a",
      text: "one",
      revision: created,
      createRevision: created,
    });
    assert.equal((await store.get("/a")).item, undefined);
    assert.deepEqual(await keysOf(store, { prefix: "" }), []);
  });

  it("does not delete another revision, nor a key that does not exist", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const created = await mustWrite(store.create("/a", bytes("one")));
    const updated = await mustWrite(store.update("/a", bytes("two"), created));
    const stale = await store.delete("/a", created);
    const missing = await store.delete("/b", created);
    assert.ok(!stale.ok);
    assertItem(stale.current, {
      key: "/a",
      text: "two",
      revision: updated,
      createRevision: created,
    });
    assert.deepEqual(missing, { ok: false, current: undefined });
  });

  it("starts a new life of a key that was deleted", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const first = await mustWrite(store.create("/a", bytes("one")));
    const deleted = await mustWrite(store.delete("/a", first));
    const stale = await store.update("/a", bytes("two"), first);
    const result = await store.create("/a", bytes("two"));
    assert.deepEqual(stale, { ok: false, current: undefined });
    assert.ok(result.ok && result.revision > deleted);
    assert.equal(result.previous, undefined);
    assert.equal((await store.get("/a")).item?.createRevision, result.revision);
  });

  it("refuses a key with half a surrogate pair, which would become another key", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    await mustWrite(store.create("/\uFFFD", bytes("")));
    const key = "/\uD83D";
    const { signal } = new AbortController();
    const calls: readonly (() => Promise<unknown>)[] = [
      () => store.create(key, bytes("")),
      () => store.update(key, bytes(""), 1n),
      () => store.delete(key, 1n),
      () => store.get(key),
      () => store.range({ prefix: key }),
      () => store.range({ prefix: "/", after: key }),
      () => store.watch({ prefix: key, after: 0n, signal })[Symbol.asyncIterator]().next(),
    ];
    for (const call of calls) {
      await assert.rejects(call(), /Cannot use the key "\/\\ud83d": it has half a surrogate pair/);
    }
    assert.deepEqual(await keysOf(store, { prefix: "" }), ["/\uFFFD"]);
  });

  it("takes a revision of the one sequence of the whole store, greater than all before", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const a1 = await mustWrite(store.create("/a", bytes("")));
    const b1 = await mustWrite(store.create("/b", bytes("")));
    const a2 = await mustWrite(store.update("/a", bytes(""), a1));
    const b2 = await mustWrite(store.delete("/b", b1));
    const all = [a1, b1, a2, b2];
    assert.ok(
      all.every((revision, i) => revision > (all[i - 1] ?? 0n)),
      all.join(),
    );
  });

  it("takes no revision when it does not happen", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const created = await mustWrite(store.create("/a", bytes("")));
    await store.create("/a", bytes(""));
    await store.update("/a", bytes(""), created + 1n);
    await store.delete("/b", created);
    assert.equal(await store.revision(), created);
  });

  it("keeps every byte, and 3 MiB of them", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const every = Uint8Array.from({ length: 256 }, (_, i) => i);
    const large = new Uint8Array(3 * MIB).map((_, i) => (i * 7919) % 251);
    const values = { "/empty": new Uint8Array(), "/every": every, "/large": large };
    for (const [key, value] of Object.entries(values)) {
      // A view into a larger buffer, as parsers hand them out.
      const around = new Uint8Array(value.length + 20);
      around.set(value, 10);
      await mustWrite(store.create(key, around.subarray(10, 10 + value.length)));
    }
    for (const [key, value] of Object.entries(values)) {
      const { item } = await store.get(key);
      assert.ok(item !== undefined && Buffer.from(item.value).equals(value), key);
    }
  });

  it("to one key by many writers at once has exactly one winner, and the losers see it", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    let expected: Revision | undefined;
    for (let round = 0; round < 5; round++) {
      const tries = Array.from({ length: 20 }, (_, i) => {
        const value = bytes(`${round}/${i}`);
        return expected === undefined
          ? store.create("/a", value)
          : store.update("/a", value, expected);
      });
      const results = await Promise.all(tries);
      const winners = results.flatMap((result, i) => (result.ok ? [{ i, ...result }] : []));
      assert.equal(winners.length, 1, `round ${round}`);
      const [winner] = winners;
      assert.ok(winner !== undefined);
      for (const result of results) {
        assert.ok(result.ok || result.current?.revision === winner.revision, `round ${round}`);
      }
      assert.equal(text((await store.get("/a")).item?.value), `${round}/${winner.i}`);
      expected = winner.revision;
    }
  });

  it("is in every read that starts after it was acknowledged", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let i = 0; i < 10; i++) {
          const key = `/${writer}/${i}`;
          const written = await mustWrite(store.create(key, bytes("")));
          const current = await store.revision();
          const { item, revision } = await store.get(key);
          const { items } = await store.range({ prefix: key });
          assert.ok(current >= written, `revision() ${current} is at least ${written}`);
          assert.ok(revision >= written, `get's ${revision} is at least ${written}`);
          assert.equal(item?.revision, written);
          assert.equal(items.length, 1);
        }
      }),
    );
  });
}
