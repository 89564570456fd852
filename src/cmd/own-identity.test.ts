import { deepEqual, equal, match, notEqual, rejects } from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { before, describe, it } from "node:test";
import type { Enrolment } from "../apiserver/join/own-machine.ts";
import { type CertificateAndKey, createAuthority, sign } from "../apiserver/pki/issue.ts";
import { FakeClock } from "../base/testing/fake-clock.ts";
import { tempDir } from "../base/testing/temp-dir.ts";
import { type OwnIdentityOptions, ownIdentity } from "./own-identity.ts";

const nowMs = new FakeClock().now();
const server = "https://127.0.0.1:8443";

describe("ownIdentity", () => {
  let authority: CertificateAndKey;
  before(async () => {
    authority = await createAuthority({ commonName: "driftless", nowMs, days: 10 });
  });

  /** Signs for everybody, and remembers who asked. */
  function optionsFor(dataDir: string, asked: Enrolment[] = []): OwnIdentityOptions {
    const enrol = async (enrolment: Enrolment): Promise<string> => {
      asked.push(enrolment);
      const { nodeName, key, held } = enrolment;
      const publicKey = createPublicKey(key).export({ type: "spki", format: "der" });
      const commonName = `system:node:${nodeName}`;
      const subject = {
        commonName,
        publicKey: new Uint8Array(publicKey),
        usages: ["clientAuth"] as const,
      };
      return held ?? sign({ authority, nowMs, lifeMs: 3600_000, ...subject });
    };
    return {
      ...{ dataDir, server, nodeName: undefined, hostname: "Laptop" },
      authority: authority.certificate,
      ownMachine: { enrol },
    };
  }

  it("is called as the machine, and is the same at the next start", async () => {
    using dir = tempDir();
    const asked: Enrolment[] = [];
    const first = await ownIdentity(optionsFor(dir.path, asked));
    equal(first.nodeName, "laptop");
    equal(first.connection.server, server);
    const file = dir.join("node/identity.pem");
    const held = readFileSync(file, "utf8");
    // Another name of the machine does not make it another node.
    const second = await ownIdentity({ ...optionsFor(dir.path, asked), hostname: "other" });
    equal(second.nodeName, "laptop");
    equal(readFileSync(file, "utf8"), held);
    deepEqual(
      asked.map(({ mayReplace }) => mayReplace),
      [false, true],
    );
  });

  it("follows the server to another port", async () => {
    using dir = tempDir();
    await ownIdentity(optionsFor(dir.path));
    const moved = "https://127.0.0.1:9443";
    const { connection } = await ownIdentity({ ...optionsFor(dir.path), server: moved });
    equal(connection.server, moved);
  });

  it("may take its own place with a new key after its files were removed", async () => {
    using dir = tempDir();
    const asked: Enrolment[] = [];
    await ownIdentity(optionsFor(dir.path, asked));
    rmSync(dir.join("node"), { recursive: true });
    await ownIdentity(optionsFor(dir.path, asked));
    const [first, second] = asked;
    notEqual(first?.key, second?.key);
    equal(second?.mayReplace, true);
  });

  it("is not given to a machine that is another node, or another server's", async () => {
    using dir = tempDir();
    await ownIdentity(optionsFor(dir.path));
    await rejects(ownIdentity({ ...optionsFor(dir.path), nodeName: "n2" }), (err: Error) => {
      match(err.message, /^--node-name n2: this machine is the node laptop already\. .*--drain/);
      return true;
    });
    const other = await createAuthority({ commonName: "other", nowMs, days: 10 });
    const elsewhere = {
      ...optionsFor(dir.path),
      server: "https://127.0.0.1:1",
      authority: other.certificate,
    };
    await rejects(
      ownIdentity(elsewhere),
      /it is a node of https:\/\/127\.0\.0\.1:8443\. .*--no-node/,
    );
  });
});
