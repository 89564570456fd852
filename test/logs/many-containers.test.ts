import assert from "node:assert/strict";
import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import { test } from "node:test";
import { KeeperBench, linesOf } from "./keeper-bench.ts";

const CONTAINERS = 1000;

test("a keeper follows the 2,000 FIFOs of 1,000 containers at once, and stays small", async (t) => {
  await using bench = new KeeperBench();
  const keeper = bench.agent();
  const outputs = bench.outputs(CONTAINERS);
  await Promise.all(outputs.map((of) => keeper.follow(of)));
  const fds = outputs.flatMap((of) =>
    [of.stdoutFifo, of.stderrFifo].map((path) => openSync(path, constants.O_RDWR)),
  );
  for (const fd of fds) writeSync(fd, "hello\n");
  for (const fd of fds) closeSync(fd);
  await Promise.all(outputs.map(({ id }) => keeper.finished(id)));
  for (const { logPath } of outputs) {
    assert.deepEqual(linesOf(logPath).toSorted(), ["stderr F hello", "stdout F hello"]);
  }
  const status = readFileSync(`/proc/${bench.pid}/status`, "utf8");
  const ownKb = Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1]);
  t.diagnostic(`${ownKb} KiB of its own`);
  // Beside the 43 MiB of the Node program, which it shares with the agent. Most is garbage of the answers.
  assert.ok(ownKb < 64 * 1024, `the keeper has ${ownKb} KiB of its own`);
});
