// What `driftless up` says when it cannot start: what is wrong, and what to do about it.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { tmpfs } from "../support/tmpfs.ts";
import { type DriftlessUp, type Ended, program, UpDirectory } from "./driftless-up.ts";

/** Nothing of this is about nodes. */
const bare = ["--no-node"];

async function refused(up: DriftlessUp): Promise<Ended> {
  const ended = await up.end();
  assert.doesNotMatch(ended.stdout, /ready/);
  return ended;
}

describe("driftless up that cannot start", () => {
  it("says that the port is taken, and names another one", async () => {
    await using directory = new UpDirectory();
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    try {
      const listen = `127.0.0.1:${port}`;
      const { code, stderr } = await refused(directory.begin({ listen, flags: bare }));
      assert.equal(code, 1);
      assert.match(
        stderr,
        new RegExp(
          `^driftless: Cannot listen on ${listen}: another program does\\. Stop that one, or choose another port: --listen 127\\.0\\.0\\.1:\\d+`,
        ),
      );
    } finally {
      taken.close();
    }
  });

  it("says who has the data directory", async () => {
    await using directory = new UpDirectory();
    const first = await directory.start({ flags: bare });
    const { code, stderr } = await refused(directory.begin({ flags: bare }));
    assert.equal(code, 1);
    assert.match(
      stderr,
      new RegExp(
        `Cannot use ${directory.path}: "driftless up" runs on it \\(pid ${first.process.pid}\\)\\. Stop that one first`,
      ),
    );
  });

  it("says that a server on its own has the data directory", async () => {
    await using directory = new UpDirectory();
    await (await directory.start({ flags: bare })).end("SIGTERM");
    const argv = [program, "server", "--data-dir", directory.path, "--listen", "127.0.0.1:0"];
    const server = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "ignore"] });
    try {
      await once(server.stdout, "data");
      const { code, stderr } = await refused(directory.begin({ flags: bare }));
      assert.equal(code, 1);
      assert.match(
        stderr,
        /^driftless: Cannot open .*: another process is using this data directory/,
      );
    } finally {
      const ended = once(server, "exit");
      server.kill();
      await ended;
    }
  });

  it("takes wrong flags for misuse, and makes nothing", async () => {
    await using directory = new UpDirectory();
    const { code, stderr } = await refused(directory.begin({ flags: ["--store", "nope"] }));
    assert.equal(code, 2);
    assert.match(stderr, /--store nope: must be sqlite, memory, or etcd:URL/);
    const level = await refused(directory.begin({ flags: ["--log-level", "loud"] }));
    assert.deepEqual(
      [level.code, /--log-level loud: must be one of/.test(level.stderr)],
      [2, true],
    );
  });

  it("says that the data directory cannot be written", async (t) => {
    await using directory = new UpDirectory();
    writeFileSync(directory.path, "a file is in its place");
    const { code, stderr } = await refused(directory.begin({ flags: bare }));
    assert.equal(code, 1);
    assert.match(
      stderr,
      /Cannot write to the data directory \S+: choose another one with --data-dir/,
    );

    using disk = tmpfs("size=1m");
    if ("reason" in disk) return t.skip(disk.reason);
    execFileSync("mount", ["-o", "remount,ro", disk.path]);
    const read = await refused(directory.begin({ flags: [...bare, "--data-dir", disk.path] }));
    assert.equal(read.code, 1);
    assert.match(
      read.stderr,
      /Cannot write to the data directory \S+: choose another one with --data-dir/,
    );
  });

  it("says that the disk is full", async (t) => {
    await using directory = new UpDirectory();
    using disk = tmpfs("size=64k");
    if ("reason" in disk) return t.skip(disk.reason);
    try {
      writeFileSync(join(disk.path, "large"), Buffer.alloc(64 * 1024));
    } catch {
      // That is what is wanted.
    }
    const { code, stderr } = await refused(
      directory.begin({ flags: [...bare, "--data-dir", disk.path] }),
    );
    assert.equal(code, 1);
    assert.match(
      stderr,
      /Cannot write to the data directory \S+: the disk is full\. Free some space/,
    );
  });
});
