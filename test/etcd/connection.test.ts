// Ways to a cluster that fail, come back, or need a key: what works, and what is said when it does not.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { it } from "node:test";
import { Secret } from "../../src/base/secret.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import type { EtcdStoreOptions } from "../../src/storage/etcd/etcd-store.ts";
import { CompactedError, type Store, StoreUnavailableError } from "../../src/storage/store.ts";
import { etcdStore, PATIENT_CALL_MS } from "./cluster-pool.ts";
import { enableAuth } from "./etcd-auth.ts";
import { etcdBinary } from "./etcd-binaries.ts";
import { EtcdCluster } from "./etcd-cluster.ts";
import { runStores } from "./running-stores.ts";
import { TcpProxy } from "./tcp-proxy.ts";
import { tlsFiles } from "./tls-files.ts";
import { patiently, until } from "./traffic.ts";

type Options = Omit<EtcdStoreOptions, "clock" | "random" | "logger">;

const user = { name: "driftless", password: new Secret(Buffer.from("open sesame")) };
// What `etcdctl role grant-permission --prefix` makes of "/driftless/".
const keys = ["/driftless/", "/driftless0"] as const;
const account = { name: "driftless", password: "open sesame", keys };

const found = { "3.4": await etcdBinary("3.4"), "3.5": await etcdBinary("3.5") };

/** Elections of these clusters take a fifth of a second. */
const callTimeoutMs = 1500;
const bothLines = ["3.4", "3.5"] as const;

/** Where the two lines of versions might differ, both are tested. */
function test(
  name: string,
  body: (binary: string) => Promise<void>,
  lines: readonly ("3.4" | "3.5")[] = ["3.5"],
): void {
  for (const line of lines) {
    const binary = found[line];
    const skip = binary.ok ? false : binary.reason;
    it(`EtcdStore on ${line} ${name}`, { skip }, () => body(binary.ok ? binary.path : ""));
  }
}

test("uses the endpoint that works, beside a dead and a silent one", async (binary) => {
  await using cluster = await EtcdCluster.start({ binary });
  await using silent = await silentServer();
  const endpoints = [silent.url, "http://127.0.0.1:1", ...cluster.endpoints];
  // Several, because each begins with an endpoint by chance.
  await using running = await runStores(4, { endpoints });
  for (const [i, store] of running.stores.entries()) {
    assert.ok((await store.create(`/${i}`, bytes("x"))).ok);
    await store.check();
  }
});

test("goes on with the next endpoint when its own goes away, watches too", async (binary) => {
  await using cluster = await EtcdCluster.start({ binary, members: 3 });
  await using running = await runStores(1, { endpoints: cluster.endpoints, callTimeoutMs });
  const store = only(running.stores);
  const seen = watchKeys(store, await patiently(() => store.revision()));
  for (const [i, member] of cluster.members.entries()) {
    await member.kill();
    await patiently(() => store.create(`/${i}`, bytes("x")));
    await until(() => seen.has(`/${i}`), `the watch sees /${i}`);
    member.start();
    await cluster.serves();
  }
});

test("says so when too few members are left, and works again when they are back", async (binary) => {
  await using cluster = await EtcdCluster.start({ binary, members: 3 });
  await using running = await runStores(1, { endpoints: cluster.endpoints, callTimeoutMs });
  const store = only(running.stores);
  const [, ...gone] = cluster.members;
  await Promise.all(gone.map((member) => member.kill()));

  await assert.rejects(store.create("/a", bytes("x")), StoreUnavailableError);
  await assert.rejects(store.check(), (err) => {
    assert.ok(err instanceof StoreUnavailableError);
    for (const url of cluster.endpoints) assert.match(err.message, new RegExp(url));
    assert.match(err.message, /nothing is listening there/);
    return true;
  });

  for (const member of gone) member.start();
  await patiently(() => store.check());
  await patiently(() => store.create("/b", bytes("x")));
});

