// exec with real kubectl: SPDY/3.1 by 1.20, and by the newer ones when told to; WebSocket by these otherwise.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { kubectlBinary, kubectlLines } from "../clients/kubectl-binaries.ts";
import { type KubectlOptions, KubectlRun, runKubectl } from "./kubectl-run.ts";
import { writePattern } from "./pattern.ts";
import { PodServer } from "./pod-server.ts";

const isLong = process.env["DRIFTLESS_TEST_LONG"] === "1";
const sessions = isLong ? 50 : 15;

for (const line of kubectlLines) {
  const found = await kubectlBinary(line);
  const modes = line === "1.20" ? ["SPDY"] : ["WebSocket", "SPDY"];
  for (const mode of modes) {
    // The way by which it goes unless it is told otherwise is tested in full.
    const megabytes = isLong || mode === modes[0] ? 100 : 10;
    describe(`kubectl ${line} over ${mode}`, { skip: found.ok ? false : found.reason }, () => {
      let server: PodServer;
      let options: KubectlOptions;

      before(async () => {
        server = await PodServer.start();
        options = {
          kubectl: found.ok ? found.path : "",
          kubeconfig: server.kubeconfig,
          env: mode === "SPDY" ? { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: "false" } : {},
        };
      });
      after(() => server[Symbol.asyncDispose]());

      it("is given output, errors and the exit code", async () => {
        const script = "echo out; echo err >&2; exit 3";
        const result = await runKubectl(options, ["exec", "p", "--", "sh", "-c", script]);
        assert.equal(result.code, 3, result.stderr);
        assert.equal(result.stdout.toString(), "out\n");
        assert.match(result.stderr, /^err\n/);
        assert.match(result.stderr, /command terminated with exit code 3\n$/);
        assert.match(
          server.sessions[0]?.protocol ?? "",
          mode === "SPDY" ? /^SPDY/ : /^websocket v5/,
        );
      });

      it("ends well when the command does", async () => {
        const result = await runKubectl(options, ["exec", "p", "--", "true"]);
        assert.deepEqual(
          {
            code: result.code,
            stdout: result.stdout.toString(),
            stderr: result.stderr.replace(/Defaulted .*\n/, ""),
          },
          { code: 0, stdout: "", stderr: "" },
        );
      });

      it("says why a command could not be run", async () => {
        const result = await runKubectl(options, ["exec", "p", "--", "/no/such/program"]);
        assert.notEqual(result.code, 0);
        assert.match(
          result.stderr,
          /Internal error occurred: error executing command in container: spawn \/no/,
        );
      });

      it("tells the command the end of its input", async () => {
        const result = await runKubectl(
          options,
          ["exec", "-i", "p", "--", "wc", "-c"],
          "twelve bytes",
        );
        assert.equal(result.stdout.toString().trim(), "12");
        assert.equal(result.code, 0);
      });

      it("leaves when the command does, though its input is still open", async () => {
        using run = new KubectlRun(options, ["exec", "-i", "p", "--", "head", "-c", "3"]);
        run.child.stdin.write("abcdef");
        const result = await run.result();
        assert.equal(result.stdout.toString(), "abc");
        assert.equal(result.code, 0);
      });

      it(`passes ${megabytes} MB there and back, byte for byte`, async () => {
        using run = new KubectlRun(options, ["exec", "-i", "p", "--", "cat"]);
        const hash = createHash("sha256");
        run.child.stdout.on("data", (bytes: Buffer) => hash.update(bytes));
        const sent = writePattern(run.child.stdin, megabytes);
        const [code] = (await once(run.child, "close")) as [number];
        assert.equal(code, 0);
        assert.equal(hash.digest("hex"), await sent);
      });

      it("ends the command when it is killed", async () => {
        using run = new KubectlRun(options, [
          "exec",
          "-i",
          "p",
          "--",
          "sh",
          "-c",
          "echo go; exec sleep 1000",
        ]);
        const index = server.sessions.length;
        await once(run.child.stdout, "data");
        const session = await server.session(index);
        const isGone = once(session.streams.signal, "abort");
        run.child.kill("SIGKILL");
        await isGone;
        await session.ended;
        assert.equal(session.process.signalCode, "SIGKILL");
      });
    });
  }
}

it(`${sessions} kubectl of all versions run commands at once`, async (t) => {
  const found = await Promise.all(kubectlLines.map(kubectlBinary));
  const programs = found.flatMap((one) => (one.ok ? [one.path] : []));
  if (programs.length === 0) {
    t.skip("there is no kubectl");
    return;
  }
  await using server = await PodServer.start();
  const results = await Promise.all(
    Array.from({ length: sessions }, async (_, index) => {
      const kubectl = programs[index % programs.length] ?? "";
      const options = { kubectl, kubeconfig: server.kubeconfig };
      const args = ["exec", "-i", "p", "-c", "c", "--", "sh", "-c", `cat; exit ${index}`];
      const { code, stdout } = await runKubectl(options, args, `session ${index}`);
      return { code, said: stdout.toString() };
    }),
  );
  assert.deepEqual(
    results,
    results.map((_, index) => ({ code: index, said: `session ${index}` })),
  );
});
