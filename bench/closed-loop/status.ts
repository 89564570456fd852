// `driftless status` of an object with very many consumers: how long, and how much memory. The yardstick is `driftless get`, which lists the
// same views and judges nothing.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { program } from "../../test/up/driftless-up.ts";
import { median, report } from "../report.ts";
import { type Fleet, SHARED } from "./fleet.ts";

const LOOK_MS = 2;
const AIM_RATIO = 3;

interface Ran {
  readonly ms: number;
  /** The most that it had at a time; looked at every few milliseconds. */
  readonly peakMib: number;
}

export async function benchStatus({ server, pods }: Fleet, times: number): Promise<void> {
  const as = ["--kubeconfig", server.kubeconfig];
  const status: Ran[] = [];
  const listed: Ran[] = [];
  for (let i = 0; i < times; i++) {
    status.push(await ran(["status", `configmap/${SHARED}`, ...as]));
    listed.push(await ran(["get", "configviews", ...as]));
  }
  const [ours, baseline] = [median(status.map(({ ms }) => ms)), median(listed.map(({ ms }) => ms))];
  report({
    name: `status of ${pods.length} consumers, against a list of their views, p50`,
    unit: "ms",
    ours,
    baseline,
    aim: { text: `ratio <= ${AIM_RATIO}`, met: ours <= AIM_RATIO * baseline },
  });
  report({
    name: "  memory of it",
    unit: "MiB",
    ours: median(status.map(({ peakMib }) => peakMib)),
    baseline: median(listed.map(({ peakMib }) => peakMib)),
  });
}

/** Fails unless it ends with 0: everything is in sync. */
async function ran(args: readonly string[]): Promise<Ran> {
  const began = performance.now();
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "exit") as Promise<[number | null]>;
  let told = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    told += text;
  });
  let peakMib = 0;
  const looking = new AbortController();
  const look = async (): Promise<void> => {
    while (!looking.signal.aborted) {
      peakMib = Math.max(peakMib, highestMib(child.pid ?? 0));
      await sleep(LOOK_MS);
    }
  };
  const looked = look();
  const [code] = await ended;
  const ms = performance.now() - began;
  looking.abort();
  await looked;
  if (code !== 0) throw new Error(`driftless ${args.join(" ")} ended with ${code}: ${told}`);
  return { ms, peakMib };
}

function highestMib(pid: number): number {
  try {
    const found = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return Number(found?.[1] ?? 0) / 1024;
  } catch {
    return 0; // It has ended.
  }
}
