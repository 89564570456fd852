// `npm run bench`: prints one JSON line per figure, then a table. Everything is a ratio to a baseline of the
// same run where there is one: absolute times hold for this machine and this moment only.
//
//   npm run bench              all
//   npm run bench -- writer    one part: writer, watch, memory, api, flood, agent, live-sub-path,
//                              logs, pods, up, closed-loop, sidecar
//   npm run bench -- --quick   fewer and shorter figures of the API, the flood, the agent, the logs, the pods, `up`, the closed loop and the sidecar
//   DRIFTLESS_BENCH_PODS=100 npm run bench -- closed-loop    with so many pods instead of 1,000

import { fileURLToPath } from "node:url";
import { buildC } from "../test/support/c-program.ts";
import { benchAgent } from "./agent/bench-agent.ts";
import { benchExec } from "./agent/bench-exec.ts";
import { benchLiveSubPath } from "./agent/bench-live-sub-path.ts";
import { benchPodStart } from "./agent/bench-pod-start.ts";
import { benchApi } from "./api/bench-api.ts";
import { benchClosedLoop } from "./closed-loop/bench-closed-loop.ts";
import { benchFlood } from "./flood/bench-flood.ts";
import { benchLogs } from "./logs/bench-logs.ts";
import { benchMemory } from "./memory.ts";
import { printTable } from "./report.ts";
import { benchSidecar } from "./sidecar/bench-sidecar.ts";
import { benchUp } from "./up/bench-up.ts";
import { benchWatch } from "./watch.ts";
import { benchWriter } from "./writer.ts";

const isQuick = process.argv.includes("--quick");

const PARTS: Record<string, () => void | Promise<void>> = {
  writer: async () => benchWriter(await built("raw-writer.c")),
  watch: async () => benchWatch(await built("raw-watch.c")),
  memory: benchMemory,
  api: () => benchApi({ isQuick }),
  flood: () => benchFlood({ isQuick }),
  agent: () => benchAgent({ isQuick }),
  "live-sub-path": () => benchLiveSubPath({ isQuick }),
  logs: () => benchLogs({ isQuick }),
  pods: async () => {
    await benchPodStart({ isQuick });
    await benchExec({ isQuick });
  },
  up: () => benchUp({ isQuick }),
  "closed-loop": () => benchClosedLoop({ isQuick }),
  sidecar: () => benchSidecar({ isQuick }),
};

const wanted = process.argv.slice(2).filter((argument) => argument !== "--quick");
const unknown = wanted.filter((name) => PARTS[name] === undefined);
if (unknown.length > 0) {
  console.error(
    `Cannot measure "${unknown.join(" ")}": the parts are ${Object.keys(PARTS).join(", ")}`,
  );
  process.exit(2);
}
for (const [name, run] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.error(`measuring ${name} …`);
  await run();
}
printTable();

async function built(source: string): Promise<string> {
  const program = await buildC(fileURLToPath(new URL(source, import.meta.url)));
  if (!program.ok) throw new Error(`Cannot build the baseline ${source}: ${program.reason}`);
  return program.path;
}
