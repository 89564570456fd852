import { match, ok } from "node:assert/strict";
import { it } from "node:test";
import { createMetrics } from "./metrics.ts";
import { processMetrics } from "./process-metrics.ts";

it("processMetrics tells what the process uses at the time of asking", async () => {
  const metrics = createMetrics();
  processMetrics(metrics, "v1");
  const first = await metrics.text();
  match(first, /^driftless_build_info\{version="v1"\} 1$/m);
  match(first, /^process_resident_memory_bytes \d{7,}$/m);
  match(first, /^process_open_fds [1-9]\d*$/m);
  const used = (text: string): number =>
    Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1]);
  while (process.cpuUsage().user + process.cpuUsage().system <= used(first) * 1e6);
  ok(used(await metrics.text()) > used(first));
});
