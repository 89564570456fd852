// One client asks as fast as it can, and others want to live: `npm run bench -- flood`. The yardstick of each time is
// the same clients on the same server without the flood, just before.

import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { FloodPlace } from "../../test/flood/flood-place.ts";
import type { FloodOperation } from "../../test/flood/flood-request.ts";
import { cpuMs, rssMib } from "../api/process-usage.ts";
import { report } from "../report.ts";
import {
  type BehavedJob,
  type BehavedResult,
  type ClientName,
  clientNames,
  type FloodJob,
  type FloodResult,
} from "./flood-jobs.ts";
import { LoadProcess } from "./load-process.ts";

interface Scale {
  readonly floods: Readonly<Record<string, readonly FloodOperation[]>>;
  readonly warmUpMs: number;
  readonly ms: number;
}

const full: Scale = {
  floods: {
    everything: ["create", "update", "get", "list"],
    writes: ["create", "update"],
    gets: ["get"],
    lists: ["list"],
  },
  warmUpMs: 1000,
  ms: 8000,
};

const quick: Scale = {
  floods: { everything: full.floods["everything"] ?? [] },
  warmUpMs: 1000,
  ms: 3000,
};

/** 1,024 requests under way, three quarters of them over HTTP/2. */
const UNDER_WAY = { http2Sessions: 4, streamsOfSession: 192, http1Connections: 256 } as const;
/** Until every connection of the flood is there. */
const RISE_MS = 1500;

export async function benchFlood({ isQuick }: { readonly isQuick: boolean }): Promise<void> {
  const scale = isQuick ? quick : full;
  report({ name: "load of the machine before the flood", unit: "", ours: loadavg()[0] ?? 0 });
  for (const [name, operations] of Object.entries(scale.floods)) {
    // A server of its own: what one flood has made would be there in the next.
    await using place = await FloodPlace.start();
    // Code that the compiler has not seen is slow, and would make the yardstick long.
    await flooded(place, ["create", "update", "get", "list"], () => sleep(scale.warmUpMs));
    const alone = await behaved(place, scale);
    const { result, flood } = await flooded(place, operations, () => behaved(place, scale));
    reportTimes(name, alone, result);
    reportFlood(flood);
  }
}

async function behaved(
  { identities }: FloodPlace,
  { ms, warmUpMs }: Scale,
): Promise<BehavedResult> {
  using clients = new LoadProcess<BehavedJob, BehavedResult>(
    new URL("behaved-child.ts", import.meta.url),
    { ...identities, ms, warmUpMs },
  );
  return await clients.result();
}

interface Flooded extends FloodResult {
  readonly serverCpuMs: number;
  readonly serverMib: number;
}

async function flooded<Result>(
  { identities, pid }: FloodPlace,
  operations: readonly FloodOperation[],
  during: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly flood: Flooded }> {
  using flooder = new LoadProcess<FloodJob, FloodResult>(
    new URL("flood-child.ts", import.meta.url),
    { target: identities.flooder, operations, riseMs: RISE_MS, ...UNDER_WAY },
  );
  await sleep(RISE_MS);
  const before = cpuMs(pid);
  const result = await during();
  const flood = await flooder.stop();
  return {
    result,
    flood: { ...flood, serverCpuMs: cpuMs(pid) - before, serverMib: rssMib(pid) },
  };
}

function reportTimes(flood: string, alone: BehavedResult, during: BehavedResult): void {
  for (const client of clientNames) {
    const [ours, baseline] = [during[client], alone[client]];
    const name = `${client} while ${flood} flood`;
    report({ name: `${name}, p50`, unit: "ms", ours: ours.p50Ms, baseline: baseline.p50Ms });
    report({
      name: "  p99",
      unit: "ms",
      ours: ours.p99Ms,
      baseline: baseline.p99Ms,
      aim: ratioBelow(MAX_RATIO[client], ours.p99Ms / baseline.p99Ms),
    });
    report({ name: "  max", unit: "ms", ours: ours.maxMs, baseline: baseline.maxMs });
    report({
      name: `  failed of ${ours.count}`,
      unit: "",
      ours: ours.failed,
      aim: { text: "none", met: ours.failed === 0 },
    });
  }
}

function ratioBelow(max: number, ratio: number): { readonly text: string; readonly met: boolean } {
  return { text: `ratio < ${max}`, met: ratio < max };
}

const MAX_RATIO: Readonly<Record<ClientName, number>> = {
  heartbeat: 10,
  get: 20,
  "list of 10": 20,
  update: 20,
  "get by a newcomer": 20,
};

function reportFlood(flood: Flooded): void {
  const { served, refused, failed, seconds, serverCpuMs, serverMib } = flood;
  report({ name: "  the flood got answers", unit: "/s", ours: served / seconds });
  report({ name: "  and refusals (429)", unit: "/s", ours: refused / seconds });
  report({ name: "  and other ends", unit: "/s", ours: failed / seconds });
  report({
    name: "  processor time of the server each",
    unit: "us",
    ours: (1000 * serverCpuMs) / served,
  });
  report({ name: "  memory of the server after that", unit: "MiB", ours: serverMib });
}
