// Commands that are killed when their time is up, and of whose end nobody hears even then, as of those that hang in the kernel. The wait for them ends nevertheless.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { setImmediate as afterMicrotasks, setTimeout as sleep } from "node:timers/promises";
import { FakeClock } from "../../src/base/testing/fake-clock.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { byCommand } from "../../src/reload/by-command.ts";
import { runGateCommand } from "../../src/sidecar/gate/gate-command.ts";
import { type Built, buildC } from "../support/c-program.ts";

const TIMEOUT_MS = 30_000;
/** More than what was killed is given. */
const LATER_MS = 10_000;

let untold: Built;
before(async () => {
  untold = await buildC(join(import.meta.dirname, "untold.c"));
});

/** One such command. Its parent is told when it is disposed of. */
class Untold implements Disposable {
  readonly #dir = tempDir();
  #pids: readonly number[] = [];

  get argv(): readonly string[] {
    assert.ok(untold.ok);
    return [untold.path, this.#dir.join("pids")];
  }

  async started(): Promise<void> {
    const file = this.#dir.join("pids");
    while (!existsSync(file)) await sleep(5);
    this.#pids = readFileSync(file).toString().split(" ").map(Number);
  }

  /** Settles when it was killed: it is dead, and nobody was told. */
  async killed(): Promise<void> {
    const status = `/proc/${this.#pids[1]}/status`;
    while (!/^State:\tZ/m.test(readFileSync(status).toString())) await sleep(5);
  }

  [Symbol.dispose](): void {
    const [tracer] = this.#pids;
    if (tracer !== undefined) process.kill(tracer, "SIGKILL");
    this.#dir[Symbol.dispose]();
  }
}

/** To be asked how the wait has ended, or whether it goes on. */
function endOf(wait: Promise<unknown>): () => Promise<unknown> {
  const ended = wait.catch((err: Error) => err.message);
  return () => Promise.race([ended, afterMicrotasks("it waits still")]);
}

describe("a command of whose end nobody is told", { timeout: 120_000 }, () => {
  it("does not keep the gate from saying that its time was up", async (t) => {
    if (!untold.ok) return t.skip(untold.reason);
    const clock = new FakeClock();
    using command = new Untold();
    const limits = { argv: command.argv, timeoutMs: TIMEOUT_MS, clock };
    const end = endOf(runGateCommand(limits, new AbortController().signal));
    await command.started();
    await clock.step(TIMEOUT_MS);
    await command.killed();
    await clock.step(LATER_MS);
    const reason = "did not end within 30 s";
    assert.deepEqual(await end(), { result: "failed", reason, output: "" });
    return undefined;
  });

  it("does not keep the gate from its own end", async (t) => {
    if (!untold.ok) return t.skip(untold.reason);
    const clock = new FakeClock();
    using command = new Untold();
    const stop = new AbortController();
    const limits = { argv: command.argv, timeoutMs: TIMEOUT_MS, clock };
    const end = endOf(runGateCommand(limits, stop.signal));
    await command.started();
    stop.abort(new Error("the end"));
    await command.killed();
    await clock.step(LATER_MS);
    assert.equal(await end(), "the end");
    return undefined;
  });

  it("does not keep the app from being told anew", async (t) => {
    if (!untold.ok) return t.skip(untold.reason);
    const clock = new FakeClock();
    using command = new Untold();
    const tell = byCommand({ argv: command.argv, timeoutMs: TIMEOUT_MS, clock });
    const end = endOf(tell(new AbortController().signal));
    await command.started();
    await clock.step(TIMEOUT_MS);
    await command.killed();
    await clock.step(LATER_MS);
    assert.match(String(await end()), /did not end within 30 s$/);
    return undefined;
  });
});
