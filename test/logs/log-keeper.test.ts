import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { test } from "node:test";
import { isRunning, KeeperBench, killKeeper, lineCount, linesOf, until } from "./keeper-bench.ts";

test("what a container writes to both its outputs is in its log when it has finished", async () => {
  await using bench = new KeeperBench();
  const keeper = bench.agent();
  const of = bench.output("a");
  await keeper.follow(of);
  const child = bench.shell(of, "echo out; echo err >&2; printf 'no end'");
  await once(child, "exit");
  await keeper.finished("a");
  const lines = linesOf(of.logPath);
  assert.deepEqual(
    lines.filter((line) => line.startsWith("stdout")),
    ["stdout F out", "stdout P no end"],
  );
  assert.deepEqual(
    lines.filter((line) => line.startsWith("stderr")),
    ["stderr F err"],
  );
});

test("bytes that are no text, and lines longer than 16 KiB, are in the log as they were written", async () => {
  await using bench = new KeeperBench();
  const keeper = bench.agent();
  const of = bench.output("a");
  await keeper.follow(of);
  const script = "printf '\\377\\000\\303(\\n'; head -c 40000 /dev/zero | tr '\\0' x; echo";
  await once(bench.shell(of, script), "exit");
  await keeper.finished("a");
  assert.deepEqual(linesOf(of.logPath), [
    "stdout F \xff\0\xc3(",
    `stdout P ${"x".repeat(16384)}`,
    `stdout P ${"x".repeat(16384)}`,
    `stdout F ${"x".repeat(40000 - 2 * 16384)}`,
  ]);
});

test("writers that come and go before the container starts end nothing", async () => {
  await using bench = new KeeperBench();
  const keeper = bench.agent();
  const of = bench.output("a");
  await keeper.follow(of);
  for (const text of ["one", "two", "three"]) {
    await once(bench.shell(of, `echo ${text}`), "exit");
    await until(() => linesOf(of.logPath).includes(`stdout F ${text}`));
  }
  await keeper.finished("a");
  assert.equal(linesOf(of.logPath).length, 3);
});

test("finished waits for what is still being written", async () => {
  await using bench = new KeeperBench();
  const keeper = bench.agent();
  const of = bench.output("a");
  await keeper.follow(of);
  const child = bench.shell(of, "read line; echo got $line");
  let isFinished = false;
  const finished = keeper.finished("a").then(() => {
    isFinished = true;
  });
  await keeper.follow(bench.output("b"));
  assert.equal(isFinished, false);
  child.stdin?.end("it\n");
  await finished;
  assert.deepEqual(linesOf(of.logPath), ["stdout F got it"]);
});

test("the keeper outlives its agent, and the next agent finds it", async () => {
  await using bench = new KeeperBench();
  const first = bench.agent();
  const of = bench.output("a");
  await first.follow(of);
  const child = bench.shell(of, "echo before; read line; echo after");
  const { pid } = bench;
  await first.end();
  child.stdin?.end("\n");
  await once(child, "exit");
  const second = bench.agent();
  await second.follow(of);
  await second.finished("a");
  assert.equal(bench.pid, pid);
  assert.deepEqual(linesOf(of.logPath), ["stdout F before", "stdout F after"]);
});

test("a keeper that is killed is replaced, and the next one reads what waits in the pipe", async () => {
  await using bench = new KeeperBench();
  const keeper = bench.agent();
  const of = bench.output("a");
  await keeper.follow(of);
  const child = bench.shell(of, "echo 1; read line; seq 2 1000; read line; echo end");
  await until(() => linesOf(of.logPath).length === 1);
  const { pid } = bench;
  await killKeeper(bench);
  child.stdin?.write("\n");
  await until(() => lineCount(of.logPath) === 1000);
  assert.notEqual(bench.pid, pid);
  assert.ok(bench.logger.records.some(({ message }) => message === "the log keeper is gone"));
  child.stdin?.end("\n");
  await once(child, "exit");
  await keeper.finished("a");
  const expected = Array.from({ length: 1000 }, (_, i) => `stdout F ${i + 1}`);
  assert.deepEqual(linesOf(of.logPath), [...expected, "stdout F end"]);
});

test("the keeper is asked to open what is no FIFO, and refuses", async () => {
  await using bench = new KeeperBench();
  const keeper = bench.agent();
  const of = bench.output("a");
  await assert.rejects(keeper.follow({ ...of, stderrFifo: bench.root }), /it is not a FIFO/);
  await assert.rejects(keeper.follow({ ...of, stderrFifo: "/nowhere/at/all" }), /ENOENT/);
  await keeper.finished("a");
});

test("two agents that start at once have one keeper", async () => {
  await using bench = new KeeperBench();
  const agents = [bench.agent(), bench.agent()];
  await Promise.all(agents.map((agent, i) => agent.follow(bench.output(`c${i}`))));
  const entries = readFileSync("/proc/net/unix", "utf8").split("\n");
  const listening = entries.filter((line) => line.endsWith(`${bench.root}/run/log-keeper.sock`));
  // The socket that listens and one end of each connection.
  assert.equal(listening.length, 3);
});

test("a data directory with a long name has a keeper too", async () => {
  await using bench = new KeeperBench("x".repeat(120));
  const keeper = bench.agent();
  const of = bench.output("a");
  await keeper.follow(of);
  await once(bench.shell(of, "echo hello"), "exit");
  await keeper.finished("a");
  assert.deepEqual(linesOf(of.logPath), ["stdout F hello"]);
});

test("a keeper of another version is replaced", async () => {
  await using bench = new KeeperBench();
  mkdirSync(`${bench.root}/run`, { recursive: true });
  const asked: string[] = [];
  const old = createServer((agent) => {
    agent.setEncoding("utf8");
    agent.on("data", (text: string) => {
      const { seq, op } = JSON.parse(text) as { seq: number; op: string };
      asked.push(op);
      agent.write(`${JSON.stringify({ seq, version: 99 })}\n`);
      if (op === "retire") {
        old.close();
        agent.end();
      }
    });
  });
  await once(old.listen(`${bench.root}/run/log-keeper.sock`), "listening");
  const keeper = bench.agent();
  await keeper.follow(bench.output("a"));
  assert.deepEqual(asked, ["hello", "retire"]);
  assert.ok(isRunning(bench.pid));
});
