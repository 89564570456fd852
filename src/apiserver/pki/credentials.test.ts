import { deepEqual, equal, notEqual, rejects } from "node:assert/strict";
import { createPublicKey, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { parse } from "yaml";
import { CONTROLLERS_USER, type Credentials, loadCredentials } from "./credentials.ts";
import { kubeconfig } from "./kubeconfig.ts";

const nowMs = Date.UTC(2024, 0, 1);
const hosts = ["127.0.0.1", "localhost"];

function directoryFor(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "driftless-pki-"));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

function load(
  directory: string,
  more: readonly string[] = [],
  afterDays = 0,
): Promise<Credentials> {
  const at = nowMs + afterDays * 24 * 3600_000;
  return loadCredentials({ directory, hosts: [...hosts, ...more], nowMs: at });
}

function endOf({ certificate }: { readonly certificate: string }): number {
  return new X509Certificate(certificate).validToDate.getTime();
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

  it("gives the controllers a certificate of their own, if there is a key to make it with", async (t) => {
    const directory = directoryFor(t);
    const { controllers } = await load(directory);
    equal(new X509Certificate(controllers?.certificate ?? "").subject, `CN=${CONTROLLERS_USER}`);
    rmSync(join(directory, "ca.key"));
    deepEqual((await load(directory)).controllers, controllers);
    rmSync(join(directory, "controllers.crt"));
    equal((await load(directory)).controllers, undefined);
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

  it("renews a certificate when less than 30 days are left", async (t) => {
    const directory = directoryFor(t);
    const { server } = await load(directory);
    equal((await load(directory, [], 334)).server.certificate, server.certificate);
    notEqual((await load(directory, [], 336)).server.certificate, server.certificate);
  });

  it("issues nothing that outlives the authority, and renews what is short after two thirds", async (t) => {
    const directory = directoryFor(t);
    const { authority } = await load(directory);
    const { server } = await load(directory, [], 3641);
    equal(endOf(server), endOf(authority));
    equal((await load(directory, [], 3646)).server.certificate, server.certificate);
    notEqual((await load(directory, [], 3648)).server.certificate, server.certificate);
  });

  it("says what to do when the authority is over", async (t) => {
    const directory = directoryFor(t);
    await load(directory);
    await rejects(
      load(directory, [], 3651),
      /authority ended on 2033-12-29T.*remove pki\/ca\.crt and pki\/ca\.key .* every node join again/,
    );
  });

  it("keeps what a renamed signing key signed, and signs with a new one", async (t) => {
    const directory = directoryFor(t);
    const before = (await load(directory)).serviceAccount;
    deepEqual(before.olderKeys, []);
    renameSync(join(directory, "service-account.key"), join(directory, "service-account-2024.key"));
    const now = (await load(directory)).serviceAccount;
    notEqual(now.privateKey, before.privateKey);
    const publicKey = createPublicKey(before.privateKey).export({ type: "spki", format: "pem" });
    deepEqual(now.olderKeys, [publicKey]);
    rmSync(join(directory, "service-account-2024.key"));
    writeFileSync(join(directory, "service-account-old.pub"), publicKey);
    deepEqual((await load(directory)).serviceAccount, now);
  });
});

describe("kubeconfig", () => {
  it("keeps names that YAML would take for something else", () => {
    for (const user of [
      "admin",
      "no",
      "null",
      "12",
      "a: b",
      "ann@example.com",
      '"quoted"',
      "- x",
    ]) {
      const pair = { certificate: "c", key: "k" };
      const text = kubeconfig({ server: "https://a", authority: "x", user, credentials: pair });
      const read = parse(text) as { readonly users: readonly { readonly name: unknown }[] };
      equal(read.users[0]?.name, user);
    }
  });
});
