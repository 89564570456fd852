// A real server: what is on its disk, what it refuses, and the commands beside it.

import assert from "node:assert/strict";
import { chmodSync, globSync, readFileSync, rmSync, statSync } from "node:fs";
import { describe, it } from "node:test";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { readKeyFile } from "../../src/storage/encryption/key-file.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import { driftless } from "./driftless-command.ts";

const SECRET = "nobody-may-find-this-on-a-disk";
const CONFIG = "everybody-may-find-this-on-a-disk";
const secrets = "/api/v1/namespaces/default/secrets";

/** Names of the files below a directory that have one of these byte strings. */
function filesWith(directory: string, ...texts: readonly (string | Buffer)[]): string[] {
  const files = globSync("**", { cwd: directory }).filter((name) =>
    statSync(`${directory}/${name}`).isFile(),
  );
  return files.filter((name) => {
    const content = readFileSync(`${directory}/${name}`);
    return texts.some((text) => content.includes(text));
  });
}

/** In every form in which it is on its way. */
const forms = [SECRET, base64(SECRET)];

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

async function create(server: DriftlessServer, name: string, value = SECRET): Promise<void> {
  const { status, text } = await server.fetch("POST", secrets, {
    metadata: { name },
    stringData: { password: value },
  });
  assert.equal(status, 201, text);
}

async function passwordOf(server: DriftlessServer, name: string): Promise<string> {
  const { status, text } = await server.fetch("GET", `${secrets}/${name}`);
  assert.equal(status, 200, text);
  const { data } = JSON.parse(text) as { data: { password: string } };
  return Buffer.from(data.password, "base64").toString();
}

function start(dir: TempDir, ...flags: readonly string[]): Promise<DriftlessServer> {
  return DriftlessServer.start({ dataDir: dir.join("data"), flags });
}

describe("a server's disk", () => {
  it("has no byte of a Secret's value: created, updated, deleted; running, killed, stopped, backed up", async () => {
    using dir = tempDir();
    const data = dir.join("data");
    {
      await using server = await start(dir);
      await create(server, "kept");
      await create(server, "deleted");
      const metadata = { name: "kept" };
      const data64 = { password: base64(`${SECRET}-2`) };
      await server.fetch("PUT", `${secrets}/kept`, { metadata, data: data64 });
      await server.fetch("DELETE", `${secrets}/deleted`);
      const configMap = { metadata: { name: "a" }, data: { a: CONFIG } };
      await server.fetch("POST", "/api/v1/namespaces/default/configmaps", configMap);

      assert.notDeepEqual(filesWith(data, CONFIG), [], "what is not encrypted is found");
      assert.deepEqual(filesWith(data, ...forms), []);
      await server.kill();
      assert.deepEqual(filesWith(data, ...forms), []);
    }
    await using server = await start(dir);
    assert.equal(await passwordOf(server, "kept"), `${SECRET}-2`);
    const backup = await driftless("backup", dir.join("backup"), "--data-dir", data);
    assert.equal(backup.code, 0, backup.errors);
    await server.stop();
    assert.deepEqual(filesWith(dir.path, CONFIG).sort(), ["backup", "data/store/driftless.db"]);
    assert.deepEqual(filesWith(dir.path, ...forms), []);
  });

  it("has the key in one file only, which is neither in the store nor in a backup nor in the log", async () => {
    using dir = tempDir();
    await using server = await start(dir);
    await create(server, "a");
    await driftless("backup", dir.join("backup"), "--data-dir", dir.join("data"));
    const file = dir.join("data", "encryption.key");
    const [, encoded = ""] = readKeyFile(file)?.[0].toLine().split(" ") ?? [];
    const key = Buffer.from(encoded, "base64");
    assert.deepEqual(filesWith(dir.path, encoded), ["data/encryption.key"]);
    assert.deepEqual(filesWith(dir.path, key, key.toString("hex")), []);
    assert.equal(server.log.includes(encoded), false);
  });
});

