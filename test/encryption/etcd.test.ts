// Encryption over real etcd: the store's contract, and servers that begin at once without knowing of each other.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { CaptureLogger } from "../../src/base/testing/capture-logger.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { EncryptedStore } from "../../src/storage/encryption/encrypted-store.ts";
import { readKeyFile } from "../../src/storage/encryption/key-file.ts";
import { encryptedContract } from "../../src/storage/encryption/testing/encrypted-contract.ts";
import { bytes, mustWrite, text } from "../../src/storage/testing/test-writes.ts";
import { ClusterPool, etcdStore } from "../etcd/cluster-pool.ts";
import { etcdBinary } from "../etcd/etcd-binaries.ts";
import { EtcdCluster } from "../etcd/etcd-cluster.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import { driftless } from "./driftless-command.ts";

const found = await etcdBinary("3.5");
const binary = found.ok ? found.path : "";
const pool = new ClusterPool(binary);
after(() => pool[Symbol.asyncDispose]());

encryptedContract({
  name: "EtcdStore on etcd 3.5",
  isShared: true,
  ...(!found.ok && { skip: found.reason }),
  open: (options) => pool.open(options),
});

describe("servers on one empty etcd", { skip: found.ok ? false : found.reason }, () => {
  it("that start at once with key files of their own: one decides, the others refuse", async () => {
    using dir = tempDir();
    await using cluster = await EtcdCluster.start({ binary });
    const servers = Array.from({ length: 4 }, (_, i) =>
      run(cluster.endpoints, dir.join(`server-${i}`, "encryption.key")),
    );

    const outcomes = await Promise.all(servers.map(({ outcome }) => outcome));

    const serving = servers.filter((_, i) => outcomes[i] === "serving");
    assert.equal(serving.length, 1, outcomes.join("\n"));
    for (const outcome of outcomes.filter((one) => one !== "serving")) {
      assert.match(outcome, /encrypted with the key [0-9a-f]{16}, which ".*" does not have/);
    }
    for (const server of servers) await server.stop();
  });

  it("that share a key file read each other's values", async () => {
    using dir = tempDir();
    await using cluster = await EtcdCluster.start({ binary });
    const file = dir.join("encryption.key");
    const [one, two] = [run(cluster.endpoints, file), run(cluster.endpoints, file)];
    assert.deepEqual(await Promise.all([one.outcome, two.outcome]), ["serving", "serving"]);

    await mustWrite(one.store.create("core/secrets/a", bytes('{"a":1}')));

    assert.equal(text((await two.store.get("core/secrets/a")).item?.value), '{"a":1}');
    await Promise.all([one.stop(), two.stop()]);
  });
});

describe("driftless on etcd", { skip: found.ok ? false : found.reason }, () => {
  it("backs up ciphertext, shows its keys, and lets in only servers that have them", async () => {
    using dir = tempDir();
    await using cluster = await EtcdCluster.start({ binary });
    const store = ["--store", `etcd:${cluster.endpoints.join()}`];
    // Revisions are encrypted too: here only what is created is to be counted.
    const alone = [...store, "--config-history", "0"];
    await using server = await DriftlessServer.start({ dataDir: dir.join("one"), flags: alone });
    const value = Buffer.from("nobody may find this").toString("base64");
    const path = "/api/v1/namespaces/default/secrets";
    await server.fetch("POST", path, { metadata: { name: "a" }, data: { value } });
    const keyFile = dir.join("one", "encryption.key");
    const id = readKeyFile(keyFile)?.[0].id;

    const status = await driftless("encryption", "status", "--data-dir", dir.join("one"), ...store);
    assert.match(status.output, new RegExp(`^${id} +1 +writes$`, "m"), status.errors);
    const backup = await driftless("backup", dir.join("backup"), ...store);
    assert.match(backup.output, new RegExp(`encrypted with ${id}`), backup.errors);
    const bytesOfBackup = readFileSync(dir.join("backup"));
    assert.ok(bytesOfBackup.includes("core/secrets/default/a"));
    assert.equal(bytesOfBackup.includes(value), false);
    await assert.rejects(
      DriftlessServer.start({ dataDir: dir.join("two"), flags: store }),
      new RegExp(`encrypted with the key ${id}, and there is no key file`),
    );
    const flags = [...store, "--encryption-key", keyFile];
    await using two = await DriftlessServer.start({ dataDir: dir.join("two"), flags });
    assert.ok((await two.fetch("GET", `${path}/a`)).text.includes(value));
  });
});

interface Server {
  readonly store: EncryptedStore;
  /** "serving", or why it refused. */
  readonly outcome: Promise<string>;
  stop(): Promise<void>;
}

function run(endpoints: readonly string[], keyFile: string): Server {
  const store = new EncryptedStore({
    store: etcdStore({ endpoints }),
    prefixes: ["core/secrets/"],
    keyFile,
    clock: systemClock,
    logger: new CaptureLogger(),
  });
  const stop = new AbortController();
  const running = store.run(stop.signal);
  const ended = Promise.allSettled([running]);
  const outcome = store.ready().then(
    () => "serving",
    (err: unknown) => String(err),
  );
  return {
    store,
    outcome,
    async stop() {
      stop.abort();
      await ended;
    },
  };
}
