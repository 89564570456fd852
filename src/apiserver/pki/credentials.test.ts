import { deepEqual, equal, notEqual, rejects } from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { type Credentials, loadCredentials } from "./credentials.ts";

const nowMs = Date.UTC(2024, 0, 1);
const hosts = ["127.0.0.1", "localhost"];

function directoryFor(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "driftless-pki-"));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

function load(directory: string, more: readonly string[] = []): Promise<Credentials> {
  return loadCredentials({ directory, hosts: [...hosts, ...more], nowMs });
}

describe("loadCredentials", () => {
  it("keeps what it made", async (t) => {
    const directory = directoryFor(t);
    deepEqual(await load(directory), await load(directory));
  });

  it("makes no new authority when the key of the old one is missing", async (t) => {
    const directory = directoryFor(t);
    const { authority } = await load(directory);
    rmSync(join(directory, "ca.key"));
    equal((await load(directory)).authority.certificate, authority.certificate);
    await rejects(load(directory, ["another.host"]), /server\.crt: .*ca\.key is missing/);
    equal(readFileSync(join(directory, "ca.crt"), "utf8"), authority.certificate);
  });

  it("says which file is damaged", async (t) => {
    for (const name of ["ca.crt", "ca.key", "server.crt", "admin.key", "service-account.key"]) {
      const directory = directoryFor(t);
      await load(directory);
      writeFileSync(join(directory, name), "-----BEGIN NOTHING-----\n");
      await rejects(load(directory), new RegExp(`Cannot read .*${name}: it is not a`));
    }
  });

  it("finishes a renewal that was cut short after the key", async (t) => {
    const directory = directoryFor(t);
    const { server, admin } = await load(directory);
    writeFileSync(join(directory, "server.key"), admin.key);
    notEqual((await load(directory)).server.certificate, server.certificate);
  });
});
