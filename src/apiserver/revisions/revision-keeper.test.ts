import { deepEqual, equal, match, ok } from "node:assert/strict";
import { describe, it } from "node:test";
import { contentVersion } from "../../base/content-version.ts";
import { objectContent } from "../../base/object-content.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { MemoryStore } from "../../storage/memory/memory-store.ts";
import { type Store, StoreUnavailableError } from "../../storage/store.ts";
import { CachedObject, encodeForStore } from "../cache/cached-object.ts";
import { RevisionWorld, type WorldOptions } from "./testing/revision-world.ts";

/** A world with a keeper that has had its first look. */
async function kept(options: WorldOptions = {}): Promise<RevisionWorld> {
  const world = new RevisionWorld(options);
  await world.keep();
  return world;
}

/** Longer than a revision is left to another server. */
const LEFT_MS = 7000;

describe("RevisionKeeper", () => {
  it("makes a revision of every content, with its author, and none of other changes", async () => {
    await using world = await kept();
    await world.put("app", { data: { a: "1" } });
    await world.clock.step(1);
    await world.put("app", { data: { a: "2", b: "x" } }, { by: "bob" });
    await world.put("app", { data: { a: "2", b: "x" } }, { metadata: { labels: { l: "1" } } });
    await world.put("app", { data: { b: "x" } });
    await world.clock.step(LEFT_MS);
    deepEqual(world.told("app"), ["1 alice a=1", "2 bob a=2 b=x", "3 alice b=x"]);
    deepEqual(
      world.revisions("app").map(({ summary }) => summary),
      [
        { added: ["a"], changed: [], removed: [] },
        { added: ["b"], changed: ["a"], removed: [] },
        { added: [], changed: [], removed: ["a"] },
      ],
    );
  });

  it("says whose content it is, which version, and when it was committed", async () => {
    await using world = await kept();
    await world.put("app", { data: { a: "1" } });
    await world.clock.step(1);
    const live = world.resource("configmaps").cache.get("n/app")?.object;
    const { uid = "", resourceVersion } = live?.metadata ?? {};
    const [revision] = world.revisions("app");
    equal(revision?.metadata.name, "configmap-app-00001");
    deepEqual(revision?.object, {
      apiVersion: "v1",
      kind: "ConfigMap",
      name: "app",
      uid,
      resourceVersion,
    });
    const of = { kind: "ConfigMap", uid } as const;
    equal(revision?.hash, contentVersion(of, objectContent("ConfigMap", live ?? {})));
    equal(revision?.changedAt, "2024-01-01T00:00:00.000000Z");
    deepEqual(revision?.metadata.ownerReferences, [
      { apiVersion: "v1", kind: "ConfigMap", name: "app", uid },
    ]);
    deepEqual(revision?.metadata.labels, {
      "driftless.dev/kind": "ConfigMap",
      "driftless.dev/name": "app",
    });
  });

  it("counts a change back to an earlier content", async () => {
    await using world = await kept();
    for (const a of ["1", "2", "1"]) await world.put("app", { data: { a } });
    await world.clock.step(1);
    deepEqual(world.told("app"), ["1 alice a=1", "2 alice a=2", "3 alice a=1"]);
  });

  it("keeps all of a Secret as bytes, and its version to those who know the Secret", async () => {
    await using world = await kept();
    const content = { data: { password: "aHVudGVyMg==" }, type: "Opaque" };
    await world.put("login", content, { resource: "secrets" });
    await world.clock.step(1);
    const [revision] = world.revisions("login", "Secret");
    deepEqual(
      [revision?.secret, revision?.data, revision?.binaryData],
      [true, undefined, content.data],
    );
    const uid = revision?.object.uid ?? "";
    const bytes = objectContent("Secret", content);
    equal(revision?.hash, contentVersion({ kind: "Secret", uid }, bytes));
    ok(revision?.hash !== contentVersion({ kind: "ConfigMap", uid }, bytes));
  });

  it("keeps as many as it is told, the newest ones", async () => {
    await using world = await kept({ limit: 3 });
    for (let a = 1; a <= 8; a++) {
      await world.put("app", { data: { a: String(a) } });
      await world.clock.step(100);
    }
    deepEqual(world.told("app"), ["6 alice a=6", "7 alice a=7", "8 alice a=8"]);
  });

  it("keeps none, and removes what is there, when it is told so", async () => {
    await using world = await kept();
    await world.put("app", { data: { a: "1" } });
    await world.clock.step(1);
    equal(world.revisions("app").length, 1);
    await world.stopKeeper();
    await world.keep(0);
    await world.put("app", { data: { a: "2" } });
    await world.clock.step(LEFT_MS);
    deepEqual(world.told("app"), []);
  });

  it("leaves objects alone that want no history", async () => {
    await using world = await kept();
    const metadata = { annotations: { "driftless.dev/history": "false" } };
    await world.put("lock", { data: { holder: "a" } }, { metadata });
    await world.put("lock", { data: { holder: "b" } }, { metadata });
    await world.clock.step(LEFT_MS);
    deepEqual(world.told("lock"), []);
  });

  it("gives an object of 253 characters a history of its own", async () => {
    await using world = await kept();
    const [one, other] = [`${"x".repeat(252)}1`, `${"x".repeat(252)}2`];
    await world.put(one, { data: { a: "1" } });
    await world.put(other, { data: { a: "2" } });
    await world.put(one, { data: { a: "3" } });
    await world.clock.step(1);
    deepEqual(world.told(one), ["1 alice a=1", "2 alice a=3"]);
    deepEqual(world.told(other), ["1 alice a=2"]);
  });

  it("begins anew for an object that takes the name of another, and repeats no number", async () => {
    await using world = await kept();
    await world.put("app", { data: { a: "1" } });
    await world.clock.step(1);
    await world.delete("app");
    await world.put("app", { data: { a: "1" } }, { by: "bob" });
    await world.clock.step(1);
    deepEqual(world.told("app"), ["1 alice a=1", "2 bob a=1"]);
    deepEqual(world.revisions("app")[1]?.summary?.added, ["a"]);
  });

  it("makes nothing for an object that is gone", async () => {
    await using world = await kept();
    await world.put("app", { data: { a: "1" } });
    await world.delete("app");
    await world.clock.step(LEFT_MS);
    deepEqual(world.told("app"), []);
  });

  it("finds after a crash what has no revision, and does not know who wrote it", async () => {
    await using world = await kept();
    await world.put("old", { data: { a: "1" } });
    await world.put("same", { data: { a: "1" } });
    await world.clock.step(1);
    await world.stopKeeper();
    await world.put("old", { data: { a: "2" } });
    await world.put("old", { data: { a: "3" } });
    await world.put("new", { data: { a: "1" } });
    await world.keep();
    await world.clock.step(LEFT_MS);
    deepEqual(world.told("old"), ["1 alice a=1", "2  a=3"]);
    deepEqual(world.told("new"), ["1  a=1"]);
    deepEqual(world.told("same"), ["1 alice a=1"]);
  });

  it("waits for nobody after a crash if it has the store to itself", async () => {
    await using world = new RevisionWorld({ isShared: false });
    await world.cache.ready();
    await world.put("app", { data: { a: "1" } });
    await world.keep();
    await world.clock.step(200);
    deepEqual(world.told("app"), ["1  a=1"]);
  });

  it("does not take events of the past for news when the cache begins there", async () => {
    const store = new MemoryStore();
    const stop = new AbortController();
    const running = store.run(stop.signal);
    {
      await using first = await kept({ shared: store });
      for (const a of ["1", "2", "3"]) await first.put("app", { data: { a } });
      await first.clock.step(1);
    }
    await using second = await kept({ shared: store });
    await second.clock.step(LEFT_MS);
    deepEqual(second.told("app"), ["1 alice a=1", "2 alice a=2", "3 alice a=3"]);
    stop.abort();
    await running;
  });

  it("finds what it missed when the cache had to begin anew", async () => {
    await using world = await kept();
    await world.put("app", { data: { a: "1" } });
    await world.clock.step(1);
    const { cache, storage, storedKind } = world.resource("configmaps");
    const live = cache.get("n/app");
    const missed = { ...live?.object, metadata: live?.object.metadata ?? {}, data: { a: "2" } };
    const object = CachedObject.fromStored({
      key: "n/app",
      value: encodeForStore(storedKind, missed),
      revision: world.cache.revision,
      head: storage.head,
    });
    cache.reset([object], world.cache.revision);
    await world.clock.step(LEFT_MS);
    deepEqual(world.told("app"), ["1 alice a=1", "2  a=2"]);
  });

  it("finishes at its end what only it knows the author of", async () => {
    await using world = await kept();
    await world.put("app", { data: { a: "1" } });
    await world.stopKeeper();
    deepEqual(world.told("app"), ["1 alice a=1"]);
  });

  it("tries again until the store takes a revision, and loses no content that is kept", async () => {
    let isDown = false;
    const wrap = (store: Store): Store =>
      new Proxy(store, {
        get(target, name) {
          const found = Reflect.get(target, name) as unknown;
          if (typeof found !== "function") return found;
          if (name !== "create") return found.bind(target) as unknown;
          return async (key: string, value: Uint8Array) => {
            const isRevision = key.startsWith("driftless.dev/");
            if (isDown && isRevision) throw new StoreUnavailableError("disk full");
            return target.create(key, value);
          };
        },
      });
    await using world = await kept({ wrap });
    await world.put("app", { data: { a: "1" } });
    await world.clock.step(1);
    isDown = true;
    await world.put("app", { data: { a: "2" } });
    await world.put("app", { data: { a: "3" } }, { by: "bob" });
    await world.clock.step(60_000);
    deepEqual(world.told("app"), ["1 alice a=1"]);
    const failures = world.logger.records.length;
    ok(failures < 30, `${failures} attempts`);
    isDown = false;
    await world.clock.step(20_000);
    deepEqual(world.told("app"), ["1 alice a=1", "2 alice a=2", "3 bob a=3"]);
  });

  it("records a hot object in bursts, with few writes, and its newest content in the end", async () => {
    await using world = await kept();
    const before = await world.store.revision();
    const updates = 2500;
    for (let a = 1; a <= updates; a++) {
      await world.put("hot", { data: { a: String(a) } });
      await world.clock.step(2);
    }
    await world.clock.step(20_000);
    const told = world.told("hot");
    equal(told.length, 20);
    match(told.at(-1) ?? "", / alice a=2500$/);
    const values = told.map((line) => Number(line.split("=")[1]));
    deepEqual(
      values,
      values.toSorted((a, b) => a - b),
    );
    const extra = Number((await world.store.revision()) - before) - updates;
    ok(extra < updates / 10, `${extra} writes for ${updates} updates`);
  });
});

