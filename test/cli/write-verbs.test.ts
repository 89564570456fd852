// apply, set and delete, by what they say and by what becomes of the objects.

import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { ConfigMap, Secret } from "../../src/api/types.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { Kubectl } from "../agent/kubectl-session.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import { Verbs } from "./verbs.ts";

const core = "/api/v1/namespaces/default";

function manifest(name: string, data: Readonly<Record<string, string>>): string {
  return `${JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data })}\n`;
}

describe("Verbs that write", { concurrency: 2 }, () => {
  let server: DriftlessServer;
  let verbs: Verbs;
  before(async () => {
    server = await DriftlessServer.start({ flags: ["--store", "memory"] });
    verbs = new Verbs(server.kubeconfig);
  });
  after(() => server[Symbol.asyncDispose]());

  async function configMap(name: string): Promise<ConfigMap> {
    return JSON.parse((await server.fetch("GET", `${core}/configmaps/${name}`)).text) as ConfigMap;
  }

  async function change(name: string, patch: object, manager: string): Promise<void> {
    const headers = { "content-type": "application/merge-patch+json" };
    const path = `${core}/configmaps/${name}?fieldManager=${manager}`;
    equal((await server.fetch("PATCH", path, patch, headers)).status, 200);
  }

  it("apply creates, configures and leaves alone, and removes what a file no longer says", async () => {
    const apply = async (data: Readonly<Record<string, string>>): Promise<string> =>
      (await verbs.runWith(manifest("life", data), "apply", "-f", "-")).stdout;
    equal(await apply({ a: "1", b: "2" }), "configmap/life created\n");
    equal(await apply({ a: "1", b: "2" }), "configmap/life unchanged\n");
    await change("life", { data: { theirs: "3" } }, "other");
    equal(await apply({ a: "9" }), "configmap/life configured\n");
    deepEqual((await configMap("life")).data, { a: "9", theirs: "3" });
  });

  it("apply reads directories, goes on after a failure, and ends with 1", async () => {
    using directory = tempDir();
    mkdirSync(join(directory.path, "sub"));
    writeFileSync(join(directory.path, "a.yaml"), manifest("dir-a", {}));
    writeFileSync(
      join(directory.path, "b.yml"),
      `---\nkind: Foo\napiVersion: v9\nmetadata: {name: x}\n`,
    );
    writeFileSync(join(directory.path, "c.json"), manifest("dir_c", {}));
    writeFileSync(join(directory.path, "sub", "d.yaml"), manifest("dir-d", {}));
    writeFileSync(join(directory.path, "not.txt"), "nothing");
    const flat = await verbs.run("apply", "-f", directory.path);
    deepEqual([flat.code, flat.stdout], [1, "configmap/dir-a created\n"]);
    match(flat.stderr, /no matches for kind "Foo" in version "v9"/);
    match(flat.stderr, /^The ConfigMap "dir_c" is invalid: metadata.name: Invalid value/m);
    const deep = await verbs.run("apply", "-R", "-f", directory.path);
    equal(deep.stdout, "configmap/dir-a unchanged\nconfigmap/dir-d created\n");
  });

  it("apply explains a conflict, and takes over if it is told to", async () => {
    await verbs.runWith(manifest("conflict", { a: "1" }), "apply", "-f", "-");
    await change("conflict", { data: { a: "theirs" } }, "somebody");
    const refused = await verbs.runWith(manifest("conflict", { a: "2" }), "apply", "-f", "-");
    deepEqual([refused.code, refused.stdout], [1, ""]);
    match(refused.stderr, /Apply failed with 1 conflict: conflict with "somebody".*\.data\.a/);
    match(refused.stderr, /--force-conflicts/);
    equal((await configMap("conflict")).data?.["a"], "theirs");
    const forced = await verbs.runWith(
      manifest("conflict", { a: "2" }),
      ...["apply", "--force-conflicts", "-f", "-"],
    );
    deepEqual([forced.code, forced.stdout], [0, "configmap/conflict configured\n"]);
  });

  it("apply replaces what driftless set has set, and says so", async () => {
    await verbs.runWith(manifest("tour", { text: "hello" }), "apply", "-f", "-");
    const changed = await verbs.run("set", "configmap/tour", "text=moin");
    equal(changed.stdout, 'configmap/tour configured\n  ~ text: "hello" -> "moin"\n');
    const again = await verbs.runWith(manifest("tour", { text: "hello" }), "apply", "-f", "-");
    deepEqual([again.code, again.stdout], [0, "configmap/tour configured\n"]);
    match(again.stderr, /\.data\.text had a value of "driftless set"/);
  });

  it("apply changes nothing in a rehearsal", async () => {
    const text = manifest("rehearsed", { a: "1" });
    for (const [how, said] of [
      ["server", " (server dry run)"],
      ["client", " (dry run)"],
    ] as const) {
      const { stdout } = await verbs.runWith(text, "apply", `--dry-run=${how}`, "-f", "-");
      equal(stdout, `configmap/rehearsed created${said}\n`);
    }
    equal((await server.fetch("GET", `${core}/configmaps/rehearsed`)).status, 404);
  });

  it("apply takes over from kubectl apply without a conflict, and back", async (t) => {
    const kubectl = await Kubectl.of("1.36", server.kubeconfig);
    if (typeof kubectl === "string") return t.skip(kubectl);
    await kubectl.runWith(manifest("moved", { a: "1", gone: "1" }), "apply", "-f", "-");
    const moved = manifest("moved", { a: "2" });
    const rehearsed = await verbs.runWith(moved, "apply", "--dry-run=server", "-f", "-");
    deepEqual([rehearsed.code, rehearsed.stderr], [0, ""]);
    const applied = await verbs.runWith(moved, "apply", "-f", "-");
    deepEqual(
      [applied.code, applied.stdout, applied.stderr],
      [0, "configmap/moved configured\n", ""],
    );
    deepEqual((await configMap("moved")).data, { a: "2" });
    const back = await kubectl.runWith(moved, "apply", "-f", "-");
    deepEqual([back.stdout, back.stderr], ["configmap/moved unchanged\n", ""]);
  });

  it("set changes, adds and removes keys, and leaves the others alone", async () => {
    await verbs.run("set", "cm/keys", "a=1", "b=2", "--create");
    using directory = tempDir();
    const file = join(directory.path, "file");
    writeFileSync(file, Buffer.from([0xff, 0x00]));
    const { stdout } = await verbs.run("set", "cm/keys", "a=x", "b-", `c=@${file}`);
    equal(stdout, 'configmap/keys configured\n  ~ a: "1" -> "x"\n  - b: "2"\n  + c: 2 bytes\n');
    const { data, binaryData } = await configMap("keys");
    deepEqual([data, binaryData], [{ a: "x" }, { c: "/wA=" }]);
    equal((await verbs.run("set", "cm/keys", "a=x")).stdout, "configmap/keys unchanged\n");
    match(
      (await verbs.run("set", "cm/keys", "a=y", "--dry-run")).stdout,
      /configured \(server dry run\)/,
    );
    deepEqual((await configMap("keys")).data, { a: "x" });
  });

  it("set from many at once loses no key", async () => {
    await verbs.run("set", "cm/busy", "start=1", "--create");
    const keys = ["a", "b", "c", "d", "e"];
    const codes = await Promise.all(
      keys.map(async (key) => (await verbs.run("set", "cm/busy", `${key}=1`)).code),
    );
    deepEqual(codes, [0, 0, 0, 0, 0]);
    deepEqual(Object.keys((await configMap("busy")).data ?? {}).toSorted(), [...keys, "start"]);
  });

  it("set shows no value of a Secret", async () => {
    const made = await verbs.runWith("hunter2", "set", "secret/login", "password=@-", "--create");
    const { stdout, stderr } = await verbs.run("set", "secret/login", "password=hunter3");
    equal(stdout, "secret/login configured\n  ~ password: 7 bytes -> 7 bytes\n");
    doesNotMatch(made.stdout + made.stderr + stdout + stderr, /hunter|aHVudGVy/);
    const secret = JSON.parse((await server.fetch("GET", `${core}/secrets/login`)).text) as Secret;
    equal(secret.data?.["password"], Buffer.from("hunter3").toString("base64"));
  });

  it("set refuses what is immutable, missing, or has no keys", async () => {
    const object = { metadata: { name: "frozen" }, immutable: true };
    await server.fetch("POST", `${core}/configmaps`, object);
    const frozen = await verbs.run("set", "cm/frozen", "a=1");
    deepEqual([frozen.code, frozen.stdout], [1, ""]);
    match(frozen.stderr, /configmap\/frozen: it is immutable\. Make one with another name/);
    match((await verbs.run("set", "cm/none", "a=1")).stderr, /"none" not found\. Add --create/);
    match((await verbs.run("set", "ns/default", "a=1")).stderr, /only ConfigMaps and Secrets/);
    equal((await verbs.run("set", "cm/frozen")).code, 2);
  });

  it("delete says what it deleted, and waits for finalizers", async () => {
    const finalizers = ["example.com/wait"];
    await server.fetch("POST", `${core}/configmaps`, { metadata: { name: "held", finalizers } });
    using session = verbs.start("delete", "cm", "held");
    await session.says(/^configmap "held" deleted from default namespace$/m);
    const late = await verbs.run("delete", "cm", "held", "--timeout", "1s");
    deepEqual(
      [late.code, late.stderr],
      [1, "error: timed out waiting for the condition on configmaps/held\n"],
    );
    equal(session.child.exitCode, null);
    await change("held", { metadata: { finalizers: null } }, "other");
    deepEqual((await session.ended()).code, 0);
  });

  it("delete takes files, labels and all of a kind", async () => {
    await server.fetch("POST", "/api/v1/namespaces", { metadata: { name: "emptied" } });
    const list = ["a", "b", "c"].map((name) => manifest(name, {})).join("---\n");
    await verbs.runWith(list, "apply", "-n", "emptied", "-f", "-");
    const labelled = { metadata: { labels: { x: "1" } } };
    const headers = { "content-type": "application/merge-patch+json" };
    await server.fetch("PATCH", "/api/v1/namespaces/emptied/configmaps/b", labelled, headers);
    const byFile = await verbs.runWith(manifest("a", {}), "delete", "-n", "emptied", "-f", "-");
    equal(byFile.stdout, 'configmap "a" deleted from emptied namespace\n');
    const byLabel = await verbs.run("delete", "cm", "-l", "x=1", "-n", "emptied");
    equal(byLabel.stdout, 'configmap "b" deleted from emptied namespace\n');
    const all = await verbs.run("delete", "cm", "--all", "-n", "emptied");
    equal(all.stdout, 'configmap "c" deleted from emptied namespace\n');
    const none = await verbs.run("delete", "cm", "--all", "-n", "emptied");
    deepEqual([none.code, none.stdout], [0, "No resources found\n"]);
  });

  it("get --watch shows what there is, and then every change", async () => {
    await server.fetch("POST", "/api/v1/namespaces", { metadata: { name: "watched" } });
    const path = "/api/v1/namespaces/watched/configmaps";
    await server.fetch("POST", path, { metadata: { name: "first" } });
    using session = verbs.start("get", "cm", "-w", "-n", "watched");
    await session.says(/^first/m);
    await server.fetch("POST", path, { metadata: { name: "second" }, data: { a: "1" } });
    await session.says(/^second {3}1 /m);
    using one = verbs.start("get", "cm", "first", "-n", "watched", "--watch-only", "-o", "name");
    await server.fetch("DELETE", `${path}/second`);
    // It may not watch yet: change it until it has seen one.
    for (let value = 0; one.stdout === ""; value++) {
      const patch = { data: { value: String(value) } };
      const headers = { "content-type": "application/merge-patch+json" };
      await server.fetch("PATCH", `${path}/first`, patch, headers);
    }
    match(one.stdout, /^configmap\/first$/m);
    doesNotMatch(one.stdout, /second/);
    await session.says(/^first {4}1 /m);
    match(session.stdout, /^NAME {4}DATA {3}AGE\nfirst {3}0 /);
  });

  it("says what to do if there is no server, or no such file", async () => {
    const nobody = new Verbs("/no/such/kubeconfig");
    const missing = await nobody.run("get", "cm");
    deepEqual([missing.code, missing.stdout], [1, ""]);
    match(missing.stderr, /^error: Cannot use the kubeconfig \/no\/such\/kubeconfig/);
    match(
      (await verbs.run("apply", "-f", "/no/such")).stderr,
      /the path "\/no\/such" does not exist/,
    );
    equal((await verbs.run("get")).code, 2);
    equal((await verbs.run("get", "--nonsense")).code, 2);
  });

  for (const verb of ["apply", "get", "delete", "set", "logs", "exec"]) {
    it(`${verb} --help has examples`, async () => {
      const { code, stdout } = await verbs.run(verb, "--help");
      equal(code, 0);
      match(stdout, new RegExp(`^Examples:\\n  .*driftless ${verb}`, "m"));
    });
  }
});
