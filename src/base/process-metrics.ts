// What a process uses, by the names that every Prometheus client gives these numbers, and which version it is. Found out when somebody asks.

import { readdirSync } from "node:fs";
import type { Metrics } from "./metrics.ts";

/** Once per process. */
export function processMetrics(metrics: Metrics, version: string): void {
  const cpu = metrics.counter({
    name: "process_cpu_seconds_total",
    help: "Processor time of the process, user and system.",
  });
  const memory = metrics.gauge({
    name: "process_resident_memory_bytes",
    help: "Memory that the process has now.",
  });
  const started = metrics.gauge({
    name: "process_start_time_seconds",
    help: "When the process began, in seconds since 1970.",
  });
  const files = metrics.gauge({
    name: "process_open_fds",
    help: "Files and sockets that the process has open.",
  });
  const build = metrics.gauge({
    name: "driftless_build_info",
    help: "1, with the version of the program.",
    labels: ["version"],
  });
  started.set(performance.timeOrigin / 1000);
  build.set(1, { version });
  let usedUs = 0;
  metrics.beforeText(() => {
    const { user, system } = process.cpuUsage();
    cpu.add(Math.max(0, user + system - usedUs) / 1e6);
    usedUs = user + system;
    memory.set(process.memoryUsage.rss());
    files.set(openFiles());
  });
}

function openFiles(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return 0; // None are left to look with: whoever asks could not be answered either.
  }
}
