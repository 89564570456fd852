import { equal, match, notEqual, ok } from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { newMachine } from "../../src/apiserver/join/testing/machine.ts";
import { tokenSecret } from "../../src/apiserver/join/token-secret.ts";
import { systemClock } from "../../src/base/clock.ts";
import { ApiClient } from "../../src/client/api-client.ts";
import type { Connection } from "../../src/client/kubeconfig.ts";
import { fetchAuthority } from "../../src/client/pinned-authority.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import { driftless, type Ended } from "./command.ts";

interface Created {
  readonly token: string;
  readonly server: string;
  readonly caHash: string;
  readonly command: string;
}

interface Signed {
  readonly certificate: string;
  readonly authority: string;
  readonly notAfter: string;
}

describe("a machine that joins", () => {
  let server: DriftlessServer;
  /** As the joining machine has it, from the hash. */
  let authority: string;
  before(async () => {
    server = await DriftlessServer.start({ flags: ["--store", "memory"] });
    const { caHash } = await created();
    const clock = systemClock;
    authority = await fetchAuthority({ server: server.url, caHash, clock, timeoutMs: 60_000 });
  });
  after(() => server[Symbol.asyncDispose]());

  const token = (...flags: readonly string[]): Promise<Ended> =>
    driftless("token", ...flags, "--data-dir", server.dataDir);

  async function created(...flags: readonly string[]): Promise<Created> {
    const made = await token("create", "-o", "json", ...flags);
    equal(made.code, 0, made.stderr);
    return JSON.parse(made.stdout) as Created;
  }

  async function post(as: Partial<Connection>, path: string, body: object): Promise<unknown> {
    const connection = { server: server.url, authority, isInsecure: false, namespace: "", ...as };
    using client = new ApiClient({ connection, clock: systemClock, timeoutMs: 60_000 });
    return await client.request({ method: "POST", path, body });
  }

  const joined = (bearer: string, body: object): Promise<Signed> =>
    post({ token: () => bearer }, "/driftless/v1/join", body) as Promise<Signed>;

  const refusal = (answer: Promise<unknown>): Promise<string> =>
    answer.then(
      () => "was not refused",
      (err: unknown) => (err as Error).message,
    );

  it("trusts the server by the hash that the token came with, and no other", async () => {
    equal(authority, new X509Certificate(authority).toString());
    const caHash = `sha256:${"0".repeat(64)}`;
    const wrong = fetchAuthority({
      server: server.url,
      caHash,
      clock: systemClock,
      timeoutMs: 60_000,
    });
    match(await refusal(wrong), /it shows no authority with the hash/);
  });

  it("gets a certificate with which the server knows it, and a Node", async () => {
    const { token: bearer } = await created();
    const machine = await newMachine();
    const signed = await joined(bearer, { nodeName: "n1", csr: await machine.csr() });
    const me = (await post(
      { certificate: signed.certificate, key: machine.key },
      "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
    )) as {
      readonly status: {
        readonly userInfo: {
          readonly username: string;
          readonly groups: readonly string[];
          readonly uid: string;
        };
      };
    };
    const { username, groups, uid } = me.status.userInfo;
    equal(username, "system:node:n1");
    ok(groups.includes("system:nodes"));
    const node = JSON.parse((await server.fetch("GET", "/api/v1/nodes/n1")).text) as {
      readonly metadata: { readonly uid: string };
    };
    equal(uid, node.metadata.uid);
  });

  it("may ask again with the same key; another machine may not use its token", async () => {
    const { token: bearer } = await created();
    const [first, second] = [await newMachine(), await newMachine()];
    await joined(bearer, { nodeName: "n2", csr: await first.csr() });
    const again = await joined(bearer, {
      nodeName: "n2",
      csr: await first.csr("CN=system:node:n2, O=system:nodes"),
    });
    ok(again.certificate.includes("BEGIN CERTIFICATE"));
    match(
      await refusal(joined(bearer, { nodeName: "n2b", csr: await second.csr() })),
      /was used by another machine, for the node "n2"/,
    );
  });

  it("cannot take the name of another node, unless its token names that node", async () => {
    const [owner, thief] = [await newMachine(), await newMachine()];
    await joined((await created()).token, { nodeName: "n3", csr: await owner.csr() });
    const { token: plain } = await created();
    match(
      await refusal(joined(plain, { nodeName: "n3", csr: await thief.csr() })),
      /another machine registered: .*driftless token create --node n3/,
    );
    const { token: named } = await created("--node", "n3");
    await joined(named, { nodeName: "n3", csr: await thief.csr() });
  });

  it("renews its certificate with a new key, until its Node is deleted", async () => {
    const [before, next, last] = [await newMachine(), await newMachine(), await newMachine()];
    const first = await joined((await created()).token, {
      nodeName: "n4",
      csr: await before.csr(),
    });
    const renew = async (
      signed: Signed,
      key: string,
      csr: string,
      nodeName = "n4",
    ): Promise<Signed> =>
      (await post({ certificate: signed.certificate, key }, "/driftless/v1/renew", {
        nodeName,
        csr,
      })) as Signed;
    const second = await renew(first, before.key, await next.csr());
    notEqual(second.certificate, first.certificate);
    match(await refusal(renew(second, next.key, await last.csr(), "n3")), /only that node can/);
    await renew(second, next.key, await last.csr());
    match(await refusal(renew(first, before.key, await last.csr())), /took the place of this one/);
    await server.fetch("DELETE", "/api/v1/nodes/n4");
    match(
      await refusal(renew(second, next.key, await last.csr())),
      /node "n4" was deleted: its machine has to join again$/,
    );
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n4" } };
    await server.fetch("POST", "/api/v1/nodes", node);
    match(
      await refusal(renew(second, next.key, await last.csr())),
      /node "n4" was deleted: its machine has to join again$/,
    );
  });

  it("gets nothing with a token that is over, deleted, or guessed", async () => {
    const machine = await newMachine();
    const ask = async (bearer: string): Promise<string> =>
      refusal(joined(bearer, { nodeName: "n5", csr: await machine.csr() }));
    const over = { id: "000000", secret: "0123456789abcdef", salt: "ab" };
    const expiresMs = Date.UTC(2020, 0, 1);
    const secret = tokenSecret({ ...over, expiresMs, nodeName: "", description: "" });
    equal(
      (await server.fetch("POST", "/api/v1/namespaces/kube-system/secrets", secret)).status,
      201,
    );
    equal(await ask("000000.0123456789abcdef"), "Unauthorized");
    const { token: bearer } = await created();
    equal(await ask(`${bearer.slice(0, 7)}0000000000000000`), "Unauthorized");
    equal((await token("delete", bearer)).code, 0);
    equal(await ask(bearer), "Unauthorized");
  });

  it("is the only one who can join: not even an admin can without a token", async () => {
    const { status, text } = await server.fetch("POST", "/driftless/v1/join", {});
    equal(status, 403);
    match(text, /only a machine with a join token can join/);
  });

  it("may do nothing else with its token", async () => {
    const { token: bearer } = await created();
    const asked = post({ token: () => bearer }, "/api/v1/namespaces/default/configmaps", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a" },
    });
    match(
      await refusal(asked),
      /User "system:bootstrap:\w{6}" cannot create resource "configmaps"/,
    );
  });

  it("finds its token in the list, with who used it, and never the secret half", async () => {
    const made = await token("create", "--node", "n6", "--description", "for rack 6");
    equal(made.code, 0, made.stderr);
    match(made.stdout, /^\w{6}\.\w{16}\n/);
    match(
      made.stdout,
      /driftless node --server https:\/\/\S+ --token \S+ --ca-hash sha256:[0-9a-f]{64} --node-name n6/,
    );
    const [bearer = ""] = made.stdout.split("\n");
    const [id = "", half = ""] = bearer.split(".");
    await joined(bearer, { nodeName: "n6", csr: await (await newMachine()).csr() });
    const { stdout } = await token("list");
    match(stdout, new RegExp(`^${id} .* n6 +n6 +for rack 6$`, "m"));
    const stored = await server.fetch(
      "GET",
      `/api/v1/namespaces/kube-system/secrets/bootstrap-token-${id}`,
    );
    ok(!stored.text.includes(half) && !stored.text.includes(Buffer.from(half).toString("base64")));
  });

  it("is told what to do when the command is called wrongly", async () => {
    const none = await token("delete", "zzzzzz");
    equal(none.code, 1);
    match(none.stderr, /there is none\. See "driftless token list"/);
    equal((await token("delete", "Not-An-Id")).code, 2);
    equal((await token("create", "--node", "No_Name")).code, 2);
    const away = await driftless("token", "list", "--kubeconfig", "/nowhere/kubeconfig");
    equal(away.code, 1);
    match(away.stderr, /there is no \/nowhere\/kubeconfig\. Say --kubeconfig FILE/);
  });
});
