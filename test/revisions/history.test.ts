// The history of ConfigMaps and Secrets on a real server: who wrote what, how it is shown and taken back, and who may look.

import { deepEqual, doesNotMatch, equal, match, rejects } from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonValue } from "../../src/api/json.ts";
import type { ConfigMap, ConfigRevision, Secret } from "../../src/api/types.ts";
import { systemClock } from "../../src/base/clock.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import type { CliContext } from "../../src/cli/cli-context.ts";
import { rollback } from "../../src/cli/rollback.ts";
import { ApiClient } from "../../src/client/api-client.ts";
import { readKubeconfig } from "../../src/client/kubeconfig.ts";
import { Kubectl } from "../agent/kubectl-session.ts";
import { Verbs } from "../cli/verbs.ts";
import { filesWith, Marker } from "../security/marker.ts";
import { DriftlessControllers } from "../support/driftless-controllers.ts";
import { bearer, DriftlessServer } from "../support/driftless-server.ts";

const core = "/api/v1/namespaces/default";
const ours = "/apis/driftless.dev/v1/namespaces/default/configrevisions";
const editor = bearer("editors-token");
const viewer = bearer("viewers-token");

/** Something happens just before its first PUT. */
class OvertakenClient extends ApiClient {
  #before: (() => Promise<void>) | undefined;

  constructor(kubeconfig: string, before: () => Promise<void>) {
    const connection = readKubeconfig(kubeconfig);
    super({ connection, clock: systemClock, timeoutMs: 60_000 });
    this.#before = before;
  }

  override async request(asked: Parameters<ApiClient["request"]>[0]): Promise<JsonValue> {
    if (asked.method === "PUT") {
      await this.#before?.();
      this.#before = undefined;
    }
    return super.request(asked);
  }
}

function contextOf(client: ApiClient): CliContext {
  const stream = new PassThrough().resume();
  return {
    client,
    connection: { server: "", isInsecure: false, namespace: "default" },
    namespace: "default",
    isNamespaceGiven: false,
    streams: { stdin: stream, stdout: stream, stderr: stream, isWatched: false },
    clock: systemClock,
    signal: new AbortController().signal,
  };
}

