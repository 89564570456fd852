// What every store does when it is read, as tests.

import assert from "node:assert/strict";
import { it } from "node:test";
import { FutureRevisionError, type Revision } from "../store.ts";
import { runStore, type StoreContract } from "./running-store.ts";
import { assertItem, bytes, createAll, keysOf, mustWrite, put, text } from "./test-writes.ts";

export function getContract(contract: StoreContract): void {
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

export function rangeContract(contract: StoreContract): void {
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