test(
  "delivers what was written while its connection was cut",
  async (binary) => {
    await using cluster = await EtcdCluster.start({ binary });
    await using proxy = await TcpProxy.start(only(cluster.endpoints));
    await using cut = await runStores(1, { endpoints: [proxy.url] });
    await using direct = await runStores(1, { endpoints: cluster.endpoints });
    const [watching, writing] = [only(cut.stores), only(direct.stores)];
    const seen = watchKeys(watching, await watching.revision());
    await writing.create("/before", bytes("x"));
    await until(() => seen.has("/before"), "the watch has begun");
    proxy.cut();
    for (let i = 0; i < 50; i++) await writing.create(`/during/${i}`, bytes("x"));
    proxy.mend();
    await writing.create("/after", bytes("x"));
    await until(() => seen.has("/after"), "the watch goes on");
    assert.equal(seen.size, 52);
  },
  bothLines,
);

test(
  "ends a watch with CompactedError when what it missed was compacted",
  async (binary) => {
    await using cluster = await EtcdCluster.start({ binary });
    await using proxy = await TcpProxy.start(only(cluster.endpoints));
    await using cut = await runStores(1, { endpoints: [proxy.url] });
    await using direct = await runStores(1, { endpoints: cluster.endpoints });
    const [watching, writing] = [only(cut.stores), only(direct.stores)];
    const { signal } = new AbortController();
    const after = await watching.revision();
    const watch = watching.watch({ prefix: "/", after, signal })[Symbol.asyncIterator]();
    await watch.next();
    await writing.create("/a", bytes("x"));
    const created = await writing.create("/b", bytes("x"));
    assert.ok(created.ok);
    for (let reached = after; reached < created.revision; ) {
      const { value } = await watch.next();
      assert.ok(value);
      reached = value.revision;
    }
    proxy.cut();
    // The one revision that it misses, a delete, is the compacted one: etcd itself would let that pass.
    const deleted = await writing.delete("/b", created.revision);
    assert.ok(deleted.ok);
    await writing.compact(deleted.revision);
    proxy.mend();
    await assert.rejects(
      async () => {
        for (;;) await watch.next();
      },
      (err) => err instanceof CompactedError && err.compacted === deleted.revision,
    );
    // A new list and watch work.
    const { items, revision } = await patiently(() => watching.range({ prefix: "/" }));
    assert.deepEqual(
      items.map(({ key }) => key),
      ["/a"],
    );
    const seen = watchKeys(watching, revision);
    await writing.create("/c", bytes("x"));
    await until(() => seen.has("/c"), "the new watch sees /c");
  },
  bothLines,
);

test("reads large ranges in parts, as of one revision", async (binary) => {
  await using cluster = await EtcdCluster.start({ binary });
  const { endpoints } = cluster;
  await using running = await runStores(1, { endpoints, callTimeoutMs: PATIENT_CALL_MS });
  const store = only(running.stores);
  const large = new Uint8Array(2 ** 20).fill(7);
  await Promise.all(
    Array.from({ length: 1500 }, (_, i) =>
      store.create(`/r/${String(i).padStart(4, "0")}`, i % 100 === 50 ? large : bytes(String(i))),
    ),
  );
  const revision = await store.revision();
  const writing = Promise.all(
    Array.from({ length: 20 }, (_, i) => store.create(`/r/1${i}`, large)),
  );
  const { items, remaining } = await store.range({ prefix: "/r/", revision });
  assert.equal(items.length, 1500);
  assert.equal(remaining, 0);
  const page = await store.range({ prefix: "/r/", after: "/r/0099", limit: 1000, revision });
  assert.equal(page.items.length, 1000);
  assert.equal(page.items[0]?.key, "/r/0100");
  assert.equal(page.remaining, 400);
  await writing;
});

test(
  "says what to set when a value is too large for etcd",
  async (binary) => {
    const flags = ["--max-request-bytes=1572864"];
    await using cluster = await EtcdCluster.start({ binary, flags });
    await using running = await runStores(1, { endpoints: cluster.endpoints });
    const store = only(running.stores);
    for (const bytesOfValue of [1_600_000, 3 * 2 ** 20]) {
      const write = store.create("/large", new Uint8Array(bytesOfValue));
      await assert.rejects(write, /"\/large".*--max-request-bytes/);
    }
    assert.equal((await store.get("/large")).item, undefined);
  },
  bothLines,
);

