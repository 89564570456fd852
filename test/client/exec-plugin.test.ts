import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { stringify } from "yaml";
import { FakeClock } from "../../src/base/testing/fake-clock.ts";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { ExecPlugin } from "../../src/client/exec-plugin.ts";
import { loadConnection } from "../../src/client/kubeconfig.ts";

const apiVersion = "client.authentication.k8s.io/v1";
const never = new AbortController().signal;

/** Runs `script` with sh, as the kubeconfig of a user says. */
function pluginOf(
  directory: TempDir,
  script: string,
  more: object = {},
): { readonly plugin: ExecPlugin; readonly clock: FakeClock } {
  const exec = {
    apiVersion,
    command: "sh",
    args: ["login.sh"].map((name) => directory.join(name)),
    interactiveMode: "IfAvailable",
    ...more,
  };
  directory.write({
    "login.sh": script,
    kubeconfig: stringify({
      "current-context": "x",
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server: "https://a:1" } }],
      users: [{ name: "u", user: { exec } }],
    }),
  });
  const { exec: config } = loadConnection({
    file: directory.join("kubeconfig"),
    env: { PATH: process.env["PATH"], HERE: directory.path },
  });
  if (config === undefined) throw new Error("there is no exec");
  const clock = new FakeClock();
  return { plugin: new ExecPlugin({ config, clock }), clock };
}

/** Counts its runs in a file, and prints them as the token. */
const counting = (status: string): string => `
echo run >> "$HERE/runs"
n=$(wc -l < "$HERE/runs" | tr -d ' ')
echo '{"kind":"ExecCredential","apiVersion":"${apiVersion}","status":{"token":"t'$n'"${status}}}'
`;

describe("a program that logs in", () => {
  it("runs once for all who ask at the same time, and again when what it gave runs out", async () => {
    using directory = tempDir();
    const script = counting(',"expirationTimestamp":"2024-01-01T01:00:00Z"');
    const { plugin, clock } = pluginOf(directory, script);
    const asked = await Promise.all([1, 2, 3].map(() => plugin.credentials(never)));
    deepEqual(asked, [{ token: "t1" }, { token: "t1" }, { token: "t1" }]);
    await clock.step(3600_000 - 10_001);
    deepEqual(await plugin.credentials(never), { token: "t1" });
    await clock.step(1);
    deepEqual(await plugin.credentials(never), { token: "t2" });
  });

  it("runs again when the server refuses what it gave, and not for what it gave before", async () => {
    using directory = tempDir();
    const { plugin } = pluginOf(directory, counting(""));
    await plugin.credentials(never);
    plugin.refused("t1");
    deepEqual(await plugin.credentials(never), { token: "t2" });
    plugin.refused("t1");
    deepEqual(await plugin.credentials(never), { token: "t2" });
  });

  it("gets its arguments, its environment, and what it is asked for", async () => {
    using directory = tempDir();
    const script = `
printf '%s|%s|%s' "$1" "$E" "$KUBERNETES_EXEC_INFO" > "$HERE/got"
${counting("")}`;
    const more = {
      args: [directory.join("login.sh"), "an argument"],
      env: [{ name: "E", value: "e" }],
      provideClusterInfo: true,
    };
    await pluginOf(directory, script, more).plugin.credentials(never);
    const [argument, variable, info] = readFileSync(directory.join("got"), "utf8").split("|");
    equal(argument, "an argument");
    equal(variable, "e");
    deepEqual(JSON.parse(info ?? ""), {
      kind: "ExecCredential",
      apiVersion,
      spec: { interactive: false, cluster: { server: "https://a:1", config: null } },
    });
  });

  it("may give a certificate and its key", async () => {
    using directory = tempDir();
    const script = counting(',"clientCertificateData":"C","clientKeyData":"K"');
    deepEqual(await pluginOf(directory, script).plugin.credentials(never), {
      token: "t1",
      certificate: "C",
      key: "K",
    });
  });

  it("is quoted when it fails, with the file and the user", async () => {
    using directory = tempDir();
    const { plugin } = pluginOf(directory, "echo no such account >&2; exit 3");
    await rejects(
      plugin.credentials(never),
      /Cannot log in with sh \(.*kubeconfig, users\[u\]\.user\.exec\): it ended with 3: no such account/,
    );
  });

  it("is told of with its hint when it is not there", async () => {
    using directory = tempDir();
    const more = { command: "no-such-program", installHint: "Get it at the counter" };
    await rejects(
      pluginOf(directory, "", more).plugin.credentials(never),
      /Cannot log in with no-such-program .*: there is no such program\. Get it at the counter/,
    );
  });

  it("is never quoted when what it prints is wrong", async () => {
    using directory = tempDir();
    const cases: readonly (readonly [string, RegExp])[] = [
      ["echo s3cret", /is not JSON/],
      [`echo '{"kind":"ExecCredential","apiVersion":"x"}'`, /is not an ExecCredential of/],
      [counting(',"clientKeyData":"s3cret"'), /only one of clientCertificateData/],
      [counting(',"expirationTimestamp":"soon"'), /expirationTimestamp is not a time/],
    ];
    for (const [script, problem] of cases) {
      await rejects(pluginOf(directory, script).plugin.credentials(never), (err: Error) => {
        match(err.message, problem);
        return !err.message.includes("s3cret");
      });
    }
  });

  it("is ended when it hangs", async () => {
    using directory = tempDir();
    const { plugin, clock } = pluginOf(directory, "exec sleep 1000");
    const asked = rejects(plugin.credentials(never), /it did not end within 60 s/);
    await clock.step(60_000);
    await asked;
  });
});
