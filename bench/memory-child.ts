// Watches many volumes and prints its resident memory before and after, as JSON.
//
//   node --expose-gc memory-child.ts DIRECTORY COUNT

import { setTimeout as sleep } from "node:timers/promises";
import { watchConfig } from "../packages/config/src/index.js";

const [, , directory = "", count] = process.argv;
const residentBytes = (): number => {
  globalThis.gc?.();
  return process.memoryUsage.rss();
};

const before = residentBytes();
const watches = [];
for (let i = 0; i < Number(count); i++) watches.push(await watchConfig(`${directory}/volume-${i}`));
const after = residentBytes();
const cpu = process.cpuUsage();
await sleep(5000);
const { user, system } = process.cpuUsage(cpu);
const idleCpuMs = (user + system) / 1000;
for (const watch of watches) await watch.close();
process.stdout.write(JSON.stringify({ before, after, idleCpuMs }));