describe("a server refuses to start", () => {
  it("without the key file of its store, and leaves everything as it was", async () => {
    using dir = tempDir();
    const file = dir.join("data", "encryption.key");
    await (await start(dir))[Symbol.asyncDispose]();
    const id = readKeyFile(file)?.[0].id;
    rmSync(file);
    await assert.rejects(
      start(dir),
      new RegExp(`the key ${id}, and there is no key file "${file}"`),
    );
    assert.equal(readKeyFile(file), undefined);
  });

  it("with a key file that others can read", async () => {
    using dir = tempDir();
    const file = dir.join("data", "encryption.key");
    await (await start(dir))[Symbol.asyncDispose]();
    chmodSync(file, 0o640);
    await assert.rejects(start(dir), /others can use it, with mode 0640; run: chmod 600/);
  });
});

describe("driftless encryption", () => {
  it("rotates the key of a running server, and shows how it stands", async () => {
    using dir = tempDir();
    const at = ["--data-dir", dir.join("data")];
    const file = dir.join("data", "encryption.key");
    // Revisions are encrypted too: here only what is created is to be counted.
    await using server = await start(dir, "--config-history", "0");
    for (const name of ["a", "b", "c"]) await create(server, name);
    const [old] = readKeyFile(file) ?? [];
    const before = await driftless("encryption", "status", ...at);
    assert.match(before.output, new RegExp(`^${old?.id} +3 +writes$`, "m"));

    const rotated = await driftless("encryption", "rotate", ...at);
    assert.equal(rotated.code, 0, rotated.errors);
    const [now] = readKeyFile(file) ?? [];
    assert.notEqual(now?.id, old?.id);

    let status = "";
    while (!new RegExp(`^${now?.id} +3 +writes$`, "m").test(status)) {
      status = (await driftless("encryption", "status", ...at)).output;
    }
    assert.match(status, new RegExp(`^${old?.id} +0 +reads, still needed$`, "m"));
    const pruned = await driftless("encryption", "prune", ...at);
    assert.match(pruned.output, /there is no key to remove/);
    await create(server, "d");
    for (const name of ["a", "b", "c", "d"]) assert.equal(await passwordOf(server, name), SECRET);
  });

  it("stages a key at the end of the file, and lets servers write with it later", async () => {
    using dir = tempDir();
    const at = ["--data-dir", dir.join("data")];
    const file = dir.join("data", "encryption.key");
    await (await start(dir))[Symbol.asyncDispose]();
    const [first] = readKeyFile(file) ?? [];

    await driftless("encryption", "rotate", "--stage", ...at);
    const [still, staged] = readKeyFile(file) ?? [];
    assert.equal(still?.id, first?.id);
    await driftless("encryption", "rotate", "--use", staged?.id ?? "", ...at);

    assert.deepEqual(
      readKeyFile(file)?.map(({ id }) => id),
      [staged?.id, first?.id],
    );
    const unknown = await driftless("encryption", "rotate", "--use", "0123456789abcdef", ...at);
    assert.equal(unknown.code, 2);
    assert.match(unknown.errors, /there is no such key/);
  });
});

describe("a backup", () => {
  it("says which keys it needs, and restore warns when they are not there", async () => {
    using dir = tempDir();
    const file = dir.join("data", "encryption.key");
    {
      await using server = await start(dir);
      await create(server, "a");
    }
    const id = readKeyFile(file)?.[0].id ?? "";
    const backup = await driftless("backup", dir.join("backup"), "--data-dir", dir.join("data"));
    assert.match(backup.output, new RegExp(`encrypted with ${id}: that is not in it`));

    const there = ["--data-dir", dir.join("there")];
    const restored = await driftless("restore", dir.join("backup"), ...there);
    assert.equal(restored.code, 0, restored.errors);
    assert.match(restored.errors, new RegExp(`encrypted with ${id}, which .* does not have`));

    const withKey = ["--data-dir", dir.join("with"), "--encryption-key", file];
    const silent = await driftless("restore", dir.join("backup"), ...withKey);
    assert.equal(silent.errors, "");
    await using server = await DriftlessServer.start({
      dataDir: dir.join("with"),
      flags: ["--encryption-key", file],
    });
    assert.equal(await passwordOf(server, "a"), SECRET);
  });
});
