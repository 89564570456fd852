import { equal, match, ok } from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { ApiClient } from "../../src/client/api-client.ts";
import { readKubeconfig } from "../../src/client/kubeconfig.ts";
import { kubectlBinary } from "../clients/kubectl-binaries.ts";
import { DriftlessServer, readCredentials } from "../support/driftless-server.ts";
import { driftless, run } from "./command.ts";

describe("driftless user create", () => {
  const directory = tempDir();
  let server: DriftlessServer;
  before(async () => {
    server = await DriftlessServer.start({ flags: ["--store", "memory"] });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    directory[Symbol.dispose]();
  });

  const create = (name: string, file: string, ...flags: readonly string[]) =>
    driftless("user", "create", name, "--data-dir", server.dataDir, "--output", file, ...flags);

  async function whoAmI(
    file: string,
  ): Promise<{ readonly username: string; readonly groups: readonly string[] }> {
    using client = new ApiClient({
      connection: readKubeconfig(file),
      clock: systemClock,
      timeoutMs: 60_000,
    });
    const answer = (await client.request({
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
    })) as unknown as {
      readonly status: {
        readonly userInfo: { readonly username: string; readonly groups: string[] };
      };
    };
    return answer.status.userInfo;
  }

  it("makes somebody whom the server knows, with their groups", async () => {
    const file = directory.join("alice");
    const made = await create("alice@example.com", file, "--group", "devs", "--group", "on call");
    equal(made.code, 0, made.stderr);
    match(
      made.stderr,
      /create clusterrolebinding alice-example.com-view .*--user alice@example.com/,
    );
    equal(statSync(file).mode & 0o777, 0o600);
    const { username, groups } = await whoAmI(file);
    equal(username, "alice@example.com");
    equal(groups.join("|"), "devs|on call|system:authenticated");
  });

  it("makes somebody who may do nothing", async (t) => {
    const kubectl = await kubectlBinary("1.36");
    if (!kubectl.ok) {
      t.skip(kubectl.reason);
      return;
    }
    const file = directory.join("bob");
    equal((await create("bob_b@example.com", file)).code, 0);
    const asked = await run(kubectl.path, ["--kubeconfig", file, "get", "configmaps"]);
    equal(asked.code, 1);
    match(asked.stderr, /User "bob_b@example.com" cannot list resource "configmaps"/);
  });

  it("makes somebody who may do what a binding says", async (t) => {
    const kubectl = await kubectlBinary("1.36");
    const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles/view";
    const hasRoles = (await server.fetch("GET", roles)).status === 200;
    if (!kubectl.ok || !hasRoles) {
      t.skip(kubectl.ok ? "this server has no roles to bind" : kubectl.reason);
      return;
    }
    const file = directory.join("fred");
    const made = await create("fred", file);
    const asked = () => run(kubectl.path, ["--kubeconfig", file, "get", "configmaps", "-A"]);
    equal((await asked()).code, 1);
    // The very line that it advises.
    const [, line = ""] = /^ *kubectl (.*clusterrolebinding.*)$/m.exec(made.stderr) ?? [];
    const bound = await run(kubectl.path, line.split(" "));
    equal(bound.code, 0, bound.stderr);
    const allowed = await asked();
    equal(allowed.code, 0, allowed.stderr);
  });

  it("writes only the kubeconfig to the standard output", async () => {
    const made = await create("carol", "-", "--ttl", "8h");
    equal(made.code, 0);
    match(made.stdout, /^apiVersion: v1\nkind: Config\n/);
    ok(!made.stdout.includes("rolebinding"));
  });

  it("replaces no file unless it is forced to", async () => {
    const file = directory.join("dave");
    await create("dave", file);
    const was = readFileSync(file, "utf8");
    const again = await create("dave", file);
    equal(again.code, 1);
    match(again.stderr, /it exists\. Say --output FILE, or --force/);
    equal(readFileSync(file, "utf8"), was);
    equal((await create("dave", file, "--force")).code, 0);
    ok(readFileSync(file, "utf8") !== was);
  });

  it("gives nobody the system's names by accident", async () => {
    for (const flags of [["system:node:a"], ["eve", "--group", "system:masters"]]) {
      const [name = "", ...more] = flags;
      const refused = await create(name, directory.join("eve"), ...more);
      equal(refused.code, 2, refused.stderr);
      match(refused.stderr, /Add --allow-system if you mean it/);
    }
    const file = directory.join("root");
    const allowed = await create("root", file, "--group", "system:masters", "--allow-system");
    equal(allowed.code, 0);
    match(allowed.stderr, /WARNING: whoever has this file may do everything/);
  });

  it("takes a name that looks like encoded bytes for what it says", async () => {
    // "system:masters" as a UTF8String in hexadecimal: the certificate library would decode a bare text of this form.
    const encoded = "#0c0e73797374656d3a6d617374657273";
    const file = directory.join("bobby");
    const made = await create("bobby", file, "--group", encoded);
    equal(made.code, 0, made.stderr);
    const { cert } = readCredentials(file);
    const { subject } = new X509Certificate(cert);
    match(subject, /#0c0e73797374656d3a6d617374657273/);
    equal(subject.includes("system:masters"), false, subject);
    equal((await create("bobby", directory.join("other"), "--group", "a\nb")).code, 2);
    equal((await create("bobby", directory.join("other"), "--group", "")).code, 2);
  });

  it("says what to do when it is not told enough, or wrongly", async () => {
    const nowhere = await driftless("user", "create", "x", "--data-dir", directory.join("none"));
    equal(nowhere.code, 1);
    match(nowhere.stderr, /Say --server https:\/\/HOST:PORT, or --data-dir/);
    const unsigned = await driftless(
      "user",
      "create",
      "x",
      "--data-dir",
      directory.join("none"),
      "--server",
      "https://a",
    );
    equal(unsigned.code, 1);
    match(unsigned.stderr, /there is no authority in .*Say --data-dir/);
    const badTime = await create("x", "-", "--ttl", "1y");
    equal(badTime.code, 2);
    match(badTime.stderr, /--ttl 1y: must be a number and a unit/);
    equal((await driftless("user", "create")).code, 2);
    const help = await driftless("user", "create", "--help");
    equal(help.code, 0);
    match(help.stdout, /Examples:/);
  });
});
