import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { before, describe, it } from "node:test";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { type CertificateAndKey, createAuthority } from "../pki/issue.ts";
import type { KeyHash } from "../pki/key-hash.ts";
import type { UserInfo } from "../user.ts";
import { JoinApi, type JoinExchange } from "./join-api.ts";
import { JoinTokens } from "./join-tokens.ts";
import { type NodeCertificate, NodeCertificates } from "./node-certificates.ts";
import { NodeMembers } from "./node-members.ts";
import { newMachine } from "./testing/machine.ts";
import { type StoredObjects, storedObjects } from "./testing/stored-objects.ts";
import { tokenSecret } from "./token-secret.ts";

const DAY_MS = 24 * 3600_000;
const bootstrapper: UserInfo = {
  name: "system:bootstrap:abcdef",
  groups: ["system:bootstrappers"],
};

interface Running extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly stored: StoredObjects;
  readonly ask: (exchange: Partial<JoinExchange>, body: object) => Promise<NodeCertificate>;
}

describe("JoinApi", () => {
  let authority: CertificateAndKey;
  before(async () => {
    const nowMs = new FakeClock().now();
    authority = await createAuthority({ commonName: "driftless", nowMs, days: 100 });
  });

  /** With a token that is good for a year, for the node if one is named. */
  async function running(nodeName = ""): Promise<Running> {
    const clock = new FakeClock();
    const stored = await storedObjects();
    const { objects, secrets, nodes } = stored;
    const token = { id: "abcdef", secret: "0".repeat(16), salt: "1" };
    const expiresMs = clock.now() + 365 * DAY_MS;
    await stored.create(secrets, tokenSecret({ ...token, expiresMs, nodeName, description: "" }));
    const api = new JoinApi({
      tokens: new JoinTokens({ objects, secrets, clock, logger: new CaptureLogger() }),
      members: new NodeMembers({ objects, nodes, clock }),
      certificates: new NodeCertificates({ authority, clock }),
      serverHosts: ["N1.example.com", "10.0.0.1", "fd00:0::1"],
    });
    const defaults = {
      method: "POST",
      path: "/driftless/v1/join",
      user: bootstrapper,
      peerKey: undefined,
    };
    return {
      clock,
      stored,
      async ask(exchange, body) {
        const content = async (): Promise<Buffer> => Buffer.from(JSON.stringify(body));
        const answer = await api.answer({ ...defaults, body: content, ...exchange });
        return JSON.parse(Buffer.concat(answer?.body ?? []).toString()) as NodeCertificate;
      },
      [Symbol.asyncDispose]: () => stored[Symbol.asyncDispose](),
    };
  }

  const nodeUser = (signed: NodeCertificate, name = "n1"): UserInfo => {
    const { subject } = new X509Certificate(signed.certificate);
    const uid = /1\.3\.6\.1\.4\.1\.57683\.2=(.*)/.exec(subject)?.[1] ?? "";
    return { name: `system:node:${name}`, groups: ["system:nodes"], uid };
  };

  it("signs a client certificate for the node, for 90 days, and makes the Node", async () => {
    await using at = await running();
    const machine = await newMachine();
    const signed = await at.ask({}, { nodeName: "n1", csr: await machine.csr() });
    const certificate = new X509Certificate(signed.certificate);
    const [node] = [...at.stored.nodes.cache.list("")];
    const uid = node?.object.metadata.uid ?? "";
    equal(certificate.subject, `CN=system:node:n1\nO=system:nodes\n1.3.6.1.4.1.57683.2=${uid}`);
    deepEqual(certificate.keyUsage, ["1.3.6.1.5.5.7.3.2"]);
    ok(certificate.verify(new X509Certificate(authority.certificate).publicKey));
    equal(certificate.validToDate.getTime(), at.clock.now() + 90 * DAY_MS);
    equal(signed.notAfter, certificate.validToDate.toISOString());
    equal(node?.object.metadata.annotations?.["driftless.dev/machine-key"], machine.keyHash);
  });

  it("signs for the node's own port too, if it asks for hosts", async () => {
    await using at = await running();
    const hosts = ["n1", "n1.rack.example", "10.0.0.7"];
    const machine = await newMachine();
    const signed = await at.ask({}, { nodeName: "n1", csr: await machine.csr(), hosts });
    const certificate = new X509Certificate(signed.certificate);
    deepEqual(certificate.keyUsage, ["1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.1"]);
    equal(certificate.subjectAltName, "DNS:n1, DNS:n1.rack.example, IP Address:10.0.0.7");
  });

  it("lets no node pass for the server, for another node, or for everybody", async () => {
    await using at = await running();
    const other = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n2" },
      status: { addresses: [{ type: "InternalIP", address: "10.0.0.8" }] },
    };
    await at.stored.create(at.stored.nodes, other);
    const csr = await (await newMachine()).csr();
    const cases: Readonly<Record<string, RegExp>> = {
      "fd00:0::7": /write "fd00:0::7" as fd00::7/,
      "fd00::1": /belongs to the API server/,
      "10.0.0.1": /belongs to the API server/,
      "n1.example.com": /belongs to the API server/,
      "10.0.0.8": /belongs to the node "n2"/,
      n2: /is not a name of this node/,
      "n1.*": /is not a name of this node/,
      localhost: /is not a name of this node/,
      "127.0.0.1": /is not an address by which others reach this node/,
      "::1": /is not an address by which others reach this node/,
      "::ffff:10.0.0.1": /is not an address by which others reach this node/,
    };
    for (const [host, refusal] of Object.entries(cases)) {
      await rejects(at.ask({}, { nodeName: "n1", csr, hosts: [host] }), refusal);
    }
    equal(at.stored.nodes.cache.size, 1);
  });

  it("refuses a name that another machine has, and leaves the token unused", async () => {
    await using at = await running();
    await at.stored.create(at.stored.nodes, {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n1" },
    });
    const machine = await newMachine();
    await rejects(
      at.ask({}, { nodeName: "n1", csr: await machine.csr() }),
      /another machine registered/,
    );
    await at.ask({}, { nodeName: "n2", csr: await (await newMachine()).csr() });
  });

  it("lets a machine take a node's place with a token that names the node", async () => {
    await using at = await running("n1");
    await at.stored.create(at.stored.nodes, {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n1" },
    });
    const machine = await newMachine();
    await at.ask({}, { nodeName: "n1", csr: await machine.csr() });
    const [node] = [...at.stored.nodes.cache.list("")];
    equal(node?.object.metadata.annotations?.["driftless.dev/machine-key"], machine.keyHash);
  });

  const renewal = (at: Running, user: UserInfo, peerKey: KeyHash | undefined, csr: string) =>
    at.ask({ path: "/driftless/v1/renew", user, peerKey }, { nodeName: "n1", csr });

  it("renews for the node itself, at most until the authority ends, and for nobody else", async () => {
    await using at = await running();
    const [first, next] = [await newMachine(), await newMachine()];
    const user = nodeUser(await at.ask({}, { nodeName: "n1", csr: await first.csr() }));
    await at.clock.step(60 * DAY_MS);
    const { certificate } = await renewal(at, user, first.keyHash, await next.csr());
    equal(new X509Certificate(certificate).validToDate.getTime(), at.clock.now() + 40 * DAY_MS);
    const stranger = { ...user, name: "system:node:n2" };
    await rejects(renewal(at, stranger, next.keyHash, await next.csr()), /only that node can/);
    await rejects(renewal(at, bootstrapper, undefined, await next.csr()), /only that node can/);
    await rejects(renewal(at, user, undefined, await next.csr()), /took the place of this one/);
  });

  it("knows the key before until the new one was used: an answer may be lost", async () => {
    await using at = await running();
    const [a, b, c, d] = await Promise.all([
      newMachine(),
      newMachine(),
      newMachine(),
      newMachine(),
    ]);
    const user = nodeUser(await at.ask({}, { nodeName: "n1", csr: await a.csr() }));
    await renewal(at, user, a.keyHash, await b.csr());
    await renewal(at, user, a.keyHash, await c.csr());
    await rejects(renewal(at, user, b.keyHash, await d.csr()), /took the place of this one/);
    await renewal(at, user, c.keyHash, await d.csr());
    await rejects(renewal(at, user, a.keyHash, await d.csr()), /took the place of this one/);
  });

  it("renews nothing for a machine that was replaced", async () => {
    await using at = await running("n1");
    const [old, young] = [await newMachine(), await newMachine()];
    const keyed = { "driftless.dev/machine-key": old.keyHash };
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1", annotations: keyed } };
    await at.stored.create(at.stored.nodes, node);
    const user = nodeUser(await at.ask({}, { nodeName: "n1", csr: await young.csr() }));
    await rejects(renewal(at, user, old.keyHash, await old.csr()), /took the place of this one/);
  });

  it("renews nothing after the Node was deleted, also if there is one again", async () => {
    await using at = await running();
    const machine = await newMachine();
    const csr = await machine.csr();
    const user = nodeUser(await at.ask({}, { nodeName: "n1", csr }));
    const renew = (): Promise<NodeCertificate> =>
      at.ask(
        { path: "/driftless/v1/renew", user, peerKey: machine.keyHash },
        { nodeName: "n1", csr },
      );
    await renew();
    await at.stored.delete(at.stored.nodes, "n1");
    await rejects(renew(), /was deleted after this certificate was issued/);
    const annotations = { "driftless.dev/machine-key": machine.keyHash };
    const metadata = { name: "n1", annotations, uid: "another" };
    await at.stored.create(at.stored.nodes, { apiVersion: "v1", kind: "Node", metadata });
    await rejects(renew(), /was deleted after this certificate was issued/);
  });

  it("says what to do when the authority is over", async () => {
    await using at = await running();
    await at.clock.step(101 * DAY_MS);
    const csr = await (await newMachine()).csr();
    await rejects(
      at.ask({}, { nodeName: "n1", csr }),
      /authority ended on .* start it; then give every user/,
    );
  });

  it("says what is wrong with a request", async () => {
    await using at = await running();
    const csr = await (await newMachine()).csr();
    const foreign = await (await newMachine()).csr("CN=system:node:n2");
    const master = await (await newMachine()).csr("CN=system:node:n1, O=system:masters");
    const cases: readonly (readonly [object, RegExp])[] = [
      [[], /must be a JSON object/],
      [{ csr }, /nodeName: must be given/],
      [{ csr, nodeName: "../x" }, /nodeName: a lowercase RFC 1123 subdomain/],
      [{ nodeName: "n1" }, /csr: must be given/],
      [{ csr: foreign, nodeName: "n1" }, /subject must be empty, or CN=system:node:n1/],
      [
        { csr: master, nodeName: "n1" },
        /subject must be empty, or CN=system:node:n1 and O=system:nodes/,
      ],
      [{ csr, nodeName: "n1", hosts: "n1" }, /hosts: must be a list/],
    ];
    for (const [body, refusal] of cases) await rejects(at.ask({}, body), refusal);
    await rejects(
      at.ask({ user: { name: "ann", groups: [] } }, { csr }),
      /only a machine with a join token/,
    );
    await rejects(at.ask({ method: "GET" }, {}), /does not allow this method/);
    equal(at.stored.nodes.cache.size, 0);
  });

  it("signs for a name as long as names may be", async () => {
    await using at = await running();
    const nodeName = `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(61)}`;
    const signed = await at.ask({}, { nodeName, csr: await (await newMachine()).csr() });
    match(
      new X509Certificate(signed.certificate).subject,
      new RegExp(`CN=system:node:${nodeName}\n`),
    );
  });
});
