// A container that writes as fast as it can.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { isErrno } from "../../src/base/errors.ts";
import { ROTATION } from "../../src/runtime/logs/log-file.ts";
import { readLog } from "../../src/runtime/logs/read-log.ts";
import { KeeperBench, linesOf, until } from "./keeper-bench.ts";

const MIB = 1024 * 1024;

test("a flood of output costs its own past: the disk, the keeper's memory and other containers are not disturbed", async (t) => {
  await using bench = new KeeperBench();
  const keeper = bench.agent();
  const flood = bench.output("flood");
  const other = bench.output("other");
  await Promise.all([keeper.follow(flood), keeper.follow(other)]);
  const rounds = 20;
  const shell = bench.shell(other, "while read a; do echo got $a; done");
  const flooding = bench.shell(flood, "exec seq 1 1000000000");
  const rotations = new Set<string>();
  let mostBytes = 0;
  const look = (): void => {
    const files = filesOf(flood.logPath);
    mostBytes = Math.max(
      mostBytes,
      files.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    for (const { name } of files) rotations.add(name.replace(/\.(gz|tmp)$/, ""));
  };
  for (let round = 1; round <= rounds; round++) {
    shell.stdin?.write(`${round}\n`);
    await until(() => {
      look();
      return linesOf(other.logPath).length === round;
    });
  }
  await until(() => {
    look();
    return rotations.size > ROTATION.maxFiles + 2;
  });
  assert.equal(flooding.exitCode, null, "others were served while the flood went on");
  flooding.kill("SIGKILL");
  await once(flooding, "exit");
  await keeper.finished("flood");
  look();
  const kib = Number(
    /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${bench.pid}/status`, "utf8"))?.[1],
  );
  t.diagnostic(
    `${rotations.size} files, at most ${Math.round(mostBytes / MIB)} MiB at once; the keeper has ${kib} KiB of its own`,
  );
  // One more while the oldest is compressed, and one that is being removed.
  assert.ok(mostBytes <= (ROTATION.maxFiles + 2) * (ROTATION.maxBytes + MIB), `${mostBytes} bytes`);
  assert.ok(kib < 96 * 1024, `the keeper has ${kib} KiB of its own`);
  assert.equal(readFileSync(join(bench.root, "run/log-keeper.log"), "utf8"), "");
  await assertContiguous(flood.logPath);
});

function filesOf(logPath: string): { readonly name: string; readonly bytes: number }[] {
  return readdirSync(dirname(logPath)).flatMap((name) => {
    try {
      return [{ name, bytes: statSync(join(dirname(logPath), name)).size }];
    } catch (err) {
      // Removed since the directory was read.
      if (isErrno(err, "ENOENT")) return [];
      throw err;
    }
  });
}

/** What is left of the numbers is without a gap, however often it was rotated and compressed. */
async function assertContiguous(path: string): Promise<void> {
  const log = readLog({
    path,
    query: { follow: false, hasTimestamps: false, stream: "stdout" },
    clock: systemClock,
    signal: new AbortController().signal,
    ended: Promise.resolve(),
  });
  let rest = "";
  let last = 0;
  let count = 0;
  for await (const bytes of log) {
    const lines = (rest + bytes.toString("latin1")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const number = Number(line);
      if (last !== 0 && number !== last + 1) assert.fail(`${line} follows ${last}`);
      last = number;
      count++;
    }
  }
  assert.ok(count * 48 > 2 * ROTATION.maxBytes, `${count} lines are left`);
}
