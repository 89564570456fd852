// The specification of a store, as tests. Every implementation calls storeContract() in its own test file
// and passes all of it. Revisions are compared, never counted: a shared store may take some for others.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  CompactedError,
  FutureRevisionError,
  type RangeQuery,
  type Revision,
  type Store,
  type StoredValue,
  StoreUnavailableError,
} from "../store.ts";
import { modelContract } from "./model-contract.ts";
import { type RunningStore, runStore, type StoreContract } from "./running-store.ts";
import { bytes, createAll, mustWrite, text } from "./test-writes.ts";
import { watchContract } from "./watch-contract.ts";

const MIB = 2 ** 20;
/** A watch that misses an event waits for ever. Long enough for a busy machine. */
const timeout = 60_000;

/** Declares the tests of one implementation. */
export function storeContract(contract: StoreContract): void {
  const { name, skip = false, isShared = false } = contract;
  describe(`${name} is a store:`, { skip }, () => {
    describe("get", () => getContract(contract));
    describe("range", () => rangeContract(contract));
    describe("a write", () => writeContract(contract));
    describe("compaction", () => compactionContract(contract));
    describe("its life", () => lifeContract(contract));
    describe("a watch", { timeout }, () => watchContract(contract));
    if (isShared) describe("shared by servers", () => sharedContract(contract));
    describe("random commands", { timeout }, () => modelContract(contract));
  });
}

function getContract(contract: StoreContract): void {
  it("says that a key does not exist", async () => {
    await using running = await runStore(contract);
    const { item } = await running.store.get("/a");
    assert.equal(item, undefined);
  });

  it("returns the value with its revisions, and the store's revision", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const created = await mustWrite(store.create("/a", bytes("one")));
    const updated = await mustWrite(store.update("/a", bytes("two"), created));
    const later = await mustWrite(store.create("/b", bytes("")));

    const { item, revision } = await store.get("/a");

    assertItem(item, { key: "/a", text: "two", revision: updated, createRevision: created });
    assert.ok(revision >= later, `${revision} is at least ${later}`);
  });

  it("finds keys by all their characters", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    await mustWrite(store.create("/a/b", bytes("")));
    for (const key of ["/a", "/a/", "/A/b", "/a/b/", "/a/b\u0000", "/a/%"]) {
      assert.equal((await store.get(key)).item, undefined, JSON.stringify(key));
    }
  });
}

