// When the keeper ends by itself, with time that a test steps and FIFOs that are real.

import assert from "node:assert/strict";
import { closeSync, constants, mkdirSync, openSync, writeSync } from "node:fs";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { systemClock } from "../../src/base/clock.ts";
import { FakeClock } from "../../src/base/testing/fake-clock.ts";
import { KeeperConnection } from "../../src/runtime/logs/keeper-connection.ts";
import { keeperFiles } from "../../src/runtime/logs/keeper-files.ts";
import { KeeperServer } from "../../src/runtime/logs/keeper-server.ts";
import { LogCompressor } from "../../src/runtime/logs/log-compressor.ts";
import { LineBuffer, ROTATION } from "../../src/runtime/logs/log-file.ts";
import { WallTime } from "../../src/runtime/logs/wall-time.ts";
import { KeeperBench, linesOf, until } from "./keeper-bench.ts";

interface RunningServer {
  readonly clock: FakeClock;
  readonly hasEnded: () => boolean;
  readonly connect: () => Promise<KeeperConnection>;
  /** Lets the keeper wait, look, and act on what it saw. */
  readonly wait: () => Promise<void>;
}

async function running(root: string): Promise<RunningServer> {
  const clock = new FakeClock();
  const files = keeperFiles(root);
  mkdirSync(files.directory, { recursive: true });
  const report = (what: string, err: unknown): void => assert.fail(`${what}: ${String(err)}`);
  const workshop = {
    clock,
    time: new WallTime(clock),
    input: Buffer.alloc(65536),
    output: new LineBuffer(),
    rotation: ROTATION,
    compressor: new LogCompressor(report),
  };
  const server = new KeeperServer({ files, workshop, idleMs: 10_000, pid: 1, report });
  const ready = Promise.withResolvers<void>();
  let ended = false;
  void server.run(new AbortController().signal, ready.resolve).then(() => {
    ended = true;
  });
  await ready.promise;
  const turns = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) await turn();
  };
  return {
    clock,
    hasEnded: () => ended,
    connect: () => KeeperConnection.open(files, systemClock),
    async wait() {
      await turns();
      await clock.step(10_000);
      await turns();
      await clock.step(1000);
      await turns();
    },
  };
}

test("a keeper ends when no agent comes and there is nothing to follow", async () => {
  await using bench = new KeeperBench();
  const { clock, hasEnded, wait } = await running(bench.root);
  await clock.step(9000);
  assert.equal(hasEnded(), false);
  await wait();
  assert.equal(hasEnded(), true);
});

test("a keeper stays as long as an agent is there", async () => {
  await using bench = new KeeperBench();
  const { hasEnded, wait, connect } = await running(bench.root);
  const agent = await connect();
  await wait();
  assert.equal(hasEnded(), false);
  agent.close();
  await agent.closed;
  await wait();
  assert.equal(hasEnded(), true);
});

test("a keeper without an agent stays as long as a container runs, and ends after it", async () => {
  await using bench = new KeeperBench();
  const { hasEnded, wait, connect } = await running(bench.root);
  const of = bench.output("a");
  const agent = await connect();
  await agent.ask({ op: "follow", of });
  const fds = [of.stdoutFifo, of.stderrFifo].map((path) => openSync(path, constants.O_RDWR));
  agent.close();
  await agent.closed;
  await wait();
  await wait();
  assert.equal(hasEnded(), false);
  writeSync(fds[0] ?? -1, "still here\n");
  await until(() => linesOf(of.logPath).length === 1);
  for (const fd of fds) closeSync(fd);
  await wait();
  assert.equal(hasEnded(), true);
  assert.deepEqual(linesOf(of.logPath), ["stdout F still here"]);
});

test("a container's output that somebody else holds open is given up after ten seconds", async () => {
  await using bench = new KeeperBench();
  const { clock, connect } = await running(bench.root);
  const of = bench.output("a");
  const agent = await connect();
  await agent.ask({ op: "follow", of });
  const fd = openSync(of.stdoutFifo, constants.O_RDWR);
  writeSync(fd, "half a line");
  const finished = agent.ask({ op: "finished", id: "a" });
  await until(() => clock.waiting > 0);
  await clock.step(10_000);
  await finished;
  assert.deepEqual(linesOf(of.logPath), ["stdout P half a line"]);
  closeSync(fd);
  await agent.ask({ op: "retire" });
});
