import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync, utimesSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { systemClock } from "../base/clock.ts";
import { Secret } from "../base/secret.ts";
import { tempDir } from "../base/testing/temp-dir.ts";
import type { ReloadActionSpec } from "./compose-model.ts";
import { reloadText, reloadTry } from "./reload-tries.ts";

const { signal } = new AbortController();
const needs = { clock: systemClock, procfs: "/proc", pid: process.pid };
const tell = (spec: ReloadActionSpec): Promise<void> => reloadTry(spec, needs)(signal);

const http: Extract<ReloadActionSpec, { type: "http" }> = {
  ...{ type: "http", method: "POST", url: "http://127.0.0.1/", headers: new Map() },
  ...{ auth: undefined, body: undefined, expectedStatus: undefined },
  ...{ timeoutMs: 30_000, skipsTlsVerify: false },
};

describe("a reload by a signal", () => {
  it("reaches the process of a pid file, and says why it does not", async () => {
    using dir = tempDir();
    const script = `trap 'exit 7' HUP; echo $$ > ${dir.join("pid")}; echo ready; while :; do sleep 0.02; done`;
    const child = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    const spec = {
      ...{ type: "signal" as const, signal: "SIGHUP" },
      target: { pidFile: dir.join("pid") },
    };
    const exited = once(child, "exit");
    await tell(spec);
    equal((await exited)[0], 7);
    await rejects(tell(spec), /SIGHUP was not sent: process \d+ is gone/);
    dir.write({ pid: "all\n" });
    await rejects(tell(spec), /there is no process id/);
    const none = { ...spec, target: { pidFile: dir.join("none") } };
    await rejects(tell(none), /pid file cannot be read/);
  });

  it("never goes to ourselves, whatever a pid file says", async () => {
    using dir = tempDir();
    dir.write({ pid: `${process.pid}\n` });
    const got: string[] = [];
    const listener = (name: string): void => void got.push(name);
    process.on("SIGUSR2", listener);
    try {
      const target = { pidFile: dir.join("pid") };
      await rejects(tell({ type: "signal", signal: "SIGUSR2", target }), /it is our own/);
      await systemClock.sleep(1);
      deepEqual(got, []);
    } finally {
      process.off("SIGUSR2", listener);
    }
  });

  it("finds a process by its name, the parent and not the workers of the same name", async () => {
    using dir = tempDir();
    dir.write({
      "driftless-tst": `trap 'echo told >> ${dir.join("told")}; exit 7' HUP
(trap 'echo worker >> ${dir.join("told")}' HUP; while :; do sleep 0.02; done) &
echo ready; trap 'kill $!' EXIT; while :; do sleep 0.02; done`,
    });
    const child = spawn("sh", [dir.join("driftless-tst")], {
      argv0: "driftless-tst",
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    const exited = once(child, "exit");
    await tell({ type: "signal", signal: "SIGHUP", target: { processName: "driftless-tst" } });
    equal((await exited)[0], 7);
    const nobody = { processName: "driftless-nobody" };
    const failing = tell({ type: "signal", signal: "SIGHUP", target: nobody });
    await rejects(failing, /no process is called "driftless-nobody"/);
  });
});

describe("a reload by HTTP", () => {
  it("sends headers, credentials and a body, and is content with what is expected", async () => {
    using dir = tempDir();
    dir.write({ token: "first\n" });
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        const { authorization, "x-a": a } = request.headers;
        seen.push([request.method, a, authorization, body]);
        response.writeHead(418).end();
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/reload?key=hush`;
    const spec = { ...http, url, headers: new Map([["X-A", "b"]]), expectedStatus: [418] };
    await tell({ ...spec, auth: { tokenFile: dir.join("token") }, body: "now" });
    dir.write({ token: "second\n" });
    await tell({ ...spec, method: "PUT", auth: { tokenFile: dir.join("token") } });
    const password = new Secret(Buffer.from("pä"));
    await tell({ ...spec, auth: { username: "me", password, encoding: "latin1" } });
    await rejects(tell({ ...spec, expectedStatus: undefined }), /reload: answered 418$/);
    server.close();
    server.closeAllConnections();
    deepEqual(seen.slice(0, 3), [
      ["POST", "b", "Bearer first", "now"],
      ["PUT", "b", "Bearer second", ""],
      ["POST", "b", `Basic ${Buffer.from("me:pä", "latin1").toString("base64")}`, ""],
    ]);
    equal(reloadText(spec), url.replace(/^/, "POST ").replace(/\?.*/, ""));
  });
});

describe("a reload by a touch", () => {
  it("makes the file, and sets its time", async () => {
    using dir = tempDir();
    const path = dir.join("touched");
    await tell({ type: "touch", path });
    ok(existsSync(path));
    utimesSync(path, 1, 1);
    await tell({ type: "touch", path });
    ok(statSync(path).mtimeMs > 1e12);
  });
});
