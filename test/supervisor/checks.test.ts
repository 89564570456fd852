// Gates and readiness checks of `driftless run`: what they say yes to, no to, and nothing at all.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { test } from "node:test";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { groupLives } from "../../src/supervisor/process-group.ts";
import { eventually } from "../up/driftless-up.ts";
import { RunProcess } from "./run-process.ts";

const quick = ["--min-wait", "1ms"];

/** Replaces a file at one instant. */
function put(dir: TempDir, name: string, text: string): void {
  writeFileSync(dir.join(`..${name}.new`), text);
  renameSync(dir.join(`..${name}.new`), dir.join(name));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  assert.ok(typeof address === "object" && address !== null);
  return address.port;
}

/** Listens where it is told, or does not listen at all, or is not well. */
const server = `
  const { A, PORT } = process.env;
  const answer = (_, response) => response.writeHead(A === "sick" ? 500 : 200).end();
  require("node:http").createServer(answer).listen(Number(PORT), "127.0.0.1");`;
const program = 'echo A=$A; test "$A" = deaf && exec sleep 1000; exec "$0" -e "$1"';

for (const [scheme, bad, timeout] of [
  ["tcp", "deaf", "1s"],
  // It has to be up by then to say that it is not well.
  ["http", "sick", "5s"],
] as const) {
  test(`run takes a program that answers by ${scheme} for ready, and goes back from one that does not`, async () => {
    using dir = tempDir();
    dir.write({ A: "1" });
    const port = await freePort();
    const check = scheme === "tcp" ? `tcp:${port}` : `http://127.0.0.1:${port}/healthz`;
    const flags = ["--env-from", dir.path, "--ready", check, "--ready-timeout", timeout];
    await using run = RunProcess.start({
      args: [...quick, ...flags, "--", "sh", "-c", program, process.execPath, server],
      env: { PORT: String(port) },
    });
    await run.untilLogged("program is ready");
    put(dir, "A", bad);
    await run.untilLogged("program is ready", 2);
    await run.until(({ printed }) => printed.length >= 3);
    assert.deepEqual(run.printed, ["A=1", `A=${bad}`, "A=1"]);
    const [refusal] = run.logged.filter(({ reason }) => reason === "not-ready");
    assert.match(
      String(refusal?.["why"]),
      scheme === "tcp" ? /port \d+: ECONNREFUSED/ : /GET .*: answered 500/,
    );
    put(dir, "A", "3");
    await run.untilPrinted("A=3");
  });
}

test("run kills a gate that hangs, with all that it has started, and keeps its program", async () => {
  using dir = tempDir();
  dir.write({ A: "1" });
  const gate = `sh -c 'test "$A" = hang || exit 0; echo $$ > ${dir.join("..gate")}; sleep 1000 & sleep 1000'`;
  const script = "echo A=$A; exec sleep 1000";
  // By then it has said who it is.
  const flags = ["--env-from", dir.path, "--gate", gate, "--gate-timeout", "5s"];
  await using run = RunProcess.start({ args: [...quick, ...flags, "--", "sh", "-c", script] });
  await run.untilPrinted("A=1");
  put(dir, "A", "hang");
  await run.untilLogged("version refused, the last good one stays");
  const [refusal] = run.logged.filter(({ reason }) => reason === "gate");
  assert.match(String(refusal?.["why"]), /did not end within 5 s/);
  const group = Number(readFileSync(dir.join("..gate"), "utf8"));
  // Those that it has started are killed with it, and nobody waits for them.
  await eventually("the end of all of them", () => assert.equal(groupLives(group), false));
  put(dir, "A", "3");
  await run.untilPrinted("A=3");
  assert.deepEqual(run.printed, ["A=1", "A=3"]);
});

test("run waits for no gate that nobody needs: when something else is wanted, or when its program has ended", async () => {
  using dir = tempDir();
  dir.write({ A: "1" });
  const gate = `sh -c 'test "$A" = hang || exit 0; echo >&2 hangs; exec sleep 1000'`;
  const script = "echo A=$A; exec sleep 1000";
  const flags = ["--env-from", dir.path, "--gate", gate, "--gate-timeout", "1h"];
  await using run = RunProcess.start({ args: [...quick, ...flags, "--", "sh", "-c", script] });
  await run.untilPrinted("A=1");
  put(dir, "A", "hang");
  await run.untilLogged("hangs");
  put(dir, "A", "3");
  await run.untilPrinted("A=3");
  await run.until(({ pids }) => pids.length === 2);
  put(dir, "A", "hang");
  await run.untilLogged("hangs", 2);
  process.kill(run.pids[1] ?? 0, "SIGKILL");
  assert.equal(await run.exit, 137);
});

test("run starts nothing that the gate is against, and starts it when it is for it", async () => {
  using dir = tempDir();
  dir.write({ conf: "bad" });
  // The gate has a copy of its own of what is to come.
  const gate = "grep -q good {snapshot}/conf";
  const flags = ["--watch", dir.path, "--gate", gate, "--", "cat", "{snapshot}/conf"];
  await using run = RunProcess.start({ args: [...quick, ...flags] });
  await run.untilLogged("version refused, nothing is started");
  assert.deepEqual(run.pids, []);
  put(dir, "conf", "good");
  assert.equal(await run.exit, 0);
  assert.deepEqual(run.printed, ["good"]);
});

test("run ends when the gate is against what can never change", async () => {
  await using run = RunProcess.start({ args: ["--gate", "/no/such/gate", "--", "true"] });
  assert.equal(await run.exit, 1);
  const [refusal] = run.logged.filter(({ reason }) => reason === "gate");
  assert.match(String(refusal?.["why"]), /cannot be started: there is no such program/);
  assert.deepEqual(run.pids, []);
});

test("run goes by the clock when there are no file events to be had", async () => {
  using dir = tempDir();
  dir.write({ A: "1" });
  const limit = "echo 0 > /proc/sys/user/max_inotify_watches";
  await using run = RunProcess.start({
    prefix: ["unshare", "--user", "--map-root-user", "sh", "-c", `${limit}; exec "$@"`, "sh"],
    args: [...quick, "--env-from", dir.path, "--", "sh", "-c", "echo A=$A; exec sleep 1000"],
  });
  await run.untilPrinted("A=1");
  await run.untilLogged("no file events, looking every second");
  put(dir, "A", "2");
  await run.untilPrinted("A=2");
});
