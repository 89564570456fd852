// From the number that a process has in its container to the process itself. The container's own /proc is not asked: it may be made up, and
// looking at it may take for ever. The machine's says of each process which number it has in each namespace (NSpid).

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { identify, type ProcessIdentity } from "../../mounts/process-calls.ts";

/** What a container may have at most for it to be looked through; more than any limit on processes in use. */
const MAX_PROCESSES = 4096;

/**
 * Those of `wanted` that are alive, by their numbers. `first` is the container's first process. Looks at what comes from it; with
 * `everywhere` also at the rest of the machine, for what was started in the container from outside, or was left by its parent.
 */
export function findProcesses(
  first: ProcessIdentity,
  wanted: ReadonlySet<number>,
  { everywhere }: { readonly everywhere: boolean },
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
  const namespace = everywhere ? namespaceOf(first.pid) : undefined;
  if (namespace === undefined) return found;
  for (const name of namesIn("/proc")) {
    const pid = Number(name);
    if (Number.isInteger(pid) && namespaceOf(pid) === namespace) look(pid);
    if (isDone()) break;
  }
  return found;
}

/** The process itself, and all that come from it. */
function* descendants(first: number): Generator<number> {
  const pending = [first];
  for (let seen = 0; seen < MAX_PROCESSES; seen++) {
    const pid = pending.pop();
    if (pid === undefined) return;
    yield pid;
    for (const thread of namesIn(`/proc/${pid}/task`)) {
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
