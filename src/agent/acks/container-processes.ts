// From the number that a process has in its container to the process itself. The container's own /proc is not asked: it may be made up, and
// looking at it may take for ever. The machine's says of each process which number it has in each namespace (NSpid).

//
// How much there is to look through is up to the container, which may have made thousands of processes and threads for that; so a look is
// bounded, and the whole machine is looked through once for all containers.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Clock } from "../../base/clock.ts";
import { identify, type ProcessIdentity } from "../../mounts/process-calls.ts";

/** Processes and threads of a container that are looked at, which takes some 20 ms. Of more, those that are missing are found everywhere. */
const MAX_LOOKS = 1024;
/** How old it may be what is known of the whole machine. */
const MACHINE_MS = 1000;

/** Whoever can find processes. */
export interface ProcessSearch {
  /**
   * Those of `wanted` that are alive, by their numbers. `first` is the container's first process. Looks at what comes from it, and for the rest
   * at the machine as it was a second ago at most: there is what was started in the container from outside, or was left by its parent.
   */
  find(first: ProcessIdentity, wanted: ReadonlySet<number>): ReadonlyMap<number, ProcessIdentity>;
}

export class ContainerProcesses implements ProcessSearch {
  readonly #clock: Clock;
  /** All processes, by namespace. Kept no longer than it is of use. */
  #machine: ReadonlyMap<string, readonly number[]> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  find(first: ProcessIdentity, wanted: ReadonlySet<number>): ReadonlyMap<number, ProcessIdentity> {
    return findProcesses(first, wanted, (namespace) => this.#all().get(namespace) ?? []);
  }

  #all(): ReadonlyMap<string, readonly number[]> {
    if (this.#machine === undefined) {
      this.#machine = processesByNamespace();
      this.#clock.schedule(MACHINE_MS, () => {
        this.#machine = undefined;
      });
    }
    return this.#machine;
  }
}

function findProcesses(
  first: ProcessIdentity,
  wanted: ReadonlySet<number>,
  others: (namespace: string) => readonly number[],
): ReadonlyMap<number, ProcessIdentity> {
  const found = new Map<number, ProcessIdentity>();
  const depth = numbersOf(first.pid).length - 1;
  if (depth < 0) return found;
  const look = (pid: number): void => {
    const number = numbersOf(pid)[depth];
    if (number === undefined || !wanted.has(number) || found.has(number)) return;
    const process = identify(pid);
    if (process !== undefined) found.set(number, process);
  };
  const isDone = (): boolean => found.size === wanted.size;
  for (const pid of descendants(first.pid)) {
    look(pid);
    if (isDone()) return found;
  }
  const namespace = namespaceOf(first.pid);
  if (namespace === undefined) return found;
  for (const pid of others(namespace)) {
    look(pid);
    if (isDone()) break;
  }
  return found;
}

function processesByNamespace(): ReadonlyMap<string, readonly number[]> {
  const pids = namesIn("/proc").map(Number).filter(Number.isInteger);
  const known = pids.flatMap((pid) => {
    const namespace = namespaceOf(pid);
    return namespace === undefined ? [] : [{ pid, namespace }];
  });
  const groups = Map.groupBy(known, ({ namespace }) => namespace);
  return new Map([...groups].map(([namespace, of]) => [namespace, of.map(({ pid }) => pid)]));
}

/** The process itself, and all that come from it. */
function* descendants(first: number): Generator<number> {
  const pending = [first];
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const pid = pending.pop();
    if (pid === undefined) return;
    yield pid;
    for (const thread of namesIn(`/proc/${pid}/task`)) {
      if (looks++ > MAX_LOOKS) return;
      // Missing in kernels without checkpointing: then only the first is found, or everything is looked through.
      const children = textOf(`/proc/${pid}/task/${thread}/children`);
      pending.push(...children.split(" ").filter(Boolean).map(Number));
    }
  }
}

/** From the machine's to the innermost namespace. Empty if it is gone. */
function numbersOf(pid: number): readonly number[] {
  const line = /^NSpid:\s*(.*)$/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? "";
  return line.split(/\s+/).filter(Boolean).map(Number);
}

function namespaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined; // It is gone, or not ours to look at.
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path).toString("latin1");
  } catch {
    return ""; // It is gone.
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // It is gone.
  }
}
