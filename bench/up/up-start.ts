// From starting the program until it says that it is ready, which is when its node takes pods: in an empty directory, certificates
// included, and in one with objects. A start of Node that does nothing, in the same run, tells how fast the machine is at that time.

import { setTimeout as sleep } from "node:timers/promises";
import { type DriftlessUp, UpDirectory } from "../../test/up/driftless-up.ts";
import { nodeStartMs } from "../agent/node-start.ts";
import { cpuMs, rssMib } from "../api/process-usage.ts";
import { median, ratioAim, report } from "../report.ts";
import { UpClient } from "./up-client.ts";
import { fillWithObjects } from "./up-objects.ts";

/** A second on a machine that starts Node in 33 ms. */
const AIM_RATIO = 30;
/** Until `/readyz` of kube-apiserver 1.38 alone, on an empty etcd; of another machine at another time. */
const ANCHOR_MS = 2800;
const PATIENCE_MS = 120_000;

export interface StartOptions {
  readonly starts: number;
  readonly objects: number;
}

interface Started {
  readonly ms: number;
  /** Of a plain Node, just before. */
  readonly plainMs: number;
  readonly cpuMs: number;
  readonly rssMib: number;
}

export async function benchUpStart({ starts, objects }: StartOptions): Promise<void> {
  const empty: Started[] = [];
  for (let i = 0; i < starts; i++) {
    await using directory = new UpDirectory();
    empty.push(await started(directory));
  }
  tell("up, start to ready, nothing there", empty);

  await using directory = new UpDirectory();
  await fill(directory, objects);
  const full: Started[] = [];
  for (let i = 0; i < starts; i++) full.push(await started(directory));
  tell(`up, start to ready, ${objects} objects`, full);
}

async function started(directory: UpDirectory): Promise<Started> {
  const plainMs = await nodeStartMs();
  const began = performance.now();
  const up = directory.begin();
  await ready(up);
  const ms = performance.now() - began;
  const pid = up.process.pid ?? 0;
  const used = { ms, plainMs, cpuMs: cpuMs(pid), rssMib: rssMib(pid) };
  await up.end("SIGTERM");
  return used;
}

/** At once: a look now and then would be late by half of the time between two. */
async function ready(up: DriftlessUp): Promise<void> {
  const said = Promise.withResolvers<void>();
  up.process.stdout?.on("data", () => {
    if (/is ready in \d+ ms/.test(up.stdout)) said.resolve();
  });
  up.process.once("exit", () => said.reject(new Error(`up has ended: ${up.stderr}`)));
  await Promise.race([said.promise, late()]);
}

async function late(): Promise<never> {
  await sleep(PATIENCE_MS, undefined, { ref: false });
  throw new Error("up was not ready in two minutes");
}

async function fill(directory: UpDirectory, objects: number): Promise<void> {
  const up = await directory.start();
  using client = new UpClient(up);
  await fillWithObjects(client, objects);
  await up.end("SIGTERM");
}

function tell(name: string, starts: readonly Started[]): void {
  const [ours, baseline] = [median(starts.map(({ ms }) => ms)), median(starts.map(plainOf))];
  const aim = ratioAim(AIM_RATIO, ours, baseline);
  report({ name: `${name}, p50, against a start of Node`, unit: "ms", ours, baseline, aim });
  report({
    name: "  against kube-apiserver alone",
    unit: "ms",
    ours,
    baseline: ANCHOR_MS,
    aim: ratioAim(1, ours, ANCHOR_MS),
  });
  report({
    name: "  processor time until then",
    unit: "ms",
    ours: median(starts.map((one) => one.cpuMs)),
  });
  report({ name: "  memory then", unit: "MiB", ours: median(starts.map((one) => one.rssMib)) });
}

function plainOf({ plainMs }: Started): number {
  return plainMs;
}
