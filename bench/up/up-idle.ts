// What it costs while nothing happens.

import { setTimeout as sleep } from "node:timers/promises";
import type { DriftlessUp } from "../../test/up/driftless-up.ts";
import { cpuMs, rssMib } from "../api/process-usage.ts";
import { report } from "../report.ts";

/** kube-apiserver 1.38, etcd 3.5 and kubelet together, without scheduler and controllers; of another machine at another time. */
const ANCHOR = { rssMib: 420, cpuPercent: 4.2 };
const LOOK_MS = 1000;
const MAX_LOOKS = 60;
/** What follows from a change comes in several waves: events, clearing up, looks at what has ended. */
const QUIET_LOOKS = 5;
const QUIET_SHARE = 0.03;

export interface IdleOptions {
  readonly up: DriftlessUp;
  readonly what: string;
  readonly idleMs: number;
}

export async function benchUpIdle({ up, what, idleMs }: IdleOptions): Promise<void> {
  const pid = up.process.pid ?? 0;
  await quiet(pid);
  const before = cpuMs(pid);
  await sleep(idleMs);
  const idle = { rssMib: rssMib(pid), cpuPercent: (100 * (cpuMs(pid) - before)) / idleMs };
  report({
    name: `up, ${what}, memory, against three parts of Kubernetes`,
    unit: "MiB",
    ours: idle.rssMib,
    baseline: ANCHOR.rssMib,
    aim: { text: "ratio <= 1", met: idle.rssMib <= ANCHOR.rssMib },
  });
  report({
    name: `up, ${what}, CPU, against three parts of Kubernetes`,
    unit: "% of a core",
    ours: idle.cpuPercent,
    baseline: ANCHOR.cpuPercent,
    aim: { text: "ratio <= 1", met: idle.cpuPercent <= ANCHOR.cpuPercent },
  });
}

/** Until what was begun before is done, if it ever is. */
async function quiet(pid: number): Promise<void> {
  let inARow = 0;
  for (let looks = 0; looks < MAX_LOOKS && inARow < QUIET_LOOKS; looks++) {
    const before = cpuMs(pid);
    await sleep(LOOK_MS);
    inARow = cpuMs(pid) - before <= LOOK_MS * QUIET_SHARE ? inARow + 1 : 0;
  }
}
