import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { status } from "@grpc/grpc-js";
import { systemClock } from "../../base/clock.ts";
import { Secret } from "../../base/secret.ts";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { StoreUnavailableError } from "../store.ts";
import { EtcdClient } from "./etcd-client.ts";
import type { EtcdUser } from "./login.ts";
import { encodeRange, encodeWrite, rangeRpc, writeRpc } from "./messages.ts";
import { ProtoWriter } from "./protobuf.ts";
import { type Answer, type FakeEtcd, fakeEtcd, header } from "./testing/fake-etcd.ts";

const range = encodeRange({ key: "/a" });
const write = encodeWrite({ key: "/a", expected: 0n, value: Buffer.from("x") });
const reading = { what: 'read "/a"', isRepeatable: true };
const writing = { what: 'create "/a"', isRepeatable: false };
const never = new Promise<Answer>(() => undefined);

function refusal(code: status, details: string): () => Answer {
  return () => ({ code, details });
}

function using(client: EtcdClient): EtcdClient & Disposable {
  return Object.assign(client, { [Symbol.dispose]: () => client.close() });
}

/** It begins with the first endpoint. */
function clientOf(
  members: readonly { readonly url: string }[],
  { user, callTimeoutMs = 2000 }: { user?: EtcdUser; callTimeoutMs?: number } = {},
): EtcdClient & Disposable {
  return using(
    new EtcdClient({
      endpoints: members.map(({ url }) => url),
      ...(user && { user }),
      callTimeoutMs,
      clock: systemClock,
      random: { next: () => 0, uint32: () => 0 },
      logger: new CaptureLogger(),
    }),
  );
}

function count({ calls }: FakeEtcd, method: string): number {
  return calls.filter((call) => call === method).length;
}

