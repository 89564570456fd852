// From starting the program to /readyz saying yes: with nothing, certificates included, and with objects to load.

import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { DriftlessServer } from "../../test/support/driftless-server.ts";
import { median, report } from "../report.ts";
import { Generator, targetOf } from "./generator.ts";
import { cpuMs, rssMib } from "./process-usage.ts";

const AIM_MS = 1000;

export interface StartUpOptions {
  readonly starts: number;
  readonly objects: number;
}

export async function benchStartUp({ starts, objects }: StartUpOptions): Promise<void> {
  const empty: Started[] = [];
  for (let i = 0; i < starts; i++) {
    using dir = tempDir();
    empty.push(await start(dir.path));
  }
  reportStarts("start to ready, nothing there", empty);

  using dir = tempDir();
  await fill(dir.path, objects);
  const full: Started[] = [];
  for (let i = 0; i < starts; i++) full.push(await start(dir.path));
  reportStarts(`start to ready, ${objects} objects`, full);
}

interface Started {
  readonly ms: number;
  readonly cpuMs: number;
  readonly rssMib: number;
}

async function start(dataDir: string): Promise<Started> {
  const startedMs = performance.now();
  await using server = await DriftlessServer.start({ dataDir });
  const { status, text } = await server.fetch("GET", "/readyz");
  if (status !== 200) throw new Error(`The server says that it is ready and then ${text}`);
  const ms = performance.now() - startedMs;
  const pid = server.process.pid ?? 0;
  const used = { ms, cpuMs: cpuMs(pid), rssMib: rssMib(pid) };
  await server.stop();
  return used;
}

async function fill(dataDir: string, objects: number): Promise<void> {
  await using server = await DriftlessServer.start({ dataDir });
  using generator = new Generator();
  await generator.run({
    do: "requests",
    target: targetOf(server),
    operation: "create",
    namespace: "default",
    prefix: "object",
    bytes: 1024,
    clients: 64,
    ms: 120_000,
    count: objects,
  });
  await server.stop();
}

function reportStarts(name: string, starts: readonly Started[]): void {
  const ms = median(starts.map((one) => one.ms));
  report({ name, unit: "ms", ours: ms, aim: { text: `< ${AIM_MS}`, met: ms < AIM_MS } });
  report({
    name: "  processor time until then",
    unit: "ms",
    ours: median(starts.map((one) => one.cpuMs)),
  });
  report({ name: "  memory then", unit: "MiB", ours: median(starts.map((one) => one.rssMib)) });
}