describe("History", { concurrency: 2, timeout: 120_000 }, () => {
  const directory = tempDir();
  let server: DriftlessServer;
  let verbs: Verbs;
  before(async () => {
    const tokens = directory.join("tokens");
    writeFileSync(tokens, "editors-token,eve,1\nviewers-token,victor,2\n");
    server = await DriftlessServer.start({
      flags: ["--config-history", "4", "--token-file", tokens],
    });
    verbs = new Verbs(server.kubeconfig);
    for (const [user, role] of [
      ["eve", "edit"],
      ["victor", "view"],
    ] as const) {
      await server.fetch(
        "POST",
        "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
        {
          metadata: { name: user },
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
          subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: user }],
        },
      );
    }
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    directory[Symbol.dispose]();
  });

  async function write(name: string, data: Readonly<Record<string, string>>): Promise<void> {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
    const { status } = await server.fetch("PUT", `${core}/configmaps/${name}`, object);
    if (status === 404) await server.fetch("POST", `${core}/configmaps`, object);
  }

  async function revisionsOf(name: string): Promise<readonly ConfigRevision[]> {
    const path = `${ours}?fieldSelector=object.kind%3DConfigMap,object.name%3D${name}`;
    const { text } = await server.fetch("GET", path);
    return (JSON.parse(text) as { items: ConfigRevision[] }).items;
  }

  async function numbersUntil(name: string, last: number): Promise<readonly number[]> {
    for (;;) {
      const numbers = (await revisionsOf(name)).map(({ number }) => number);
      if (numbers.at(-1) === last && numbers.length <= 4) return numbers;
      await sleep(20);
    }
  }

  it("names the users who wrote through kubectl, and kubectl shows it", async (t) => {
    const kubectl = await Kubectl.of("1.36", server.kubeconfig);
    if (typeof kubectl === "string") return t.skip(kubectl);
    const as = (user: string): readonly string[] => ["--as", user, "--as-group", "system:masters"];
    await kubectl.run("create", "cm", "shared", "--from-literal", "a=1", ...as("alice"));
    const patch = ["patch", "cm", "shared", "--type", "merge", "-p", '{"data":{"a":"2","b":"x"}}'];
    await kubectl.run(...patch, ...as("bob"));
    await kubectl.run("label", "cm", "shared", "changes=nothing", ...as("carol"));
    await numbersUntil("shared", 2);
    const selector = ["-l", "driftless.dev/kind=ConfigMap,driftless.dev/name=shared"];
    const { stdout } = await kubectl.run("get", "configrevisions", "-o", "wide", ...selector);
    const lines = stdout.replaceAll(/ [0-9a-f]{10} /g, " HASH ").replaceAll(/ \d+s /g, " AGE ");
    deepEqual(
      lines.split("\n").map((line) => line.trim().split(/\s+/).join(" ")),
      [
        "NAME NUMBER OBJECT HASH AUTHOR AGE CHANGES",
        "configmap-shared-00001 1 configmap/shared HASH alice AGE +1 ~0 -0",
        "configmap-shared-00002 2 configmap/shared HASH bob AGE +1 ~1 -0",
        "",
      ],
    );
  });

  it("is kept to its limit, and goes on counting", async () => {
    for (let a = 1; a <= 7; a++) {
      await write("limited", { a: String(a) });
      await numbersUntil("limited", a);
    }
    deepEqual(await numbersUntil("limited", 7), [4, 5, 6, 7]);
  });

  it("is shown, compared and taken back from the command line", async () => {
    const steps = [
      ["log.level=info", "old=1", "--create"],
      ["log.level=debug", "old-", "new=1"],
    ];
    for (const step of steps) await verbs.run("set", "configmap/tour", ...step);
    const shown = await verbs.run("history", "cm/tour");
    equal(
      shown.stdout.replaceAll(/ [0-9a-f]{10} /g, " HASH       ").replaceAll(/ \d+s /g, " 0s "),
      `REVISION  HASH        AUTHOR  AGE  CHANGES               CURRENT
1         HASH        admin   0s   +log.level +old
2         HASH        admin   0s   ~log.level +new -old  *
`,
    );
    const [first] = await revisionsOf("tour");
    const hash = first?.hash.slice(0, 10) ?? "";
    const last = await verbs.run("diff", "configmap/tour");
    const changes = `~ log.level: "info" -> "debug"\n+ new: "1"\n- old: "1"\n`;
    equal(last.stdout.split("\n").slice(2).join("\n"), changes);
    match(last.stdout, new RegExp(`^--- configmap/tour revision 1, ${hash}, by admin\n`));
    match(last.stdout, /\n\+\+\+ configmap\/tour revision 2, [0-9a-f]{10}, by admin, current\n/);
    equal(last.code, 1);
    equal((await verbs.run("diff", "configmap/tour", hash, "1")).code, 0);
    const nothing = await verbs.run("diff", "configmap/tour", "9");
    deepEqual([nothing.code, nothing.stdout], [2, ""]);
    match(nothing.stderr, /has no revision 9\. There are 1 to 2/);

    const rehearsed = await verbs.run("rollback", "configmap/tour", "--dry-run");
    const back = `~ log.level: "debug" -> "info"\n- new: "1"\n+ old: "1"\n`;
    const said = `configmap/tour rolled back to revision 1 (${hash})`;
    equal(rehearsed.stdout, `${said} (server dry run)\n${back}`);
    equal((await verbs.run("rollback", "configmap/tour", "--to", hash)).stdout, `${said}\n${back}`);
    const { text } = await server.fetch("GET", `${core}/configmaps/tour`);
    deepEqual((JSON.parse(text) as ConfigMap).data, { "log.level": "info", old: "1" });
    deepEqual(await numbersUntil("tour", 3), [1, 2, 3]);
    const again = await verbs.run("rollback", "configmap/tour", "--to", "1");
    match(again.stdout, /^configmap\/tour unchanged: it has the content of revision 1 /);
  });

  it("of a Secret gives nothing away, in output or on the disk", async () => {
    const [one, other] = [new Marker("one"), new Marker("other")];
    await verbs.run("set", "secret/login", `password=${one.text}`, "user=x", "--create");
    await verbs.run("set", "secret/login", `password=${other.text}`);
    const outputs = [
      await verbs.run("history", "secret/login"),
      await verbs.run("history", "secret/login", "-o", "yaml"),
      await verbs.run("diff", "secret/login"),
      await verbs.run("rollback", "secret/login"),
    ];
    for (const { stdout, stderr, code } of outputs) {
      for (const marker of [one, other]) equal(marker.foundIn(stdout + stderr), undefined);
      equal(code, outputs[2]?.stdout === stdout ? 1 : 0, stderr);
    }
    const masked = "~ password: changed (the value of a Secret is not shown)\n";
    equal(outputs[2]?.stdout.split("\n").slice(2).join("\n"), masked);
    const { text } = await server.fetch("GET", `${core}/secrets/login`);
    const { data, type } = JSON.parse(text) as Secret;
    deepEqual([data?.["password"], type], [one.base64, "Opaque"]);
    deepEqual(filesWith(server.dataDir, [one, other]), []);
  });

  it("does not take an immutable object back, and says why", async () => {
    await write("fixed", { a: "1" });
    await write("fixed", { a: "2" });
    await numbersUntil("fixed", 2);
    const headers = { "content-type": "application/merge-patch+json" };
    await server.fetch("PATCH", `${core}/configmaps/fixed`, { immutable: true }, headers);
    const { code, stderr } = await verbs.run("rollback", "configmap/fixed");
    equal(code, 1);
    match(stderr, /Cannot roll back configmap\/fixed: it is immutable\./);
  });

  it("is taken back also if somebody else wrote meanwhile, unless that was another content", async () => {
    const rollBack = async (name: string, between: object): Promise<ConfigMap> => {
      await write(name, { a: "1" });
      await write(name, { a: "2" });
      await numbersUntil(name, 2);
      const headers = { "content-type": "application/merge-patch+json" };
      const path = `${core}/configmaps/${name}`;
      using client = new OvertakenClient(server.kubeconfig, async () => {
        equal((await server.fetch("PATCH", path, between, headers)).status, 200);
      });
      await rollback(contextOf(client), {
        target: `configmap/${name}`,
        to: undefined,
        isDryRun: false,
        look: { columns: undefined, hasColour: false, isUnicode: true },
      });
      return JSON.parse((await server.fetch("GET", path)).text) as ConfigMap;
    };
    const labelled = await rollBack("labelled", { metadata: { labels: { l: "1" } } });
    deepEqual([labelled.data, labelled.metadata.labels], [{ a: "1" }, { l: "1" }]);
    const theirs = { data: { a: "theirs" } };
    await rejects(
      rollBack("theirs", theirs),
      /somebody changed its content \([0-9a-f]{10}\) meanwhile/,
    );
    const { text } = await server.fetch("GET", `${core}/configmaps/theirs`);
    deepEqual((JSON.parse(text) as ConfigMap).data, theirs.data);
  });

  it("can be read by those who may read Secrets, and written by nobody", async () => {
    await write("mine", { a: "1" });
    await numbersUntil("mine", 1);
    const path = `${ours}/configmap-mine-00001`;
    const found = await server.fetchBare("GET", path, undefined, editor);
    equal(found.status, 200);
    const refused = await server.fetchBare("GET", path, undefined, viewer);
    equal(refused.status, 403);
    match(refused.text, /User \\"victor\\" cannot get resource \\"configrevisions\\"/);
    const { metadata: _, ...content } = JSON.parse(found.text) as ConfigRevision;
    const forged = { ...content, metadata: { name: "configmap-mine-00002" } };
    equal((await server.fetchBare("POST", ours, forged, editor)).status, 403);
    equal((await server.fetchBare("PUT", path, JSON.parse(found.text), editor)).status, 403);
    equal((await server.fetchBare("DELETE", path, undefined, editor)).status, 403);
  });

  it("tells who has not the right which one is missing", async () => {
    await write("closed", { a: "1" });
    const { stdout, stderr, code } = await verbs.run("get", "cm/closed", "-o", "name");
    deepEqual([stdout, stderr, code], ["configmap/closed\n", "", 0]);
    const token = directory.join("viewer.kubeconfig");
    const config = `apiVersion: v1
kind: Config
current-context: v
contexts: [{name: v, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "${server.url}", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: viewers-token}}]
`;
    writeFileSync(token, config);
    const refused = await new Verbs(token).run("history", "configmap/closed");
    equal(refused.code, 1);
    match(refused.stderr, /User "victor" cannot list resource "configrevisions" in API group/);
    doesNotMatch(refused.stderr, /\n./);
  });

  it("goes with its object", async () => {
    await using controllers = await DriftlessControllers.start({ dataDir: server.dataDir });
    await write("mortal", { a: "1" });
    await numbersUntil("mortal", 1);
    await server.fetch("DELETE", `${core}/configmaps/mortal`);
    while ((await revisionsOf("mortal")).length > 0) await sleep(50);
    equal(controllers.process.exitCode, null);
  });
});
