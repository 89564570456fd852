import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { EtcdStore } from "./etcd-store.ts";
import { fakeEtcd, header } from "./testing/fake-etcd.ts";

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
});
