// Whether a pod listens on a port. Pods have the machine's network, and with it everybody's loopback: who may forward a port of a
// pod reaches what that pod serves, and not the machine's own services.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** `proc` is "/proc", but in tests. `pids` are the first processes of the pod's containers, as the host numbers them. */
export function isListening(
  port: number,
  { pids, proc = "/proc" }: { readonly pids: readonly number[]; readonly proc?: string },
): boolean {
  const sockets = listeners(proc, port);
  if (sockets.size === 0) return false;
  return podProcesses(proc, pids).some((pid) =>
    namesIn(join(proc, String(pid), "fd")).some((fd) =>
      sockets.has(linkOf(join(proc, String(pid), "fd", fd))),
    ),
  );
}

const LISTEN = "0A";

/** As links of file descriptors name them. */
function listeners(proc: string, port: number): ReadonlySet<string> {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const lines = ["tcp", "tcp6"].flatMap((name) => textOf(join(proc, "net", name)).split("\n"));
  return new Set(
    lines.flatMap((line) => {
      const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
      return state === LISTEN && local.endsWith(`:${hex}`) ? [`socket:[${inode}]`] : [];
    }),
  );
}

/** Those in the containers' process namespaces; of a container that has the machine's, its descendants. */
function podProcesses(proc: string, pids: readonly number[]): readonly number[] {
  const own = linkOf(join(proc, "self", "ns", "pid"));
  const spaceOf = (pid: number): string => linkOf(join(proc, String(pid), "ns", "pid"));
  const spaces = new Set(pids.map(spaceOf).filter((space) => space !== "" && space !== own));
  const all = namesIn(proc)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const parents = new Map(all.map((pid) => [pid, parentOf(proc, pid)]));
  const isBelow = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at)) {
      if (pids.includes(at)) return true;
    }
    return false;
  };
  return all.filter((pid) => spaces.has(spaceOf(pid)) || isBelow(pid));
}

function parentOf(proc: string, pid: number): number | undefined {
  // The name of the program is in brackets, and may have anything in it.
  const [, rest = ""] = /\)\s+\S\s+(\d+)/.exec(textOf(join(proc, String(pid), "stat"))) ?? [];
  return rest === "" ? undefined : Number(rest);
}

/** Processes end while they are looked at: what is gone has nothing. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // Gone, or not there at all.
  }
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return []; // Gone.
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // Gone.
  }
}
