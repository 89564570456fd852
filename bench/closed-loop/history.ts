// What history costs those who write: as many updates as go through with and without it, in turn, and how long after its change a revision
// is there.

import { setTimeout as sleep } from "node:timers/promises";
import type { ApiObject } from "../../src/api/object.ts";
import { BenchPlace } from "../api/bench-place.ts";
import { median, percentile, report } from "../report.ts";
import { Followed } from "./followed.ts";

const KIB = 1024;
const CLIENTS = 64;
const PREFIX = "history";
const TIMED = "timed";
/** In turn: an object that changes often is made to wait. */
const TIMED_OBJECTS = 20;
const LOOK_MS = 20;
/** 64 objects that are updated all the time: most contents are replaced before their turn, so that few revisions are made. */
const AIM_SHARE = 0.6;

export interface HistoryOptions {
  readonly rounds: number;
  readonly ms: number;
  readonly changes: number;
}

export async function benchHistory({ rounds, ms, changes }: HistoryOptions): Promise<void> {
  await using kept = await BenchPlace.start();
  await using none = await BenchPlace.start(["--config-history", "0"]);
  const measure = (place: BenchPlace, forMs: number): ReturnType<BenchPlace["requests"]> =>
    place.requests({
      operation: "update",
      prefix: PREFIX,
      bytes: KIB,
      clients: CLIENTS,
      ms: forMs,
    });
  for (const place of [kept, none]) {
    await place.makeObjects(PREFIX, CLIENTS);
    await measure(place, ms);
  }
  await caughtUp(kept);
  await benchRevision(kept, changes);
  const [on, off]: [number[], number[]] = [[], []];
  const [cpu, late]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const { perSecond, serverCpuUs } = await measure(kept, ms);
    on.push(perSecond);
    cpu.push(serverCpuUs);
    // What it still has to write is not to slow the other one down.
    late.push(await caughtUp(kept));
    off.push((await measure(none, ms)).perSecond);
  }
  const [ours, baseline] = [median(on), median(off)];
  report({
    name: `updates by ${CLIENTS} clients with history, against none kept`,
    unit: "per s",
    ours,
    baseline,
    aim: { text: `ratio >= ${AIM_SHARE}`, met: ours >= AIM_SHARE * baseline },
  });
  report({ name: "  processor time of the server for one", unit: "µs", ours: median(cpu) });
  report({ name: "  until its history has caught up", unit: "ms", ours: median(late) });
  report({ name: "  memory of the server with history", unit: "MiB", ours: kept.rssMib });
}

/** How long it took until no content waits for its revision. */
async function caughtUp({ server }: BenchPlace): Promise<number> {
  const began = performance.now();
  const nothing = /^driftless_config_revisions_pending_bytes 0$/m;
  while (!nothing.test((await server.fetch("GET", "/metrics")).text)) await sleep(LOOK_MS);
  return performance.now() - began;
}

async function benchRevision(place: BenchPlace, changes: number): Promise<void> {
  const { server } = place;
  const path = "/apis/driftless.dev/v1/namespaces/default/configrevisions";
  using revisions = await Followed.of<ApiObject>(server, path);
  const core = "/api/v1/namespaces/default/configmaps";
  await place.makeObjects(TIMED, TIMED_OBJECTS);
  await caughtUp(place);
  const lags: number[] = [];
  for (let i = 0; i < changes; i++) {
    const name = `${TIMED}-${i % TIMED_OBJECTS}`;
    const number = 2 + Math.floor(i / TIMED_OBJECTS);
    const revision = `configmap-${name}-${String(number).padStart(5, "0")}`;
    const made = revisions.until(1, ({ metadata }) => metadata.name === revision);
    const headers = { "content-type": "application/merge-patch+json" };
    await server.fetch("PATCH", `${core}/${name}`, { data: { key: `value ${i}` } }, headers);
    const acknowledged = performance.now();
    lags.push(Math.max(0, (await made) - acknowledged));
  }
  report({
    name: "change acknowledged → its revision is there, p50",
    unit: "ms",
    ours: percentile(lags, 0.5),
  });
  report({
    name: "change acknowledged → its revision is there, p99",
    unit: "ms",
    ours: percentile(lags, 0.99),
  });
}
