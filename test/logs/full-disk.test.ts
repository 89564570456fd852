import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { tmpfs } from "../support/tmpfs.ts";
import { KeeperBench, linesOf, until } from "./keeper-bench.ts";

test("a full disk does not hold up a container: lines are dropped, counted, and the log says how many", async (t) => {
  using disk = tmpfs("size=64k");
  if (!("path" in disk)) {
    t.skip(disk.reason);
    return;
  }
  await using bench = new KeeperBench();
  const keeper = bench.agent();
  const of = bench.output("a", join(disk.path, "0.log"));
  await keeper.follow(of);
  const script = "read line; echo first; read line; seq 100000; read line; echo last";
  const child = bench.shell(of, script);
  child.stdin?.write("\n");
  await until(() => linesOf(of.logPath).length === 1);
  const ballast = join(disk.path, "ballast");
  const { bavail, bsize } = statfsSync(disk.path);
  writeFileSync(ballast, Buffer.alloc(bavail * bsize));
  child.stdin?.write("\n");
  // The shell comes to its next read only when all lines were taken from it.
  child.stdin?.end("\n");
  await once(child, "exit");
  rmSync(ballast);
  await keeper.finished("a");
  const lines = linesOf(of.logPath);
  const missing = /^stderr F driftless: (\d+) lines were dropped here: no space left on the disk/;
  const dropped = lines.map((line) => Number(missing.exec(line)?.[1] ?? 0));
  const written = lines.filter((line) => line.startsWith("stdout")).length;
  assert.equal(dropped.reduce((sum, count) => sum + count, 0) + written, 100_002);
  assert.equal(lines[0], "stdout F first");
});
