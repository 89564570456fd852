// One change of a ConfigMap that every pod uses: until all files are swapped, until every view says so, and what it takes of the server and the
// agent. The yardstick is a client that patches as many plain objects, eight at a time as the agent does, on the same server.

import { type FSWatcher, watch } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { objectVersion } from "../../src/base/object-content.ts";
import { setValue } from "../agent/bench-pods.ts";
import { Generator, targetOf } from "../api/generator.ts";
import { median, report } from "../report.ts";
import { type Fleet, SHARED } from "./fleet.ts";

const WRITES = "driftless_config_view_writes_total";
const CLIENTS = 8;
const SETTLE_MS = 1500;
const PLAIN = "plain";
/** A view has to be made of what is on the disk; a patch that somebody sends is made already. */
const AIM_TIME = 4;
const AIM_WRITES = 2;
const AIM_CPU = 2.5;

interface Change {
  readonly swappedMs: number;
  readonly viewedMs: number;
  readonly writes: number;
  readonly serverMs: number;
  readonly agentMs: number;
}

export async function benchOneChange(fleet: Fleet, changes: number): Promise<void> {
  const count = fleet.pods.length;
  const measured: Change[] = [];
  const plain: { readonly ms: number; readonly serverMs: number }[] = [];
  using generator = new Generator();
  await makePlain(fleet);
  for (let i = 0; i < changes; i++) {
    await fleet.quiet();
    measured.push(await change(fleet, i));
    console.error(
      `  change ${i + 1} of ${changes}: every view right after ${Math.round(measured.at(-1)?.viewedMs ?? 0)} ms`,
    );
    await fleet.quiet();
    plain.push(await patches(fleet, generator));
  }
  const of = (pick: (one: Change) => number): number => median(measured.map(pick));
  const [plainMs, plainCpu] = [
    median(plain.map(({ ms }) => ms)),
    median(plain.map(({ serverMs }) => serverMs)),
  ];
  report({
    name: `one change, ${count} pods: all files swapped, p50`,
    unit: "ms",
    ours: of(({ swappedMs }) => swappedMs),
  });
  const viewedMs = of(({ viewedMs: ms }) => ms);
  report({
    name: `one change, ${count} pods: every view right, against ${count} plain patches, p50`,
    unit: "ms",
    ours: viewedMs,
    baseline: plainMs,
    aim: { text: `ratio <= ${AIM_TIME}`, met: viewedMs <= AIM_TIME * plainMs },
  });
  const writes = of((one) => one.writes) / count;
  report({
    name: "  writes of views for each pod",
    unit: "writes",
    ours: writes,
    baseline: 1,
    aim: { text: `ratio <= ${AIM_WRITES}`, met: writes <= AIM_WRITES },
  });
  const serverMs = of((one) => one.serverMs);
  report({
    name: "  processor time of the server, against the plain patches",
    unit: "ms",
    ours: serverMs,
    baseline: plainCpu,
    aim: { text: `ratio <= ${AIM_CPU}`, met: serverMs <= AIM_CPU * plainCpu },
  });
  report({
    name: "  processor time of the agent for each pod",
    unit: "ms",
    ours: of(({ agentMs }) => agentMs) / count,
  });
}

async function change(fleet: Fleet, i: number): Promise<Change> {
  const { server, views, directories } = fleet;
  const writesBefore = await fleet.count(WRITES);
  using swapped = untilSwapped(directories);
  const before = fleet.used();
  const began = performance.now();
  await setValue(server, SHARED, `value ${i} of ${process.pid}`);
  const version = await currentVersion(fleet);
  const viewed = views.until(directories.length, ({ uses = [] }) =>
    uses.every(
      ({ wanted, onDisk, drift }) =>
        wanted?.hash === version && onDisk?.hash === version && drift === undefined,
    ),
  );
  const [swappedAt, viewedAt] = [await swapped.all, await viewed];
  // Whatever is still to be written belongs to it.
  await sleep(SETTLE_MS);
  const after = fleet.used();
  return {
    swappedMs: swappedAt - began,
    viewedMs: viewedAt - began,
    writes: (await fleet.count(WRITES)) - writesBefore,
    serverMs: after.server - before.server,
    agentMs: after.agent - before.agent,
  };
}

async function currentVersion({ server }: Fleet): Promise<string> {
  const path = `/api/v1/namespaces/default/configmaps/${SHARED}`;
  const object = JSON.parse((await server.fetch("GET", path)).text) as {
    metadata: { uid: string };
  };
  return objectVersion("ConfigMap", object);
}

function untilSwapped(
  directories: readonly string[],
): Disposable & { readonly all: Promise<number> } {
  const waiting = new Set(directories);
  const { promise, resolve } = Promise.withResolvers<number>();
  const watchers: FSWatcher[] = directories.map((directory) =>
    watch(directory, (_, file) => {
      if (file === "..data" && waiting.delete(directory) && waiting.size === 0) {
        resolve(performance.now());
      }
    }),
  );
  return {
    all: promise,
    [Symbol.dispose]: () => {
      for (const watcher of watchers) watcher.close();
    },
  };
}

/** Without a history, which views do not have either. */
async function makePlain({ server }: Fleet): Promise<void> {
  for (let i = 0; i < CLIENTS; i++) {
    const metadata = { name: `${PLAIN}-${i}`, annotations: { "driftless.dev/history": "false" } };
    const path = "/api/v1/namespaces/default/configmaps";
    const { status, text } = await server.fetch("POST", path, { metadata, data: { key: "value" } });
    if (status !== 201) throw new Error(`Cannot prepare the bench: ${status} ${text}`);
  }
}

/** Of the size of a view. */
async function patches(
  fleet: Fleet,
  generator: Generator,
): Promise<{ ms: number; serverMs: number }> {
  const [view] = fleet.views.objects.values();
  const bytes = JSON.stringify(view?.uses ?? []).length;
  const before = fleet.used().server;
  const { elapsedMs } = await generator.run({
    ...{ do: "requests", target: targetOf(fleet.server), namespace: "default" },
    ...{ operation: "patch", prefix: PLAIN, bytes, clients: CLIENTS },
    ...{ ms: 60_000, count: fleet.pods.length },
  });
  return { ms: elapsedMs, serverMs: fleet.used().server - before };
}
