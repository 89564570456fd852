// G9: a Secret goes through every path of the server, and its value is found nowhere but in the answers to those who
// may read it: not in the database, the log at its most verbose, the audit log at its most talkative, metrics, errors
// for others, a crash report or a backup.

import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { bearer, DriftlessServer, type HttpAnswer } from "../support/driftless-server.ts";
import { filesWith, Marker } from "./marker.ts";

const program = new URL("../../src/cmd/driftless.ts", import.meta.url).pathname;
const SECRETS = "/api/v1/namespaces/default/secrets";

/** The most that a policy can ask for. */
const everything = JSON.stringify({
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  rules: [{ level: "RequestResponse" }],
});

const patchTypes = {
  json: { "content-type": "application/json-patch+json" },
  merge: { "content-type": "application/merge-patch+json" },
  strategic: { "content-type": "application/strategic-merge-patch+json" },
  apply: { "content-type": "application/apply-patch+yaml" },
} as const;

interface Canary {
  readonly server: DriftlessServer;
  readonly value: Marker;
  /** As somebody who may not read Secrets. */
  readonly stranger: (method: string, path: string, body?: unknown) => Promise<HttpAnswer>;
}

describe("A Secret", () => {
  it("G9 is found nowhere but in the answers to those who may read it", async (t) => {
    using dir = tempDir();
    const [data, reports] = [dir.join("data"), dir.join("reports")];
    for (const path of [data, reports]) mkdirSync(path, { mode: 0o700 });
    const policy = dir.join("policy.yaml");
    writeFileSync(policy, everything);
    const value = new Marker("value");
    const token = new Marker("token");
    writeFileSync(dir.join("tokens"), `${token.text},eve,1,"strangers"\n`, { mode: 0o600 });
    const log: Buffer[] = [];
    await using server = await DriftlessServer.start({
      dataDir: data,
      flags: [
        ...["--log-level", "debug", "--audit-policy-file", policy],
        ...["--token-file", dir.join("tokens")],
      ],
      env: {
        NODE_OPTIONS: `--report-on-signal --report-uncaught-exception --report-directory=${reports}`,
      },
    });
    server.process.stderr?.on("data", (text: string) => log.push(Buffer.from(text)));
    const stranger: Canary["stranger"] = (method, path, body) =>
      server.fetchBare(method, path, body, bearer(token.text));
    const canary = { server, value, stranger };

    await writesOf(canary);
    await badWritesOf(canary);
    await readsOf(canary);
    await othersLearnNothing(canary);
    const accountToken = await accountTokenOf(server);
    const metrics = (await server.fetch("GET", "/metrics")).text;
    equal(value.foundIn(metrics), undefined);
    equal(metrics.includes(accountToken), false);

    const backup = dir.join("backup.db");
    execFileSync(process.execPath, [program, "backup", backup, "--data-dir", data]);
    await crashReport(server);
    await server.stop();

    const all = [value, token];
    deepEqual(filesWith(data, all), []);
    deepEqual(filesWith(reports, all), []);
    equal(value.foundIn(readFileSync(backup)), undefined);
    const text = Buffer.concat(log).toString();
    for (const marker of all) equal(marker.foundIn(text), undefined);
    equal(text.includes(accountToken), false);
    const audit = readFileSync(`${data}/audit/audit.log`, "utf8");
    ok(audit.includes('"resource":"secrets"'), "the audit log has them");
    equal(audit.includes(accountToken), false);
    t.diagnostic(`${audit.split("\n").length} audit events, ${text.length} bytes of log`);
  });

  it("is found by the same search where it is in clear", async () => {
    using dir = tempDir();
    const value = new Marker("value");
    dir.write({ plain: `a${value.text}b` });
    writeFileSync(dir.join("coded"), Buffer.from(`xy${value.text}z`).toString("base64"));
    equal(filesWith(dir.path, [value]).length, 2);
  });
});

/** Every way to write it. */
async function writesOf({ server, value }: Canary): Promise<void> {
  const secret = (name: string, more: object): object => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name },
    ...more,
  });
  const written = [
    await server.fetch("POST", SECRETS, secret("a", { data: { k: value.base64 } })),
    await server.fetch("POST", SECRETS, secret("b", { stringData: { k: value.text } })),
    await server.fetch("POST", `${SECRETS}?dryRun=All`, secret("c", { data: { k: value.base64 } })),
    await server.fetch("PUT", `${SECRETS}/a`, secret("a", { data: { k2: value.base64 } })),
    await server.fetch("PATCH", `${SECRETS}/a`, { data: { k3: value.base64 } }, patchTypes.merge),
    await server.fetch(
      "PATCH",
      `${SECRETS}/a`,
      { stringData: { k4: value.text } },
      patchTypes.strategic,
    ),
    await server.fetch(
      "PATCH",
      `${SECRETS}/a`,
      [{ op: "add", path: "/data/k5", value: value.base64 }],
      patchTypes.json,
    ),
    await server.fetch(
      "PATCH",
      `${SECRETS}/applied?fieldManager=m`,
      secret("applied", { data: { k: value.base64 } }),
      patchTypes.apply,
    ),
    await server.fetch("POST", SECRETS, {
      ...secret("annotated", { data: { k: value.base64 } }),
      metadata: {
        name: "annotated",
        // As kubectl apply does it.
        annotations: {
          "kubectl.kubernetes.io/last-applied-configuration": `{"data":{"k":"${value.base64}"}}`,
        },
      },
    }),
    await server.fetch("DELETE", `${SECRETS}/b`),
  ];
  for (const { status, text } of written) ok(status < 300, text);
}