function rangeContract(contract: StoreContract): void {
  it("returns nothing from an empty store", async () => {
    await using running = await runStore(contract);
    const { items, remaining } = await running.store.range({ prefix: "" });
    assert.deepEqual(items, []);
    assert.equal(remaining, 0);
  });

  it("returns the keys with the prefix, and no others", async () => {
    await using running = await runStore(contract);
    await createAll(running.store, ["/a", "/a/1", "/a/2", "/a0", "/b", "a"]);
    assert.deepEqual(await keysOf(running.store, { prefix: "/a/" }), ["/a/1", "/a/2"]);
    assert.deepEqual(await keysOf(running.store, { prefix: "/a" }), ["/a", "/a/1", "/a/2", "/a0"]);
    assert.deepEqual(await keysOf(running.store, { prefix: "/c" }), []);
  });

  it("takes a prefix literally", async () => {
    await using running = await runStore(contract);
    await createAll(running.store, ["/a%", "/ab", "/a_", "/a*", "/A%"]);
    assert.deepEqual(await keysOf(running.store, { prefix: "/a%" }), ["/a%"]);
    assert.deepEqual(await keysOf(running.store, { prefix: "/a_" }), ["/a_"]);
    assert.deepEqual(await keysOf(running.store, { prefix: "/a*" }), ["/a*"]);
  });

  it("orders keys bytewise, beyond ASCII too", async () => {
    await using running = await runStore(contract);
    // In the order of UTF-16 the last two would change places.
    const ordered = [
      "/A",
      "/Z",
      "/a",
      "/a-b",
      "/a/b",
      "/z",
      "/é",
      "/日本",
      "/\uFF5E",
      "/\u{1F600}",
    ];
    await createAll(running.store, ordered.toReversed());
    assert.deepEqual(await keysOf(running.store, { prefix: "" }), ordered);
    assert.deepEqual(await keysOf(running.store, { prefix: "/\u{1F600}" }), ["/\u{1F600}"]);
    assert.deepEqual(await keysOf(running.store, { prefix: "/", after: "/日本", limit: 2 }), [
      "/\uFF5E",
      "/\u{1F600}",
    ]);
  });

  it("gives pages by `after` and `limit`, each with the number that remains", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    await createAll(store, ["/p/1", "/p/2", "/p/3", "/p/4", "/p/5", "/q/1"]);
    const pages: unknown[] = [];
    for (let after = ""; ; ) {
      const { items, remaining } = await store.range({ prefix: "/p/", after, limit: 2 });
      pages.push([items.map(({ key }) => key), remaining]);
      after = items.at(-1)?.key ?? "";
      if (remaining === 0) break;
    }
    assert.deepEqual(pages, [
      [["/p/1", "/p/2"], 3],
      [["/p/3", "/p/4"], 1],
      [["/p/5"], 0],
    ]);
  });

  it("needs no existing key to go on after", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    await createAll(store, ["/p/1", "/p/3", "/p/5"]);
    assert.deepEqual(await keysOf(store, { prefix: "/p/", after: "/p/2" }), ["/p/3", "/p/5"]);
    assert.deepEqual(await keysOf(store, { prefix: "/p/", after: "/a", limit: 1 }), ["/p/1"]);
    assert.deepEqual(await keysOf(store, { prefix: "/p/", after: "/p/5" }), []);
    assert.deepEqual(await keysOf(store, { prefix: "/p/", after: "/q" }), []);
  });

  it("shows a past revision as it was: values, deleted keys, number that remains", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const [first, second] = await createAll(store, ["/a", "/b"]);
    assert.ok(first !== undefined && second !== undefined);
    await mustWrite(store.delete("/a", first));
    await mustWrite(store.update("/b", bytes("new"), second));
    await mustWrite(store.create("/c", bytes("")));

    const past = await store.range({ prefix: "/", limit: 1, revision: second });
    const next = await store.range({ prefix: "/", after: "/a", limit: 1, revision: second });

    assert.equal(past.revision, second);
    assert.equal(past.remaining, 1);
    assertItem(past.items[0], { key: "/a", text: "/a", revision: first, createRevision: first });
    assert.equal(next.remaining, 0);
    assertItem(next.items[0], { key: "/b", text: "/b", revision: second, createRevision: second });
    assert.deepEqual(await keysOf(store, { prefix: "/" }), ["/b", "/c"]);
  });

  it("refuses a revision that has not happened", async () => {
    await using running = await runStore(contract);
    const current = await running.store.revision();
    await assert.rejects(
      running.store.range({ prefix: "", revision: current + 1000n }),
      FutureRevisionError,
    );
  });

  it("is one moment: it never shows a write without those before it", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    // "/b" is always written after "/a", with the same text.
    const writing = (async () => {
      let a: Revision | undefined;
      let b: Revision | undefined;
      for (let i = 0; i < 100; i++) {
        a = await put(store, "/a", String(i), a);
        b = await put(store, "/b", String(i), b);
      }
    })();
    let last: Revision = 0n;
    for (let i = 0; i < 50; i++) {
      const { items, revision } = await store.range({ prefix: "/" });
      const [a = -1, b = -1] = items.map(({ value }) => Number(text(value)));
      assert.ok(a === b || a === b + 1, `"/a" is ${a}, "/b" is ${b}`);
      assert.ok(revision >= last, "the store's revision does not go back");
      assert.ok(items.every((item) => item.revision <= revision));
      last = revision;
    }
    await writing;
  });
}