describe("Two RevisionKeepers on one store", () => {
  interface Pair extends AsyncDisposable {
    readonly a: RevisionWorld;
    readonly b: RevisionWorld;
    readonly clock: FakeClock;
  }

  async function pair(): Promise<Pair> {
    const shared = new MemoryStore();
    const clock = new FakeClock();
    const stop = new AbortController();
    const running = shared.run(stop.signal);
    const a = await kept({ shared, clock });
    const b = await kept({ shared, clock, seed: 2 });
    return {
      a,
      b,
      clock,
      async [Symbol.asyncDispose]() {
        await a[Symbol.asyncDispose]();
        await b[Symbol.asyncDispose]();
        stop.abort();
        await running;
      },
    };
  }

  it("leave the revision to the one that took the write", async () => {
    await using both = await pair();
    await both.a.put("app", { data: { a: "1" } });
    await both.b.put("app", { data: { a: "2" } }, { by: "bob" });
    await both.a.put("app", { data: { a: "3" } });
    await both.clock.step(LEFT_MS);
    deepEqual(both.a.told("app"), ["1 alice a=1", "2 bob a=2", "3 alice a=3"]);
  });

  it("do what the other one leaves undone, once, in the order of the contents", async () => {
    await using both = await pair();
    await both.a.stopKeeper();
    await both.a.put("app", { data: { a: "1" } });
    await both.b.put("app", { data: { a: "2" } }, { by: "bob" });
    await both.clock.step(LEFT_MS);
    deepEqual(both.b.told("app"), ["1  a=1", "2 bob a=2"]);
    await both.a.keep();
    await both.clock.step(LEFT_MS);
    deepEqual(both.b.told("app"), ["1  a=1", "2 bob a=2"]);
  });

  it("are not held up by each other's changes of metadata", async () => {
    await using both = await pair();
    await both.a.put("app", { data: { a: "1" } });
    await both.clock.step(10);
    await both.a.put("app", { data: { a: "1" } }, { metadata: { labels: { l: "1" } } });
    await both.b.put("app", { data: { a: "2" } }, { by: "bob" });
    await both.clock.step(10);
    deepEqual(both.b.told("app"), ["1 alice a=1", "2 bob a=2"]);
  });

  it("never give a number twice, however they are interleaved", async () => {
    await using both = await pair();
    for (let round = 0; round < 60; round++) {
      const world = round % 3 === 0 ? both.b : both.a;
      await world.put("app", { data: { a: String(round) } }, { by: `user-${round % 3}` });
      if (round % 7 === 0) await both.clock.step(2000);
    }
    await both.clock.step(60_000);
    const numbers = both.a.revisions("app").map(({ number }) => number);
    deepEqual(numbers, [...new Set(numbers)]);
    equal(numbers.length, 20);
    match(both.a.told("app").at(-1) ?? "", / user-2 a=59$/);
  });
});
