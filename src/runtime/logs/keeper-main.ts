// The process of the log keeper: `node keeper-main.ts DATA-DIR`. One for each data directory: the others see that there is one and
// end. It is started by an agent and outlives it. It imports as little as it can, since it is there for ever.
//
// On standard output it says "ready" when it can be reached, or "taken" when there is another.

import { writeFileSync, writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { systemClock } from "../../base/clock.ts";
import { lockFile } from "../file-lock.ts";
import type { Workshop } from "./followed-container.ts";
import { keeperFiles } from "./keeper-files.ts";
import { KeeperServer } from "./keeper-server.ts";
import { LogCompressor } from "./log-compressor.ts";
import { LineBuffer, ROTATION } from "./log-file.ts";
import { WallTime } from "./wall-time.ts";

const IDLE_MS = 10_000;
/** One more than a pipe holds: a buffer that does not get full is what makes Node turn to the next pipe. */
const INPUT_BYTES = 64 * 1024 + 1;

async function main(root: string): Promise<void> {
  const files = keeperFiles(root);
  using lock = lockFile(files.lock);
  if (lock === undefined) {
    say("taken");
    return;
  }
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stop.abort());
  process.on("SIGHUP", () => undefined);
  const clock = systemClock;
  const workshop: Workshop = {
    clock,
    time: new WallTime(clock),
    input: Buffer.allocUnsafeSlow(INPUT_BYTES),
    output: new LineBuffer(),
    rotation: ROTATION,
    compressor: new LogCompressor(report),
  };
  const { pid } = process;
  tellPid(files.pid, pid);
  const server = new KeeperServer({ files, workshop, idleMs: IDLE_MS, pid, report });
  await server.run(stop.signal, () => {
    say("ready");
    flushCompileCache();
  });
}

function tellPid(file: string, pid: number): void {
  try {
    writeFileSync(file, `${pid}\n`);
  } catch (err) {
    // It is for people only. On a full disk containers must not wait for somebody who reads what they write.
    report(`cannot write ${file}`, err);
  }
}

function say(what: "ready" | "taken"): void {
  try {
    writeSync(1, `${what}\n`);
  } catch {
    // The agent that wanted to know is gone; the next one will connect.
  }
}

function report(what: string, err: unknown): void {
  try {
    writeSync(2, `${what}: ${err instanceof Error ? err.message : String(err)}\n`);
  } catch {
    // The disk is full, and there is no other place to say it.
  }
}

const [, , argument] = process.argv;
// Without an argument it was only loaded, so that its compiled form is kept for the next start.
if (argument !== undefined) await main(argument);
