// The API server under load: `npm run bench -- api`, or `api --quick` for fewer cells and shorter rounds.
//
// Yardsticks of the same run: for SQLite, durable commits in a plain loop, of as many rows as there are clients; for
// etcd, puts and gets of the same size by as many callers. Writes are measured a second time without the history of
// contents, which kube-apiserver has not.

import { loadavg } from "node:os";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { etcdBinary } from "../../test/etcd/etcd-binaries.ts";
import { EtcdCluster } from "../../test/etcd/etcd-cluster.ts";
import { report } from "../report.ts";
import { BenchPlace } from "./bench-place.ts";
import { benchFanOut } from "./fan-out.ts";
import { benchIdleWatches } from "./idle-watches.ts";
import type { Operation } from "./jobs.ts";
import { allCells, benchOperations, type Cell, prepareOperations } from "./operations.ts";
import { RawSqlite } from "./raw-sqlite.ts";
import { benchStartUp } from "./start-up.ts";

interface Scale {
  readonly clients: readonly number[];
  readonly rounds: number;
  readonly ms: number;
  readonly warmUpMs: number;
  readonly watchers: readonly number[];
  readonly updates: number;
  readonly floodMs: number;
  readonly idleWatches: number;
  readonly starts: number;
  readonly objects: number;
}

const full: Scale = {
  clients: [1, 16, 64],
  rounds: 3,
  ms: 700,
  warmUpMs: 2000,
  watchers: [100, 1000, 5000],
  updates: 40,
  floodMs: 3000,
  idleWatches: 5000,
  starts: 5,
  objects: 10_000,
};

const quick: Scale = {
  clients: [16],
  rounds: 1,
  ms: 500,
  warmUpMs: 1000,
  watchers: [100, 1000],
  updates: 10,
  floodMs: 1000,
  idleWatches: 500,
  starts: 1,
  objects: 1000,
};

export async function benchApi({ isQuick }: { readonly isQuick: boolean }): Promise<void> {
  const scale = isQuick ? quick : full;
  console.error("ratios to kube-apiserver are to figures of another machine: a hint only");
  reportLoad("before");
  await benchStartUp(scale);
  {
    await using place = await BenchPlace.start();
    await benchOnSqlite(place, { ...scale, store: "sqlite", cells: allCells(scale.clients) });
    report({ name: "memory of the server after that", unit: "MiB", ours: place.rssMib });
  }
  {
    await using place = await BenchPlace.start(WITHOUT_HISTORY);
    const cells = [1, 100].flatMap((kib) => cellsOf(kib * 1024, ["create", "update"]));
    await benchOnSqlite(place, { ...scale, store: "sqlite, no history", cells });
  }
  {
    // A server of its own: what the load before has left would be counted as the watches'.
    await using place = await BenchPlace.start();
    await benchFanOut(place, scale);
  }
  await benchIdleWatches(scale.idleWatches);
  await benchOnEtcd([], {
    ...scale,
    store: "etcd",
    cells: cellsOf(1024, ["create", "update", "get"]),
  });
  await benchOnEtcd(WITHOUT_HISTORY, {
    ...scale,
    store: "etcd, no history",
    cells: cellsOf(1024, ["create", "update"]),
  });
  reportLoad("after");
}

/** Above 1 before the first figure, somebody else is busy here, and no rate or latency means much. */
function reportLoad(when: string): void {
  const [load = 0] = loadavg();
  report({ name: `load of the machine ${when}`, unit: "", ours: load });
}

const WITHOUT_HISTORY = ["--config-history", "0"];

interface Cells extends Scale {
  /** For the names of figures. */
  readonly store: string;
  readonly cells: readonly Cell[];
}

function cellsOf(bytes: number, operations: readonly Operation[]): Cell[] {
  return operations.map((operation) => ({ operation, bytes, clients: 16 }));
}

async function benchOnSqlite(place: BenchPlace, scale: Cells): Promise<void> {
  using dir = tempDir();
  using raw = new RawSqlite(dir.join("raw.db"));
  await prepareOperations(place, scale.warmUpMs);
  await benchOperations(place, scale.cells, {
    ...scale,
    yardstick: ({ operation, bytes, clients, isShared = false }, ms) =>
      isWrite(operation)
        ? raw.rows({ bytes, group: isShared ? 1 : clients, ms: ms / 2 })
        : undefined,
  });
}

async function benchOnEtcd(flags: readonly string[], scale: Cells): Promise<void> {
  const binary = await etcdBinary("3.4");
  if (!binary.ok) {
    console.error(`etcd left out: ${binary.reason}`);
    return;
  }
  await using cluster = await EtcdCluster.start({ binary: binary.path });
  const [endpoint = ""] = cluster.endpoints;
  await using place = await BenchPlace.start(["--store", `etcd:${endpoint}`, ...flags]);
  await prepareOperations(place, scale.warmUpMs);
  await benchOperations(place, scale.cells, {
    ...scale,
    yardstick: async ({ operation, bytes, clients }, ms) => {
      const like = isWrite(operation) ? "put" : "get";
      const job = { do: "etcd", endpoint, operation: like, bytes, clients, ms } as const;
      return (await place.generator.run(job)).perSecond;
    },
  });
}

function isWrite(operation: Operation): boolean {
  return operation !== "get" && operation !== "list";
}
