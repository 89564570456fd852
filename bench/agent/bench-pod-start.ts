// From the request that makes a pod until a watch says that it is Ready: a real server, a real agent, containers of the process
// runtime. A container begins as a process of Node, so the start of a plain one is what there is to compare with.

import { DriftlessNode } from "../../test/support/driftless-node.ts";
import { DriftlessServer } from "../../test/support/driftless-server.ts";
import { median, percentile, ratioAim, report } from "../report.ts";
import { deletePod, makePod } from "./bench-pods.ts";
import { nodeStartMs } from "./node-start.ts";
import { PodWatch } from "./pod-watch.ts";

const AT_ONCE = 20;
/** The first ones pay for what all need. */
const WARM_UP = 3;

interface Place {
  readonly server: DriftlessServer;
  readonly node: DriftlessNode;
  readonly watch: PodWatch;
}

export async function benchPodStart({ isQuick }: { readonly isQuick: boolean }): Promise<void> {
  await using server = await DriftlessServer.start({ flags: ["--store", "sqlite"] });
  await using node = await DriftlessNode.start({ server, name: "bench" });
  using watch = await PodWatch.open(server);
  const place = { server, node, watch };
  for (let i = 0; i < WARM_UP; i++) await started(place, [`warm-${i}`]);
  await oneByOne(place, isQuick ? 10 : 100);
  await atOnce(place, isQuick ? 1 : 5);
}

async function oneByOne(place: Place, count: number): Promise<void> {
  const ours: number[] = [];
  const plain: number[] = [];
  for (let i = 0; i < count; i++) {
    plain.push(await nodeStartMs());
    ours.push(await started(place, [`one-${i}`]));
  }
  report({
    name: "pod made → Ready, p50",
    unit: "ms",
    ours: median(ours),
    baseline: median(plain),
    aim: ratioAim(6, median(ours), median(plain)),
  });
  report({
    name: "pod made → Ready, p99",
    unit: "ms",
    ours: percentile(ours, 0.99),
    baseline: percentile(plain, 0.99),
  });
}

async function atOnce(place: Place, rounds: number): Promise<void> {
  const ours: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < rounds; round++) {
    plain.push(await nodeStartMs(AT_ONCE));
    const names = Array.from({ length: AT_ONCE }, (_, i) => `round-${round}-${i}`);
    ours.push(await started(place, names));
  }
  report({
    name: `${AT_ONCE} pods made at once → the last is Ready`,
    unit: "ms",
    ours: median(ours),
    baseline: median(plain),
    aim: ratioAim(6, median(ours), median(plain)),
  });
}

/** Milliseconds from the first request until the last is Ready; then they are gone again. */
async function started({ server, node, watch }: Place, names: readonly string[]): Promise<number> {
  const ready = names.map((name) => watch.ready(name));
  const began = performance.now();
  await Promise.all(
    names.map((name) => makePod(server, { name, node: node.name, configMaps: [] })),
  );
  const ended = Math.max(...(await Promise.all(ready)));
  await Promise.all(names.map((name) => deletePod(server, name)));
  return ended - began;
}