/** Writes that fail, each in its own way. Whoever wrote knows the value; the server must not tell it to others. */
async function badWritesOf({ server, value }: Canary): Promise<void> {
  const broken = `"data":{"k":"${value.base64}"`;
  const refused = [
    await server.fetch("POST", SECRETS, `{"metadata":{"name":"x"},${broken}`),
    await server.fetch("POST", SECRETS, { metadata: { name: "x" }, data: { k: value.text } }),
    await server.fetch("POST", SECRETS, { metadata: { name: "x" }, data: [value.base64] }),
    await server.fetch("POST", SECRETS, { metadata: { name: "a" }, data: { k: value.base64 } }),
    await server.fetch("POST", SECRETS, {
      metadata: { name: "Bad Name" },
      data: { k: value.base64 },
    }),
    await server.fetch("POST", SECRETS, {
      metadata: { name: "tls" },
      type: "kubernetes.io/tls",
      stringData: { "tls.crt": value.text },
    }),
    await server.fetch("POST", `${SECRETS}?fieldValidation=Strict`, {
      metadata: { name: "x" },
      unknown: value.text,
    }),
    await server.fetch(
      "PATCH",
      `${SECRETS}/a`,
      [{ op: "test", path: "/data/k3", value: "b3RoZXI=" }],
      patchTypes.json,
    ),
    await server.fetch("PATCH", `${SECRETS}/a`, { data: { k: 1 } }, patchTypes.merge),
    await server.fetch("PATCH", `${SECRETS}/a`, { data: [value.text] }, patchTypes.strategic),
    await server.fetch(
      "PATCH",
      `${SECRETS}/applied?fieldManager=other`,
      { apiVersion: "v1", kind: "Secret", data: { k: "b3RoZXI=" } },
      patchTypes.apply,
    ),
    await server.fetch("POST", SECRETS, `kind: [${value.text}`, {
      "content-type": "application/yaml",
    }),
    await server.fetch("POST", SECRETS, Buffer.from(`k8s\0${value.text}`), {
      "content-type": "application/vnd.kubernetes.protobuf",
    }),
  ];
  for (const { status, text } of refused) ok(status >= 400 && status < 500, `${status} ${text}`);
}

/** Every way to read it, by somebody who may. */
async function readsOf({ server, value }: Canary): Promise<void> {
  const got = await server.fetch("GET", `${SECRETS}/a`);
  notEqual(value.foundIn(got.text), undefined);
  const list = await server.fetch("GET", SECRETS);
  notEqual(value.foundIn(list.text), undefined);
  const { resourceVersion } = (JSON.parse(list.text) as { metadata: { resourceVersion: string } })
    .metadata;
  ok(resourceVersion !== "");
  const past = `${SECRETS}?watch=true&resourceVersion=1&timeoutSeconds=1`;
  const watched = await server.fetch("GET", past);
  notEqual(value.foundIn(watched.text), undefined);
  const table = await server.fetch("GET", `${SECRETS}/a`, undefined, {
    accept: "application/json;as=Table;v=v1;g=meta.k8s.io",
  });
  equal(value.foundIn(table.text), undefined);
}

/** Refusals, questions and lists of those who have no right. */
async function othersLearnNothing({ server, value, stranger }: Canary): Promise<void> {
  const answers = [
    await stranger("GET", `${SECRETS}/a`),
    await stranger("GET", SECRETS),
    await stranger("GET", `${SECRETS}?watch=true&timeoutSeconds=1`),
    await stranger("PUT", `${SECRETS}/a`, { metadata: { name: "a" } }),
    await stranger("DELETE", `${SECRETS}/a`),
    await stranger("GET", "/metrics"),
    await stranger("GET", "/openapi/v2"),
    await stranger("GET", "/readyz?verbose"),
    await server.fetch("POST", "/api/v1/namespaces/default/events", {
      metadata: { name: "e" },
      involvedObject: { kind: "Secret", name: "a", namespace: "default" },
    }),
  ];
  for (const { text } of answers) equal(value.foundIn(text), undefined);
}

async function accountTokenOf(server: DriftlessServer): Promise<string> {
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await server.fetch("POST", accounts, { metadata: { name: "robot" } });
  const answer = await server.fetch("POST", `${accounts}/robot/token`, { spec: {} });
  const { token } = (JSON.parse(answer.text) as { status: { token: string } }).status;
  equal((await server.fetchBare("GET", "/version", undefined, bearer(token))).status, 200);
  const reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
  equal((await server.fetch("POST", reviews, { spec: { token } })).status, 201);
  return token;
}

/** What Node writes down when it is told to, or when it dies. */
async function crashReport(server: DriftlessServer): Promise<void> {
  const written = once(server.process.stderr ?? process.stderr, "data");
  server.process.kill("SIGUSR2");
  await written;
  equal((await server.fetch("GET", "/livez")).status, 200);
}
