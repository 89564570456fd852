import { deepEqual, equal, throws } from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { certificateRequest, newKey } from "./certificate-request.ts";
import { type KeyAndCertificate, NodeFiles } from "./node-files.ts";
import { loadIdentity } from "./node-identity.ts";
import { TestAuthority } from "./testing/test-authority.ts";

describe("NodeFiles", () => {
  let held: KeyAndCertificate;
  before(async () => {
    const authority = await TestAuthority.make();
    const key = await newKey();
    const csr = await certificateRequest(key);
    const span = { startMs: 0, endMs: 1e12 };
    held = { key, certificate: await authority.sign({ csr, nodeName: "n1", ...span }) };
  });
  const never = async (): Promise<string> => {
    throw new Error("a second key was made");
  };

  it("remembers the key with which a machine asked to join, until it has joined", async () => {
    using directory = tempDir();
    const files = new NodeFiles({ dataDir: directory.path });
    equal(await files.joiningKey(async () => held.key), held.key);
    equal(await files.joiningKey(never), held.key);
    equal(files.isMember, false);
    files.becomeMember({ ...held, server: "https://s:1", authority: "CA" });
    equal(files.isMember, true);
    equal(existsSync(directory.join("node", "joining.key")), false);
    equal(await files.joiningKey(never), held.key);
  });

  it("makes another key if the one that it had cannot be read", async () => {
    using directory = tempDir();
    directory.write({ "node/joining.key": "half a k" });
    const files = new NodeFiles({ dataDir: directory.path });
    equal(await files.joiningKey(async () => held.key), held.key);
  });

  it("gives an identity that follows what is renewed", async () => {
    using directory = tempDir();
    directory.write({ "node/.keep": "" });
    const files = new NodeFiles({ dataDir: directory.path });
    equal(loadIdentity(files), undefined);
    files.becomeMember({ ...held, server: "https://s:1", authority: "CA" });
    const identity = loadIdentity(files);
    equal(identity?.nodeName, "n1");
    equal(identity.connection.server, "https://s:1");
    const { followed } = identity.connection;
    const now = (): readonly (string | undefined)[] =>
      [followed?.authority, followed?.certificate].map((one) =>
        typeof one === "function" ? one() : one,
      );
    deepEqual(now(), ["CA", `${held.certificate.trim()}\n${held.key}`]);
    files.renew({ ...held, certificate: `${held.certificate}\n\n` });
    files.renew({ key: "K", certificate: "C" });
    deepEqual(now(), ["CA", "C\nK\n"]);
  });

  it("refuses a damaged identity, and says which file it is", () => {
    using directory = tempDir();
    directory.write({ "node/kubeconfig": "{}", "node/identity.pem": held.key });
    const files = new NodeFiles({ dataDir: directory.path });
    throws(() => loadIdentity(files), /identity\.pem: it is not a key and its certificate/);
    writeFileSync(directory.join("node", "identity.pem"), "");
    throws(() => files.identity(), /identity\.pem/);
  });
});
