// What watches cost that nothing happens to. Over HTTP/1.1 each has a connection; the clients of Kubernetes use HTTP/2,
// where all of one client share one.

import { setTimeout as sleep } from "node:timers/promises";
import { report } from "../report.ts";
import { BenchPlace } from "./bench-place.ts";
import { cpuMs } from "./process-usage.ts";

const AIM_MIB = 200;
const HTTP2_CONNECTIONS = 5;
/** The garbage of the handshakes is collected by then. */
const SETTLE_MS = 3000;

export async function benchIdleWatches(watchers: number): Promise<void> {
  for (const http2Connections of [undefined, HTTP2_CONNECTIONS]) {
    await using place = await BenchPlace.start();
    const pid = place.server.process.pid ?? 0;
    const before = place.rssMib;
    await place.generator.run({
      do: "hold",
      target: place.target,
      namespace: "default",
      prefix: "nothing",
      watchers,
      http2Connections,
    });
    const cpuBefore = cpuMs(pid);
    await sleep(SETTLE_MS);
    const after = place.rssMib;
    const cpuShare = ((cpuMs(pid) - cpuBefore) / SETTLE_MS) * 100;
    await place.generator.run({ do: "release" });
    const how =
      http2Connections === undefined
        ? "HTTP/1.1, a connection each"
        : `HTTP/2, ${http2Connections} connections`;
    report({
      name: `memory for ${watchers} idle watches, ${how}`,
      unit: "MiB",
      ours: after - before,
      aim: { text: `< ${AIM_MIB}`, met: after - before < AIM_MIB },
    });
    report({ name: "  of the server with them", unit: "MiB", ours: after });
    report({ name: "  of the server before", unit: "MiB", ours: before });
    report({ name: "  each", unit: "KiB", ours: ((after - before) * 1024) / watchers });
    report({ name: "  processor while idle", unit: "%", ours: cpuShare });
  }
}
