// What needs a process of its own: signals, and whether the library keeps it alive.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { systemEnvironment } from "../src/environment.js";
import { eventually, passMs, temporaryDirectory } from "./situation.ts";

interface Running {
  readonly child: ChildProcess;
  readonly lines: () => string[];
}

function run(t: TestContext, program: string, ...args: string[]): Running {
  const path = new URL(`programs/${program}`, import.meta.url).pathname;
  const ackDirectory = temporaryDirectory(t);
  const child = spawn("env", [`DRIFTLESS_ACK=${ackDirectory}`, process.execPath, path, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  let output = "";
  child.stdout?.on("data", (data: Buffer) => {
    output += data.toString();
  });
  return { child, lines: () => output.split("\n").slice(0, -1) };
}

async function ended(child: ChildProcess): Promise<number | null> {
  let hasClosed = false;
  child.once("close", () => {
    hasClosed = true;
  });
  await eventually("the process ends by itself", () => hasClosed);
  return child.exitCode;
}

describe("a process", () => {
  it("uses every public name", async (t) => {
    const { child, lines } = run(t, "smoke.mjs", temporaryDirectory(t));
    assert.equal(await ended(child), 0);
    assert.deepEqual(lines(), ["ok"]);
  });

  it("is not kept alive by a watch of which it only uses the current value", async (t) => {
    const directory = temporaryDirectory(t);
    writeFileSync(join(directory, "key"), "1");
    const { child, lines } = run(t, "app.mjs", directory, "use current");
    assert.equal(await ended(child), 0);
    assert.deepEqual(lines(), ['current {"key":"1"}']);
  });

  it("is not kept alive by a loop that it has left", async (t) => {
    const { child, lines } = run(t, "app.mjs", temporaryDirectory(t), "leave a loop");
    assert.equal(await ended(child), 0);
    assert.deepEqual(lines(), ["initial"]);
  });

  it("is kept alive by a loop that waits, reloads on SIGHUP and still sees changes", async (t) => {
    const directory = temporaryDirectory(t);
    writeFileSync(join(directory, "key"), "1");
    const { child, lines } = run(t, "app.mjs", directory, "reload on SIGHUP");
    await eventually("it has started", () => lines().length === 1);
    // Long enough for a process that nothing keeps alive to end.
    await passMs(200);
    assert.equal(child.exitCode, null);
    child.kill("SIGHUP");
    await eventually("it has reloaded", () => lines().length === 2);
    // At once: the other process would see an empty file too, if it looked in the middle.
    writeFileSync(join(directory, "..new"), "2");
    renameSync(join(directory, "..new"), join(directory, "key"));
    await eventually("it has seen the change", () => lines().length === 3);
    assert.deepEqual(lines(), ['initial {"key":"1"}', 'reload {"key":"1"}', 'update {"key":"2"}']);
  });

  it("acknowledges to the directory that DRIFTLESS_ACK names", async (t) => {
    const directory = temporaryDirectory(t);
    const path = join(directory, "config");
    mkdirSync(path);
    const { child, lines } = run(t, "app.mjs", path, "use current");
    await ended(child);
    assert.equal(lines().length, 1);
    // The process ended without closing the watch: the acknowledgement says what it ran on.
    const spawned = child.spawnargs.find((each) => each.startsWith("DRIFTLESS_ACK="));
    const ackDirectory = spawned?.slice("DRIFTLESS_ACK=".length) ?? "";
    const [name = ""] = readdirSync(ackDirectory);
    assert.equal(name, `${encodeURIComponent(path)}.${child.pid}.json`);
    assert.match(
      readFileSync(join(ackDirectory, name), "utf8"),
      /"applied":\{"version":"[0-9a-f]{64}"/,
    );
  });
});

describe("signals", () => {
  it("have one listener for many watches, and none when the last is gone", () => {
    const before = process.listenerCount("SIGWINCH");
    let runs = 0;
    const ends = Array.from({ length: 20 }, () =>
      systemEnvironment.onSignal("SIGWINCH", () => {
        runs += 1;
      }),
    );
    assert.equal(process.listenerCount("SIGWINCH"), before + 1);
    process.emit("SIGWINCH");
    assert.equal(runs, 20);
    const last = ends.pop();
    for (const end of [...ends, ...ends]) end();
    assert.equal(process.listenerCount("SIGWINCH"), before + 1);
    last?.();
    assert.equal(process.listenerCount("SIGWINCH"), before);
  });
});
