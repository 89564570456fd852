// How fast a container can write its log: through its FIFO and the log keeper into rotated files with a stamp on each line, against
// `cat` through a pipe into one file.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { KeeperBench } from "../../test/logs/keeper-bench.ts";
import { median, ratioAim, report } from "../report.ts";

const MIB = 1024 * 1024;

export async function benchLogs({ isQuick }: { readonly isQuick: boolean }): Promise<void> {
  using dir = tempDir();
  const sizeMib = isQuick ? 32 : 128;
  const rounds = isQuick ? 3 : 5;
  for (const lineBytes of [32, 128, 1024]) {
    const source = dir.join("source");
    const line = `${"x".repeat(lineBytes - 1)}\n`;
    writeFileSync(source, line.repeat((sizeMib * MIB) / lineBytes));
    const ours: number[] = [];
    const plain: number[] = [];
    await using bench = new KeeperBench();
    const keeper = bench.agent();
    for (let round = 0; round < rounds; round++) {
      plain.push(throughPipe(source, dir.join("plain")));
      const of = bench.output(`c${round}`);
      await keeper.follow(of);
      const began = performance.now();
      await once(bench.shell(of, `exec cat ${source}`), "exit");
      await keeper.finished(of.id);
      ours.push(performance.now() - began);
    }
    const speed = (ms: number): number => (sizeMib * 1000) / ms;
    report({
      name: `log, lines of ${lineBytes} bytes`,
      unit: "MiB/s",
      ours: speed(median(ours)),
      baseline: speed(median(plain)),
    });
    report({
      name: `log, lines of ${lineBytes} bytes, time`,
      unit: "ms",
      ours: median(ours),
      baseline: median(plain),
      aim: ratioAim(10, median(ours), median(plain)),
    });
    rmSync(source);
  }
}

function throughPipe(source: string, target: string): number {
  const began = performance.now();
  execFileSync("sh", ["-c", `cat ${source} | cat >${target}`]);
  const ms = performance.now() - began;
  if (statSync(target).size === 0) throw new Error("the baseline has written nothing");
  rmSync(target);
  return ms;
}