describe("EtcdClient", () => {
  it("refuses an etcd that is too old, and says which it is", async () => {
    await using old = await fakeEtcd({ version: "3.3.27" });
    using client = clientOf([old], { callTimeoutMs: 200 });
    await assert.rejects(client.call(rangeRpc, range, reading), (err) => {
      assert.ok(err instanceof StoreUnavailableError);
      assert.match(err.message, /Cannot read "\/a".*it is etcd 3\.3\.27: 3\.4 or later is needed/);
      return true;
    });
  });

  it("says that a gRPC server is not an etcd", async () => {
    const unknown = refusal(status.UNIMPLEMENTED, "unknown service etcdserverpb.Maintenance");
    await using other = await fakeEtcd({ answers: { Status: unknown } });
    using client = clientOf([other], { callTimeoutMs: 200 });
    await assert.rejects(client.call(rangeRpc, range, reading), /it is not an etcd 3/);
  });

  it("says that a web server does not speak gRPC", async () => {
    const server = createServer((_, response) => response.end("hello"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    using client = clientOf([{ url: `http://127.0.0.1:${port}` }], { callTimeoutMs: 200 });
    await assert.rejects(client.call(rangeRpc, range, reading), /http or https|not an etcd/);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it("says that nothing is listening, at each endpoint that it tried", async () => {
    const members = [{ url: "http://127.0.0.1:1" }, { url: "http://127.0.0.1:2" }];
    using client = clientOf(members, { callTimeoutMs: 200 });
    await assert.rejects(
      client.call(rangeRpc, range, reading),
      /127\.0\.0\.1:1: nothing is listening there.*127\.0\.0\.1:2: nothing is listening there/,
    );
  });

  it("does not use a member of another cluster", async () => {
    const down = refusal(status.UNAVAILABLE, "etcdserver: no leader");
    let isDown = false;
    const Range = (): Answer => (isDown ? down() : header(5n));
    await using ours = await fakeEtcd({ answers: { Range } });
    await using other = await fakeEtcd({ clusterId: 8n });
    using client = clientOf([ours, other], { callTimeoutMs: 500 });
    assert.equal((await client.call(rangeRpc, range, reading)).revision, 5n);
    isDown = true;
    await assert.rejects(client.call(rangeRpc, range, reading), StoreUnavailableError);
    assert.equal(count(other, "Range"), 0);
  });

  it("sends a write once when there is no answer, and says that it may have happened", async () => {
    const answers = { Txn: () => never };
    await using silent = await fakeEtcd({ answers });
    await using other = await fakeEtcd({ answers });
    using client = clientOf([silent, other], { callTimeoutMs: 300 });
    await assert.rejects(client.call(writeRpc, write, writing), (err) => {
      assert.ok(err instanceof StoreUnavailableError);
      assert.match(err.message, /did not answer in time; the write may or may not have happened/);
      return true;
    });
    assert.equal(count(silent, "Txn") + count(other, "Txn"), 1);
  });

  it("sends a write once when the connection drops, and says that it may have happened", async () => {
    let drop = (): void => undefined;
    const Txn = (): Promise<Answer> => {
      drop();
      return never;
    };
    await using dropping = await fakeEtcd({ answers: { Txn } });
    await using other = await fakeEtcd({ answers: { Txn } });
    drop = () => dropping.drop();
    using client = clientOf([dropping, other]);
    await assert.rejects(client.call(writeRpc, write, writing), /may or may not have happened/);
    assert.equal(count(dropping, "Txn") + count(other, "Txn"), 1);
  });

  it("sends a write once when etcd says that it has timed out", async () => {
    const Txn = refusal(status.UNAVAILABLE, "etcdserver: request timed out");
    await using slow = await fakeEtcd({ answers: { Txn } });
    await using other = await fakeEtcd({ answers: { Txn } });
    using client = clientOf([slow, other]);
    await assert.rejects(client.call(writeRpc, write, writing), /may or may not have happened/);
    assert.equal(count(slow, "Txn") + count(other, "Txn"), 1);
  });

  it("does not say that a write which etcd refused may have happened", async () => {
    const Txn = refusal(status.PERMISSION_DENIED, "etcdserver: permission denied");
    await using strict = await fakeEtcd({ answers: { Txn } });
    using client = clientOf([strict]);
    await assert.rejects(client.call(writeRpc, write, writing), (err) => {
      assert.ok(err instanceof StoreUnavailableError);
      assert.match(err.message, /permission denied$/);
      return true;
    });
  });

  for (const [who, details] of [
    ["a learner", "etcdserver: rpc not supported for learner"],
    ["a member without a leader", "etcdserver: no leader"],
  ] as const) {
    it(`takes a write that ${who} turned away to another member`, async () => {
      await using one = await fakeEtcd({ answers: { Txn: refusal(status.UNAVAILABLE, details) } });
      await using other = await fakeEtcd({ answers: { Txn: () => header(7n).varint(2, 1) } });
      using client = clientOf([one, other]);
      const { succeeded, revision } = await client.call(writeRpc, write, writing);
      assert.deepEqual({ succeeded, revision }, { succeeded: true, revision: 7n });
      assert.equal(count(one, "Txn"), 1);
    });
  }

  it("takes a read to another member when there is no answer", async () => {
    await using silent = await fakeEtcd({ answers: { Range: () => never } });
    await using other = await fakeEtcd({ answers: { Range: () => header(7n) } });
    using client = clientOf([silent, other], { callTimeoutMs: 10_000 });
    assert.equal((await client.call(rangeRpc, range, reading)).revision, 7n);
    // The next one does not begin with the silent member.
    assert.equal((await client.call(rangeRpc, range, reading)).revision, 7n);
    assert.equal(count(silent, "Range"), 1);
  });

  it("gets a new token when its own is refused, once for all who were refused", async () => {
    let logins = 0;
    const answers = {
      Authenticate: (): Answer => new ProtoWriter().text(2, `token-${++logins}`),
      Range: (_: Buffer, token?: string): Answer =>
        token === "token-1"
          ? { code: status.UNAUTHENTICATED, details: "etcdserver: invalid auth token" }
          : header(7n),
    };
    await using member = await fakeEtcd({ answers });
    const user = { name: "u", password: new Secret(Buffer.from("p")) };
    using client = clientOf([member], { user });
    const reads = Array.from({ length: 20 }, () => client.call(rangeRpc, range, reading));
    for (const { revision } of await Promise.all(reads)) assert.equal(revision, 7n);
    assert.equal(logins, 2);
  });

  it("ends calls that are under way when it is closed", async () => {
    await using silent = await fakeEtcd({ answers: { Txn: () => never } });
    using client = clientOf([silent], { callTimeoutMs: 60_000 });
    const call = client.call(writeRpc, write, writing);
    const rejected = assert.rejects(call, /the store was stopped; the write may or may not/);
    while (count(silent, "Txn") === 0) await systemClock.sleep(1);
    client.close();
    await rejected;
    await assert.rejects(client.call(rangeRpc, range, reading), /the store was stopped/);
  });
});
