// The closed loop at its largest: 1,000 pods of one node use one ConfigMap, and it changes. How soon it is in the files and in the views, how
// many writes and how much work that is, how long `status` needs to tell, and what the history of every change costs those who write.

import { loadavg } from "node:os";
import { report } from "../report.ts";
import { Fleet } from "./fleet.ts";
import { benchHistory } from "./history.ts";
import { benchOneChange } from "./one-change.ts";
import { benchStatus } from "./status.ts";

interface Scale {
  readonly pods: number;
  readonly changes: number;
  readonly statuses: number;
  readonly rounds: number;
  readonly roundMs: number;
  readonly revisions: number;
}

const full: Scale = {
  ...{ pods: 1000, changes: 5, statuses: 5 },
  ...{ rounds: 5, roundMs: 2000, revisions: 200 },
};
const quick: Scale = {
  ...{ pods: 50, changes: 2, statuses: 2 },
  ...{ rounds: 1, roundMs: 1000, revisions: 20 },
};

export async function benchClosedLoop({ isQuick }: { readonly isQuick: boolean }): Promise<void> {
  const scale = { ...(isQuick ? quick : full), ...askedFor() };
  report({ name: "load of the machine before", unit: "", ours: loadavg()[0] ?? 0 });
  console.error("  updates with and without history …");
  await benchHistory({ ...scale, ms: scale.roundMs, changes: scale.revisions });
  console.error(`  ${scale.pods} pods start …`);
  await using fleet = await Fleet.start(scale.pods);
  fleet.check();
  await benchOneChange(fleet, scale.changes);
  await benchStatus(fleet, scale.statuses);
}

function askedFor(): { readonly pods?: number } {
  const text = process.env["DRIFTLESS_BENCH_PODS"] ?? "";
  return /^[1-9]\d{0,4}$/.test(text) ? { pods: Number(text) } : {};
}
