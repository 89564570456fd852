// `driftless run` with variables from objects of a real server, which is cut off and killed in between, and what it says of itself.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { after, before, describe, it } from "node:test";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { Wire } from "../client/tls-server.ts";
import { DriftlessServer } from "../support/driftless-server.ts";
import { RunProcess } from "./run-process.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const secrets = "/api/v1/namespaces/default/secrets";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  assert.ok(typeof address === "object" && address !== null);
  return address.port;
}

async function answer(port: number, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return `${response.status} ${await response.text()}`;
}

describe("run with variables from objects", () => {
  const dir = tempDir();
  const dataDir = dir.join("data");
  let server: DriftlessServer;
  let wire: Wire;
  before(async () => {
    server = await DriftlessServer.start({ dataDir });
    wire = await Wire.to(server.port);
    const kubeconfig = readFileSync(server.kubeconfig, "utf8");
    dir.write({ kubeconfig: kubeconfig.replace(server.url, wire.url) });
  });
  after(async () => {
    wire?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
    dir[Symbol.dispose]();
  });

  const place = ["--kubeconfig", dir.join("kubeconfig"), "-n", "default", "--min-wait", "1ms"];

  async function put(name: string, data: object, method = "PUT"): Promise<void> {
    const path = method === "PUT" ? `${configMaps}/${name}` : configMaps;
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
    const { status, text } = await server.fetch(method, path, object);
    assert.ok(status < 300, text);
  }

  it("waits for them, follows them, and keeps what it knew of one that is deleted", async () => {
    const port = await freePort();
    const script = "echo A=$A P=$P; exec sleep 1000";
    const sources = ["--env-from", "configmap/app", "--env-from", "secret/db?"];
    await using run = RunProcess.start({
      args: [...sources, ...place, "--listen", `127.0.0.1:${port}`, "--", "sh", "-c", script],
    });
    await run.untilLogged("object is not there, nothing is known of it yet");
    await run.untilLogged("object is not there, it counts as empty");
    assert.match(await answer(port, "/readyz"), /^5/);
    assert.match(await answer(port, "/livez"), /^200/);
    await put("app", { A: "1" }, "POST");
    await run.untilPrinted("A=1 P=");
    await put("app", { A: "2" });
    await run.untilPrinted("A=2 P=");
    const db = { apiVersion: "v1", kind: "Secret", metadata: { name: "db" } };
    await server.fetch("POST", secrets, { ...db, stringData: { P: "word" } });
    await run.untilPrinted("A=2 P=word");
    await server.fetch("DELETE", `${configMaps}/app`);
    await run.untilLogged("object is not there, what was known stays");
    assert.equal(run.pids.length, 3);
    // The third: on a slow machine those before it may have been ready, too.
    await run.until(({ logged }) => {
      const started = logged.findLastIndex(({ message }) => message.startsWith("program started"));
      return logged.slice(started).some(({ message }) => message === "program is ready");
    });
    assert.match(await answer(port, "/readyz"), /^200/);
    const numbers = await answer(port, "/metrics");
    assert.match(numbers, /driftless_run_starts_total\{reason="change"\} 2/);
    assert.match(numbers, /driftless_run_current 1/);
    run.signal("SIGTERM");
    assert.equal(await run.exit, 143);
  });

  it("misses nothing of them while it is cut off, and while the server is down", async () => {
    await put("cut", { A: "1" }, "POST");
    const script = "echo A=$A; exec sleep 1000";
    await using run = RunProcess.start({
      args: ["--env-from", "configmap/cut", ...place, "--", "sh", "-c", script],
    });
    await run.untilPrinted("A=1");
    wire.cut();
    await put("cut", { A: "2" });
    wire.mend();
    await run.untilPrinted("A=2");
    await server.kill();
    const { port } = server;
    await server[Symbol.asyncDispose]();
    server = await DriftlessServer.start({ dataDir, port });
    await put("cut", { A: "3" });
    await run.untilPrinted("A=3");
    assert.deepEqual(run.printed, ["A=1", "A=2", "A=3"]);
    run.signal("SIGTERM");
    assert.equal(await run.exit, 143);
  });
});
