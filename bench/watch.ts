// From swap to callback: how long after the rename of `..data` a program has the new, parsed value in its
// hands, through the library and through raw inotify in C, on the same swaps.

import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { tempDir } from "../src/base/testing/temp-dir.ts";
import { percentile, report } from "./report.ts";

const SWAPS = 1000;
const INTERVAL_US = 5000;
const CHILD = fileURLToPath(new URL("watch-child.ts", import.meta.url));

export async function benchWatch(rawWatch: string): Promise<void> {
  using temp = tempDir();
  const directory = temp.join("volume");
  mkdirSync(directory);
  execFileSync(rawWatch, ["swap", directory, "0", "0"]);
  const library = await watcher(process.execPath, [CHILD, directory, String(SWAPS)]);
  const raw = await watcher(rawWatch, ["watch", directory, String(SWAPS)]);

  const swap = [String(SWAPS), String(INTERVAL_US)];
  const { stdout } = await promisify(execFile)(rawWatch, ["swap", directory, ...swap]);

  const swapped = parseStamps(stdout);
  const ours = latenciesUs(swapped, parseStamps(await library.printed));
  const plain = latenciesUs(swapped, parseStamps(await raw.printed));
  for (const [name, share] of [
    ["p50", 0.5],
    ["p99", 0.99],
  ] as const) {
    report({
      name: `swap to callback ${name}, ${SWAPS} swaps`,
      unit: "us",
      ours: percentile(ours, share),
      baseline: percentile(plain, share),
    });
  }
  report({ name: "swaps seen by watchConfig", unit: `of ${SWAPS}`, ours: ours.length });
}

/** Resolves when the program watches; `printed` resolves when it has ended. */
async function watcher(program: string, args: string[]): Promise<{ printed: Promise<string> }> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  const printed = new Promise<string>((resolve, reject) => {
    child.once("close", (code) =>
      code === 0 ? resolve(text) : reject(new Error(`${program} ended with ${code}`)),
    );
  });
  await new Promise<void>((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (more: string) => {
      text += more;
      if (text.startsWith("ready")) resolve();
    });
  });
  return { printed };
}

function parseStamps(text: string): Map<number, bigint> {
  const lines = text.split("\n").map((line) => line.split(" "));
  return new Map(
    lines.flatMap(([number, stamp]) =>
      stamp === undefined ? [] : [[Number(number), BigInt(stamp)]],
    ),
  );
}

function latenciesUs(from: Map<number, bigint>, to: Map<number, bigint>): number[] {
  return [...to].flatMap(([number, seen]) => {
    const start = from.get(number);
    return start === undefined ? [] : [Number(seen - start) / 1000];
  });
}
