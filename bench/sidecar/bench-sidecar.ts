// Beside an app: how soon it knows of a change in the API, how much memory and processor time that takes with 100 sources, and how long an init container takes.

import { loadavg } from "node:os";
import { DriftlessServer } from "../../test/support/driftless-server.ts";
import { report } from "../report.ts";
import { benchFootprint } from "./footprint.ts";
import { benchLatency } from "./latency.ts";
import { benchOnce } from "./once.ts";
import { ShippedProgram } from "./shipped-program.ts";

const full = {
  latencies: 100,
  sources: 100,
  changes: 1000,
  idleMs: 20_000,
  settleMs: 45_000,
  starts: 15,
};
const quick = {
  latencies: 15,
  sources: 100,
  changes: 200,
  idleMs: 5000,
  settleMs: 13_000,
  starts: 3,
};

export async function benchSidecar({ isQuick }: { readonly isQuick: boolean }): Promise<void> {
  const { latencies, sources, changes, idleMs, settleMs, starts } = isQuick ? quick : full;
  report({ name: "load of the machine before", unit: "", ours: loadavg()[0] ?? 0 });
  using program = new ShippedProgram();
  await using server = await DriftlessServer.start({ flags: ["--store", "sqlite"] });
  await benchOnce({ program, server, starts });
  await benchFootprint({ program, server, sources, changes, idleMs, settleMs });
  await benchLatency({ program, server, changes: latencies });
}
