// What every store keeps when its history is cut, as tests.

import assert from "node:assert/strict";
import { it } from "node:test";
import { CompactedError, FutureRevisionError, type Revision } from "../store.ts";
import { runStore, type StoreContract } from "./running-store.ts";
import { assertItem, bytes, createAll, mustWrite, put, text } from "./test-writes.ts";

export function compactionContract(contract: StoreContract): void {
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
