// How long a change takes from the server's acknowledgement to the files of pods, with a real server and a real agent, each in
// its own process; and what 1,000 volumes cost while nothing happens.

import { type FSWatcher, watch } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Pod } from "../../src/api/types.ts";
import { DriftlessNode } from "../../test/support/driftless-node.ts";
import { DriftlessServer } from "../../test/support/driftless-server.ts";
import { cpuMs, rssMib } from "../api/process-usage.ts";
import { percentile, report } from "../report.ts";
import { deletePod, makeConfigMap, makePod, running, setValue } from "./bench-pods.ts";

const LOOK_MS = 500;
const MAX_LOOKS = 120;

export async function benchAgent({ isQuick }: { readonly isQuick: boolean }): Promise<void> {
  await using server = await DriftlessServer.start({ flags: ["--store", "sqlite"] });
  await using node = await DriftlessNode.start({ server, name: "bench" });
  const changes = isQuick ? 50 : 300;
  const alone = await onePod({ server, node, changes });
  await manyPods({ server, node, changes: isQuick ? 5 : 20 });
  await manyVolumes({ server, node, changes, alone, idleMs: isQuick ? 5000 : 30_000 });
}

interface Place {
  readonly server: DriftlessServer;
  readonly node: DriftlessNode;
}

async function onePod({
  server,
  node,
  changes,
}: Place & { readonly changes: number }): Promise<number> {
  await makeConfigMap(server, "one");
  const pod = await started(server, node, { name: "one", configMaps: ["one"] });
  const directory = node.volumePath(pod, "configmap", "one");
  await quiet({ server, node });
  const lags = await changed({ server, name: "one", directories: [directory], changes });
  await deletePod(server, "one");
  const p50 = percentile(lags, 0.5);
  const p99 = percentile(lags, 0.99);
  report({
    name: "acknowledged → on disk, 1 pod, p50",
    unit: "ms",
    ours: p50,
    aim: { text: "< 3", met: p50 < 3 },
  });
  report({
    name: "acknowledged → on disk, 1 pod, p99",
    unit: "ms",
    ours: p99,
    aim: { text: "< 15", met: p99 < 15 },
  });
  return p50;
}

async function manyPods({
  server,
  node,
  changes,
}: Place & { readonly changes: number }): Promise<void> {
  const count = 100;
  await makeConfigMap(server, "shared");
  const names = Array.from({ length: count }, (_, i) => `many-${i}`);
  const began = performance.now();
  const pods = await Promise.all(
    names.map((name) => started(server, node, { name, configMaps: ["shared"] })),
  );
  report({ name: "100 pods started", unit: "s", ours: (performance.now() - began) / 1000 });
  const directories = pods.map((pod) => node.volumePath(pod, "configmap", "shared"));
  await quiet({ server, node });
  const lags = await changed({ server, name: "shared", directories, changes });
  const p50 = percentile(lags, 0.5);
  report({
    name: "acknowledged → on disk, the last of 100 pods, p50",
    unit: "ms",
    ours: p50,
    aim: { text: "< 100", met: p50 < 100 },
  });
  await Promise.all(names.map((name) => deletePod(server, name)));
}

async function manyVolumes(
  options: Place & { readonly changes: number; readonly alone: number; readonly idleMs: number },
): Promise<void> {
  const { server, node, changes, alone, idleMs } = options;
  const before = rssMib(node.pid);
  const maps = Array.from({ length: 1000 }, (_, i) => `volume-${i}`);
  for (let i = 0; i < maps.length; i += 50) {
    await Promise.all(maps.slice(i, i + 50).map((name) => makeConfigMap(server, name)));
  }
  const pods = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      started(server, node, { name: `wide-${i}`, configMaps: maps.slice(i * 100, i * 100 + 100) }),
    ),
  );
  const [first] = pods;
  if (first === undefined) return;
  const directories = [node.volumePath(first, "configmap", "volume-7")];
  await quiet({ server, node });
  const lags = await changed({ server, name: "volume-7", directories, changes });
  const p50 = percentile(lags, 0.5);
  report({
    name: "acknowledged → on disk, one changed of 1,000 volumes, p50",
    unit: "ms",
    ours: p50,
    baseline: alone,
    aim: { text: "ratio <= 1.5", met: p50 <= 1.5 * alone },
  });
  await idle({ node, before, idleMs });
}

async function idle(options: {
  readonly node: DriftlessNode;
  /** MiB without them. */
  readonly before: number;
  readonly idleMs: number;
}): Promise<void> {
  const { node, before, idleMs } = options;
  const start = cpuMs(node.pid);
  await sleep(idleMs);
  const share = (100 * (cpuMs(node.pid) - start)) / idleMs;
  const after = rssMib(node.pid);
  report({ name: "agent, 1,000 idle volumes, CPU", unit: "% of a core", ours: share });
  report({ name: "agent, 1,000 volumes, memory", unit: "MiB", ours: after });
  report({
    name: "agent, memory of one idle volume",
    unit: "KiB",
    ours: ((after - before) * 1024) / 1000,
  });
}

async function started(
  server: DriftlessServer,
  node: DriftlessNode,
  of: { readonly name: string; readonly configMaps: readonly string[] },
): Promise<Pod> {
  await makePod(server, { ...of, node: node.name });
  return running(server, of.name);
}

/** Until what was started before is done: the work of starting is not the work of changing. */
async function quiet({ server, node }: Place): Promise<void> {
  const pids = [server.process.pid, node.pid].filter((pid) => pid !== undefined);
  const used = (): number => pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const before = used();
    await sleep(LOOK_MS);
    if (used() - before < LOOK_MS / 20) return;
  }
}

/** Of each change: milliseconds from its acknowledgement until the last directory shows it. */
async function changed(options: {
  readonly server: DriftlessServer;
  readonly name: string;
  readonly directories: readonly string[];
  readonly changes: number;
}): Promise<readonly number[]> {
  const { server, name, directories, changes } = options;
  const lags: number[] = [];
  const waiting = new Set<string>();
  let last = Promise.withResolvers<number>();
  const watchers: FSWatcher[] = directories.map((directory) =>
    watch(directory, (_, file) => {
      if (file !== "..data" || !waiting.delete(directory)) return;
      if (waiting.size === 0) last.resolve(performance.now());
    }),
  );
  try {
    for (let i = 0; i < changes; i++) {
      for (const directory of directories) waiting.add(directory);
      last = Promise.withResolvers();
      await setValue(server, name, `value ${i} of ${process.pid}`);
      const acknowledged = performance.now();
      lags.push(Math.max(0, (await last.promise) - acknowledged));
      // A replaced version is kept for a second and then removed: the next change should not meet the work of the last.
      await sleep(20);
    }
  } finally {
    for (const watcher of watchers) watcher.close();
  }
  return lags;
}