test(
  "does not expect writes to succeed when the database is full, and says so",
  async (binary) => {
    await using cluster = await EtcdCluster.start({
      binary,
      flags: ["--quota-backend-bytes=1000000"],
    });
    await using running = await runStores(1, { endpoints: cluster.endpoints });
    const store = only(running.stores);
    await assert.rejects(
      async () => {
        for (let i = 0; ; i++) await store.create(`/${i}`, new Uint8Array(100_000));
      },
      (err) =>
        err instanceof StoreUnavailableError && /database is full.*NOSPACE/.test(err.message),
    );
    await assert.rejects(store.check(), /alarm:NOSPACE/);
  },
  bothLines,
);

test("speaks TLS and shows its certificate", async (binary) => {
  using tls = tlsFiles();
  using stranger = tlsFiles();
  await using cluster = await EtcdCluster.start({ binary, tls, client: { tls: tls.client } });
  const { endpoints } = cluster;
  await using running = await runStores(1, { endpoints, tls: tls.client });
  assert.ok((await only(running.stores).create("/a", bytes("x"))).ok);

  await refusedBecause({ endpoints, tls: { ca: stranger.client.ca } }, /TLS failed.*certificate/);
  await refusedBecause({ endpoints, tls: { ca: tls.client.ca } }, /certificate|does not speak/);
  const plain = endpoints.map((url) => url.replace("https", "http"));
  await refusedBecause({ endpoints: plain }, /http or https/);
});

test(
  "authenticates, and again when a member does not know its token any more",
  async (binary) => {
    await using cluster = await EtcdCluster.start({ binary });
    await enableAuth(cluster, account);
    const { endpoints } = cluster;
    await using running = await runStores(1, { endpoints, user });
    const store = only(running.stores);
    const seen = watchKeys(store, await store.revision());
    assert.ok((await store.create("/a", bytes("x"))).ok);
    await until(() => seen.has("/a"), "the watch sees /a");
    const [member] = cluster.members;
    await member?.kill();
    member?.start();
    await patiently(() => store.create("/b", bytes("x")));
    await until(() => seen.has("/b"), "the watch sees /b");
    await store.check();

    const wrong = { ...user, password: new Secret(Buffer.from("open simsim")) };
    await refusedBecause({ endpoints, user: wrong }, /wrong user name or password/);
    await refusedBecause({ endpoints }, /user name and password/);
    await refusedBecause({ endpoints, user, prefix: "/other" }, /permission denied/);
  },
  bothLines,
);

/** Its run() goes on trying; meanwhile a call says what the matter is. */
async function refusedBecause(options: Options, expected: RegExp): Promise<void> {
  const logger = new CaptureLogger();
  const store = etcdStore(options, logger);
  const stop = new AbortController();
  const run = store.run(stop.signal);
  try {
    await until(
      () => logger.records.some(({ message }) => message === "etcd not reached yet"),
      "a try",
    );
    await assert.rejects(store.check(), (err) => {
      assert.ok(err instanceof StoreUnavailableError);
      assert.match(err.message, expected);
      return true;
    });
  } finally {
    stop.abort();
    await run;
  }
}

/** The keys that a watch delivers, as they come; each must come once. */
function watchKeys(store: Store, after: bigint): Set<string> {
  const { signal } = new AbortController();
  const seen = new Set<string>();
  const follow = async (): Promise<void> => {
    for await (const { events } of store.watch({ prefix: "/", after, signal })) {
      for (const { key } of events) {
        assert.ok(!seen.has(key), `${key} is delivered once`);
        seen.add(key);
      }
    }
  };
  follow().catch((err: unknown) => {
    // The end of the store ends its watches.
    assert.ok(err instanceof StoreUnavailableError, String(err));
  });
  return seen;
}

/** Takes connections and says nothing. */
async function silentServer(): Promise<{ readonly url: string } & AsyncDisposable> {
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((socket) => sockets.add(socket.on("error", () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function only<T>(list: readonly T[]): T {
  const [one] = list;
  assert.ok(one !== undefined);
  return one;
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text);
}
