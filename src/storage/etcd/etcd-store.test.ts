import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { EtcdStore } from "./etcd-store.ts";
import { Keyspace } from "./keyspace.ts";
import { fakeEtcd, header, watchAnswer, watchCreated } from "./testing/fake-etcd.ts";

// What needs a real etcd is in test/etcd.

const base = { clock: systemClock, random: systemRandom, logger: new CaptureLogger() };

describe("EtcdStore", () => {
  it("refuses endpoints that cannot be, when it is made", () => {
    assert.throws(() => new EtcdStore({ ...base, endpoints: [] }), /no endpoint is given/);
    assert.throws(() => new EtcdStore({ ...base, endpoints: ["etcd"] }), /endpoint "etcd"/);
  });

  it("says in every call, while it is not connected, why not", async () => {
    const logger = new CaptureLogger();
    const store = new EtcdStore({ ...base, logger, endpoints: ["http://127.0.0.1:1"] });
    await assert.rejects(store.get("/a"), /Cannot read "\/a": it does not run/);
    const stop = new AbortController();
    const run = store.run(stop.signal);
    while (logger.records.every(({ message }) => message !== "etcd not reached yet")) {
      await systemClock.sleep(1);
    }
    await assert.rejects(store.get("/a"), /not connected yet: .*nothing is listening/);
    stop.abort();
    await run;
    await assert.rejects(store.get("/a"), /it was stopped/);
  });

  it("shares one request among readers of the revision who come together", async () => {
    await using etcd = await fakeEtcd({ answers: { Range: () => header(5n) } });
    const store = new EtcdStore({ ...base, endpoints: [etcd.url] });
    const stop = new AbortController();
    const run = store.run(stop.signal);
    await store.ready();
    const before = etcd.calls.length;
    const revisions = await Promise.all(Array.from({ length: 100 }, () => store.revision()));
    assert.ok(revisions.every((revision) => revision === 5n));
    assert.equal(etcd.calls.length - before, 2);
    stop.abort();
    await run;
  });

  it("sends a write once when its answer is lost, and says that it may have happened", async () => {
    const answers = { Txn: () => new Promise<never>(() => undefined) };
    await using one = await fakeEtcd({ answers });
    await using other = await fakeEtcd({ answers });
    const store = new EtcdStore({ ...base, endpoints: [one.url, other.url], callTimeoutMs: 300 });
    const stop = new AbortController();
    const run = store.run(stop.signal);
    await store.ready();
    const value = new Uint8Array();
    const writes = [
      store.create("/a", value),
      store.update("/b", value, 1n),
      store.delete("/c", 1n),
    ];
    await Promise.all(writes.map((write) => assert.rejects(write, /may or may not have happened/)));
    const sent = [...one.calls, ...other.calls].filter((method) => method === "Txn");
    assert.equal(sent.length, writes.length);
    stop.abort();
    await run;
  });

  it("reads the past of the first watcher apart from what happens now, so that it sets the pace", async () => {
    const keyspace = new Keyspace("/driftless");
    const starts: bigint[] = [];
    await using etcd = await fakeEtcd({
      answers: { Range: () => header(9n) },
      onWatch(watch, start) {
        starts.push(start);
        watch.write(watchCreated(9n));
        for (let revision = start; revision <= 9n; revision++) {
          const key = keyspace.toEtcd(`/${revision}`);
          watch.write(watchAnswer(revision, [{ key, revision }]));
        }
      },
    });
    const store = new EtcdStore({ ...base, endpoints: [etcd.url], maxPendingEvents: 2 });
    const stop = new AbortController();
    const run = store.run(stop.signal);
    await store.ready();
    const seen: bigint[] = [];
    for await (const batch of store.watch({ prefix: "", after: 1n, signal: stop.signal })) {
      seen.push(...batch.events.map(({ revision }) => revision));
      if (batch.revision >= 9n) stop.abort();
    }
    await run;
    assert.deepEqual(seen, [2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n]);
    assert.deepEqual(new Set(starts), new Set([10n, 2n]), "one for now, one for the past");
  });
});
