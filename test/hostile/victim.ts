// The server under attack, and what must hold after each attack: it answers, it has not grown without bound, and nothing
// was an internal error.

import { equal, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { DriftlessServer } from "../support/driftless-server.ts";

export function startVictim(flags: readonly string[] = []): Promise<DriftlessServer> {
  return DriftlessServer.start({ flags: ["--store", "memory", ...flags] });
}

/** The memory of the process that is in RAM, in MiB. */
export function rssMib(server: DriftlessServer): number {
  const status = readFileSync(`/proc/${server.process.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** Generous: far above what answering costs, far below what a leak or an amplification takes. */
const MAX_RSS_MIB = 1200;

export async function assertUnharmed(server: DriftlessServer): Promise<void> {
  const { status } = await server.fetch("GET", "/api/v1/namespaces/default");
  equal(status, 200);
  ok(!server.log.includes("request failed"), server.log.slice(-3000));
  ok(!server.log.includes("uncaught"), server.log.slice(-3000));
  const used = rssMib(server);
  ok(used < MAX_RSS_MIB, `the server takes ${used.toFixed(0)} MiB`);
}

/** The code and message of a Status; the code of the answer if it is none. */
export function statusOf(text: string): { readonly code: number; readonly message: string } {
  const { code = 0, message = "" } = JSON.parse(text) as { code?: number; message?: string };
  return { code, message };
}
