// `driftless sidecar` with everything real: processes, files, signals, a server that is away.

import { deepEqual, equal, match, ok } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, rmSync, symlinkSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "../../src/base/testing/seeded-random.ts";
import { LONG, testSeed } from "../support/campaign.ts";
import { tmpfs } from "../support/tmpfs.ts";
import { ended, SidecarScene } from "./sidecar-process.ts";

/** Says no to everything with "bad" in it. */
const gate = { command: ["sh", "-c", '! grep -rn bad "$1"', "sh", "{dir}"] };

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

describe("driftless sidecar", { timeout: 240_000 }, () => {
  it("follows a directory into a volume and tells a process by its pid file", async () => {
    await using scene = new SidecarScene();
    const script = `trap 'cat ${scene.join("out/app.conf")} >> ${scene.join("told")}' HUP
echo $$ > ${scene.join("pid")}; while :; do sleep 0.02; done`;
    scene.keep(spawn("sh", ["-c", script], { stdio: "ignore" }));
    scene.write("in/app.conf", "one\n");
    scene.start({
      sources: { in: scene.join("in") },
      output: scene.join("out"),
      reload: { signal: "HUP", pidFile: scene.join("pid") },
    });
    await scene.until("the first is told", () => scene.read("told") === "one\n");
    scene.write("in/app.conf", "two\n");
    await scene.until("the second is told", () => scene.read("told") === "one\ntwo\n");
    match(scene.log, /"message":"app was told"/);
  });

  it("keeps what a gate command rejects away, and has the last good version live after kill -9", async () => {
    await using scene = new SidecarScene();
    const compose = {
      sources: { in: scene.join("in") },
      output: { files: scene.join("out") },
      gate,
      reload: { touch: scene.join("touched") },
    };
    scene.write("in/app.conf", "one\n");
    const first = scene.start(compose);
    await scene.until("it is live", () => scene.read("out/app.conf") === "one\n");
    scene.write("in/app.conf", "bad\n");
    await scene.until("it is rejected", () => scene.log.includes('"stage":"gate"'));
    match(scene.log, /app.conf:1:bad/);
    equal(scene.read("out/app.conf"), "one\n");
    await scene.kill(first);
    rmSync(scene.join("out"), { recursive: true });
    rmSync(scene.join("touched"), { force: true });
    const second = scene.start(compose);
    await scene.until("the last good one is back", () => scene.read("out/app.conf") === "one\n");
    await scene.until("it is told", () => scene.read("touched") !== undefined);
    scene.write("in/app.conf", "two\n");
    await scene.until("the next good one is live", () => scene.read("out/app.conf") === "two\n");
    await scene.kill(second, "SIGTERM");
    equal(second.exitCode, 0);
  });

  it("tells a server that is away when it comes back, of the newest version only", async () => {
    await using scene = new SidecarScene();
    const seen: string[] = [];
    const serve = async (port: number): Promise<Server> => {
      const server = createServer((_, response) => {
        seen.push(scene.read("out/app.conf") ?? "");
        response.end();
      }).listen(port, "127.0.0.1");
      await once(server, "listening");
      return server;
    };
    const server = await serve(0);
    const { port } = server.address() as AddressInfo;
    scene.write("in/app.conf", "one\n");
    scene.start({
      sources: { in: scene.join("in") },
      output: scene.join("out"),
      reload: { actions: [{ http: `http://127.0.0.1:${port}/-/reload` }], retryMax: "500ms" },
    });
    await scene.until("the first is told", () => seen.length === 1);
    server.closeAllConnections();
    server.close();
    await once(server, "close");
    for (const text of ["two\n", "three\n"]) {
      scene.write("in/app.conf", text);
      await scene.until(`${text} is live`, () => scene.read("out/app.conf") === text);
    }
    await scene.until("it fails", () => scene.log.includes("nobody listens there"));
    const back = await serve(port);
    await scene.until("the newest is told", () => seen.at(-1) === "three\n");
    deepEqual(seen, ["one\n", "three\n"]);
    back.closeAllConnections();
    back.close();
  });

  it("ends with 0 after --once, and with 1 and the reason when it is stopped or its time is over", async () => {
    await using scene = new SidecarScene();
    const compose = { sources: { in: scene.join("in") }, output: scene.join("out"), gate };
    scene.write("in/app.conf", "one\n");
    equal(await ended(scene.start(compose, ["--once"])), 0);
    equal(scene.read("out/app.conf"), "one\n");
    scene.write("in/app.conf", "bad\n");
    const refused = scene.start(compose, ["--once"]);
    await scene.until("it is rejected", () => scene.log.includes('"stage":"gate"'));
    await scene.kill(refused, "SIGTERM");
    equal(refused.exitCode, 1);
    match(scene.log, /stopped before it was done: gate: the gate command "sh" ended with 1/);
    equal(scene.read("out/app.conf"), "one\n");
    scene.log = "";
    equal(await ended(scene.start(compose, ["--once", "--timeout", "1s"])), 1);
    match(scene.log, /^driftless: not done in time: \w/m);
  });

  it("writes nothing for --dry-run and --explain, and shows no secret", async () => {
    await using scene = new SidecarScene();
    const compose = {
      sources: {
        in: scene.join("in"),
        key: { file: scene.join("key"), isSecret: true },
      },
      output: scene.join("out"),
      gate,
    };
    scene.write("in/app.conf", "one\n");
    scene.write("key", "hunter2\n");
    equal(await ended(scene.start(compose, ["--dry-run"])), 0, scene.log);
    match(scene.log, /app.conf: new .*\n.*\n.*\n@@ .*\n\+one\n/);
    match(scene.log, /key: new, a secret/);
    equal(await ended(scene.start(compose, ["--explain"])), 0);
    match(scene.log, /from in\/app.conf/);
    ok(!scene.log.includes("hunter2"), "a secret was shown");
    deepEqual(readdirSync(scene.path).includes("out"), false);
    scene.write("in/app.conf", "bad\n");
    equal(await ended(scene.start(compose, ["--dry-run"])), 1);
    scene.write("in/app.conf", "one\n");
    const unwritable = { ...compose, output: scene.join("key/below") };
    equal(await ended(scene.start(unwritable, ["--dry-run"])), 1);
    match(scene.log, /^problem: .*key is no directory$/m);
  });

  it("answers for its health, and stays ready with the last good version", async () => {
    await using scene = new SidecarScene();
    scene.write("in/app.conf", "bad\n");
    const port = await freePort();
    const compose = {
      sources: { in: scene.join("in") },
      output: scene.join("out"),
      gate: { ...gate, failsReadiness: true },
    };
    scene.start(compose, ["--listen", `127.0.0.1:${port}`]);
    const status = async (path: string): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      await answer.arrayBuffer();
      return answer.status;
    };
    await scene.until("it is rejected", () => scene.log.includes('"stage":"gate"'));
    deepEqual([await status("/livez"), await status("/readyz")], [200, 500]);
    scene.write("in/app.conf", "good\n");
    await scene.until("it is live", () => scene.read("out/app.conf") === "good\n");
    while ((await status("/readyz")) !== 200) await sleep(20);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    match(metrics, /driftless_sidecar_publishes_total\{result="rejected"\} [1-9]/);
  });

  it("keeps what is live on a full disk, and goes on when there is room", async (t) => {
    await using scene = new SidecarScene();
    using disk = tmpfs("size=1m");
    if ("reason" in disk) {
      t.skip(disk.reason);
      return;
    }
    symlinkSync(disk.path, scene.join("disk"));
    for (const kind of ["volume", "files"]) {
      const output = { [kind]: join(disk.path, "out") };
      scene.log = "";
      scene.write("in/app.conf", "one\n");
      const child = scene.start({ sources: { in: scene.join("in") }, output }, [
        ...["--state-dir", join(disk.path, "state")],
      ]);
      await scene.until("it is live", () => scene.read("disk/out/app.conf") === "one\n");
      scene.write("in/app.conf", "x".repeat(2_000_000));
      await scene.until("it fails", () => scene.log.includes("ENOSPC"));
      equal(scene.read("disk/out/app.conf"), "one\n");
      scene.write("in/app.conf", "two\n");
      await scene.until("it goes on", () => scene.read("disk/out/app.conf") === "two\n");
      await scene.kill(child);
      rmSync(scene.join("disk/out"), { recursive: true });
      rmSync(scene.join("disk/state"), { recursive: true });
    }
  });

  const seed = testSeed();
  for (const kind of ["volume", "files"]) {
    it(`never shows half a file or a bad one (${kind}), killed at any time (seed ${seed})`, async () => {
      await using scene = new SidecarScene();
      const random = seededRandom(seed);
      const compose = {
        sources: { in: scene.join("in") },
        output: { [kind]: scene.join("out") },
        gate,
        reload: {
          actions: [{ command: ["sh", "-c", `cp ${scene.join("out/a")} ${scene.join("told")}`] }],
        },
      };
      const good = new Set<string>();
      let last = "";
      for (let life = 0; life < (LONG ? 40 : 4); life++) {
        const child = scene.start(compose);
        for (let step = 0; step < 6; step++) {
          const isBad = random.next() < 0.3;
          const text = `${isBad ? "bad" : "good"} ${life} ${step} ${"x".repeat(random.uint32() % 50_000)}\n`;
          if (!isBad) last = text;
          if (!isBad) good.add(text);
          scene.write("in/a", text);
          await sleep(random.next() * 250);
          const shown = scene.read("out/a");
          ok(shown === undefined || good.has(shown), `${shown?.slice(0, 20)} is live`);
        }
        await scene.kill(child);
        const shown = scene.read("out/a");
        ok(shown === undefined || good.has(shown), `${shown?.slice(0, 20)} is live after the kill`);
      }
      scene.write("in/a", last);
      scene.start(compose);
      await scene.until("the last good one is live", () => scene.read("out/a") === last);
      await scene.until("and told", () => scene.read("told") === last);
    });
  }
});
