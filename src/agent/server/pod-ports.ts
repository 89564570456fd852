// Where a pod listens on a port. Pods have the machine's network, and with it everybody's loopback: who may forward a port of a
// pod reaches what that pod serves, and not the machine's own services.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** Addresses of loopback, and the listeners that get a connection to them, as the kernel prefers and /proc/net writes them. */
const loopbacks: readonly {
  readonly host: string;
  readonly listeners: readonly (readonly string[])[];
}[] = [
  {
    host: "127.0.0.1",
    listeners: [
      ["0100007F", "0000000000000000FFFF00000100007F"],
      ["00000000"],
      ["0".repeat(32)], // Of both families, unless it says otherwise: then it gets nothing.
    ],
  },
  { host: "::1", listeners: [["00000000000000000000000001000000"], ["0".repeat(32)]] },
];

/**
 * By which the port of the pod is reached; none if the pod does not listen there. `proc` is "/proc", but in tests. `pids` are the first processes of the pod's containers, as the host
 * numbers them.
 */
export function hostsOf(
  port: number,
  { pids, proc = "/proc" }: { readonly pids: readonly number[]; readonly proc?: string },
): readonly string[] {
  const found = listeners(proc, port);
  if (found.length === 0) return [];
  const held = new Set(
    podProcesses(proc, pids).flatMap((pid) =>
      namesIn(join(proc, String(pid), "fd")).map((fd) => linkOf(join(proc, String(pid), "fd", fd))),
    ),
  );
  return loopbacks.flatMap(({ host, listeners: ways }) => {
    const served = ways
      .map((addresses) => found.filter(({ address }) => addresses.includes(address)))
      .find((sockets) => sockets.length > 0);
    return served?.some(({ socket }) => held.has(socket)) === true ? [host] : [];
  });
}

const LISTEN = "0A";

interface Listening {
  readonly address: string;
  /** As links of file descriptors name it. */
  readonly socket: string;
}

function listeners(proc: string, port: number): readonly Listening[] {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const lines = ["tcp", "tcp6"].flatMap((name) => textOf(join(proc, "net", name)).split("\n"));
  return lines.flatMap((line) => {
    const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
    const [address = "", own] = local.split(":");
    return state === LISTEN && own === hex ? [{ address, socket: `socket:[${inode}]` }] : [];
  });
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
