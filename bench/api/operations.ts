// Requests by many clients at once, with the bare stores doing the like in turn: a busy moment of the machine hits
// both. Medians of the rounds.

import { median, report } from "../report.ts";
import { anchors, WANTED_TIMES } from "./anchors.ts";
import type { BenchPlace, Measured } from "./bench-place.ts";
import type { Operation } from "./jobs.ts";

const KIB = 1024;
const LISTED = 1000;
const MAX_CLIENTS = 64;
const LIST_NAMESPACE = "bench-list";

export interface Cell {
  readonly operation: Operation;
  readonly clients: number;
  readonly bytes: number;
  /** All clients write the same object. */
  readonly isShared?: boolean;
}

/** Operations per second of something plainer; undefined if there is nothing to compare with. */
export type Yardstick = (cell: Cell, ms: number) => Promise<number> | number | undefined;

export interface OperationsOptions {
  /** For the names of figures: "sqlite". */
  readonly store: string;
  readonly rounds: number;
  /** Of one round of one cell. */
  readonly ms: number;
  readonly yardstick: Yardstick;
}

export function allCells(clientCounts: readonly number[]): Cell[] {
  const sizes = [KIB, 100 * KIB];
  const operations = ["create", "update", "get"] as const;
  return [
    ...operations.flatMap((operation) =>
      sizes.flatMap((bytes) =>
        clientCounts.map((clients): Cell => ({ operation, bytes, clients })),
      ),
    ),
    { operation: "patch", bytes: KIB, clients: 16 },
    { operation: "update", bytes: KIB, clients: 16, isShared: true },
    ...clientCounts.map((clients): Cell => ({ operation: "list", bytes: KIB, clients })),
  ];
}

/** Objects for all clients, the list, and code that the compiler of V8 has seen often. */
export async function prepareOperations(place: BenchPlace, warmUpMs: number): Promise<void> {
  await place.makeNamespace(LIST_NAMESPACE);
  for (const bytes of [KIB, 100 * KIB]) {
    await place.makeObjects(prefixOf(bytes), MAX_CLIENTS);
    const clients = MAX_CLIENTS;
    const count = 2 * clients;
    await place.requests({
      operation: "update",
      prefix: prefixOf(bytes),
      bytes,
      clients,
      ms: 60_000,
      count,
    });
  }
  const common = { clients: 16, bytes: KIB, prefix: prefixOf(KIB) };
  await place.requests({
    ...common,
    operation: "create",
    namespace: LIST_NAMESPACE,
    ms: 60_000,
    count: LISTED,
  });
  for (const operation of ["create", "update", "patch", "get"] as const) {
    await place.requests({ ...common, operation, ms: warmUpMs });
  }
}

export async function benchOperations(
  place: BenchPlace,
  cells: readonly Cell[],
  options: OperationsOptions,
): Promise<void> {
  for (const cell of cells) {
    const rounds: { readonly ours: Measured; readonly raw: number | undefined }[] = [];
    for (let round = 0; round < options.rounds; round++) {
      const ours = await measure(place, cell, options.ms);
      rounds.push({ ours, raw: await options.yardstick(cell, options.ms) });
    }
    const raw = rounds.flatMap((round) => round.raw ?? []);
    reportCell(
      `${nameOf(cell)} (${options.store})`,
      cell,
      rounds.map(({ ours }) => ours),
      raw,
    );
  }
}

function measure(place: BenchPlace, cell: Cell, ms: number): Promise<Measured> {
  const isList = cell.operation === "list";
  return place.requests({
    ...cell,
    prefix: prefixOf(cell.bytes),
    ...(isList && { namespace: LIST_NAMESPACE }),
    ms,
  });
}

/** Objects of one size keep it: a get after an update of another size would measure that. */
function prefixOf(bytes: number): string {
  return `object-${bytes / KIB}-kib`;
}

function nameOf({ operation, bytes, clients, isShared = false }: Cell): string {
  const what = isShared ? `${operation} of one object` : operation;
  const size = operation === "list" ? "1,000 x 1 KiB" : `${bytes / KIB} KiB`;
  return `${what} ${size}, ${clients}`;
}

function reportCell(
  name: string,
  { operation }: Cell,
  rounds: readonly Measured[],
  raw: readonly number[],
): void {
  const middle = (of: (round: Measured) => number): number => median(rounds.map(of));
  const perSecond = middle((round) => round.perSecond);
  const anchor = anchors[name.replace(/ \(.*/, "")];
  const hasAim = operation !== "list";
  report({
    name,
    unit: "/s",
    ours: perSecond,
    ...(raw.length > 0 && { baseline: median(raw) }),
    ...(anchor !== undefined && {
      aim: {
        text: `>= ${hasAim ? WANTED_TIMES : 1} x kube-apiserver's ${anchor}; is ${(perSecond / anchor).toFixed(1)} x`,
        met: perSecond >= (hasAim ? WANTED_TIMES : 1) * anchor,
      },
    }),
  });
  report({ name: "  p50", unit: "ms", ours: middle((round) => round.p50Ms) });
  report({ name: "  p99", unit: "ms", ours: middle((round) => round.p99Ms) });
  report({
    name: "  processor time of the server each",
    unit: "us",
    ours: middle((round) => round.serverCpuUs),
  });
  const rates = rounds.map((round) => round.perSecond);
  if (rates.length > 1) {
    const spread = (Math.max(...rates) - Math.min(...rates)) / perSecond;
    report({ name: "  spread of the rounds", unit: "%", ours: spread * 100 });
  }
  const busy = middle((round) => round.generatorCpuMs / round.elapsedMs);
  if (busy > 0.9) console.error(`${name}: the load generator is at its limit`);
}