function writeContract(contract: StoreContract): void {
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

function compactionContract(contract: StoreContract): void {
  it("keeps the state as of its revision, and everything after", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const a = await mustWrite(store.create("/a", bytes("one")));
    const gone = await mustWrite(store.create("/gone", bytes("")));
    const b = await mustWrite(store.create("/b", bytes("one")));
    await mustWrite(store.delete("/gone", gone));
    const at = await mustWrite(store.update("/a", bytes("two"), a));
    const later = await mustWrite(store.update("/a", bytes("three"), at));
    const last = await mustWrite(store.delete("/b", b));

    await store.compact(at);

    const describeAt = async (revision: Revision): Promise<string[]> =>
      (await store.range({ prefix: "", revision })).items.map(
        (item) => `${item.key} ${text(item.value)} ${item.createRevision}`,
      );
    assert.deepEqual(await describeAt(at), [`/a two ${a}`, `/b one ${b}`]);
    assert.deepEqual(await describeAt(later), [`/a three ${a}`, `/b one ${b}`]);
    assert.deepEqual(await describeAt(last), [`/a three ${a}`]);
    assertItem((await store.get("/a")).item, {
      key: "/a",
      text: "three",
      revision: later,
      createRevision: a,
    });
  });

  it("forgets the past: a range below it throws CompactedError", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const [first, second, third] = await createAll(store, ["/a", "/b", "/c"]);
    assert.ok(first !== undefined && second !== undefined && third !== undefined);
    await store.compact(second);
    await assert.rejects(store.range({ prefix: "", revision: first }), (err) => {
      assert.ok(err instanceof CompactedError);
      assert.ok(err.compacted >= first && err.compacted <= second, String(err.compacted));
      return true;
    });
    assert.equal((await store.range({ prefix: "", revision: third })).items.length, 3);
  });

  it("of what is already compacted changes nothing", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    const [first, second] = await createAll(store, ["/a", "/b"]);
    assert.ok(first !== undefined && second !== undefined);
    await store.compact(second);
    await store.compact(second);
    await store.compact(first);
    assert.equal((await store.range({ prefix: "", revision: second })).items.length, 2);
  });

  it("of a revision that has not happened is refused", async () => {
    await using running = await runStore(contract);
    const current = await running.store.revision();
    await assert.rejects(running.store.compact(current + 1000n), FutureRevisionError);
  });

  it("disturbs no writes meanwhile, and their revisions go on", async () => {
    await using running = await runStore(contract);
    const { store } = running;
    let a: Revision | undefined;
    for (let i = 0; i < 50; i++) a = await put(store, "/a", String(i), a);
    assert.ok(a !== undefined);
    const compacting = store.compact(a);
    const revisions = await createAll(store, ["/b", "/c", "/d"]);
    await compacting;
    assert.ok(revisions.every((revision, i) => revision > (revisions[i - 1] ?? a)));
    assert.equal(text((await store.get("/a")).item?.value), "49");
  });
}

function lifeContract(contract: StoreContract): void {
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

function sharedContract(contract: StoreContract): void {
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

interface ExpectedItem {
  readonly key: string;
  readonly text: string;
  readonly revision: Revision;
  readonly createRevision: Revision;
}

function assertItem(item: StoredValue | undefined, expected: ExpectedItem): void {
  assert.ok(item !== undefined, `${expected.key} exists`);
  const { key, value, revision, createRevision } = item;
  assert.deepEqual({ key, text: text(value), revision, createRevision }, expected);
}

/** Creates the key, or updates the revision that it has. */
function put(
  store: Store,
  key: string,
  content: string,
  expected: Revision | undefined,
): Promise<Revision> {
  const value = bytes(content);
  return mustWrite(
    expected === undefined ? store.create(key, value) : store.update(key, value, expected),
  );
}

async function keysOf(store: Store, query: RangeQuery): Promise<string[]> {
  return (await store.range(query)).items.map(({ key }) => key);
}
