// Who belongs together, when parents tell nothing: a daemon leaves its parent, its session and its group. It does not leave the
// namespaces in which it was started.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { constants } from "node:os";
import type { Clock } from "../../base/clock.ts";
import {
  identify,
  isAlive,
  type ProcessIdentity,
  signalProcess,
} from "../../mounts/process-calls.ts";

/** Between two looks: the kernel tells only the parent of a process that it is gone. */
const lookAgainMs = 5;

/** Kills all that are found, again and again, and settles when none is found. */
export async function killAll(find: () => readonly ProcessIdentity[], clock: Clock): Promise<void> {
  for (let found = find(); found.length > 0; found = find()) {
    for (const who of found) {
      signalProcess(who, constants.signals.SIGKILL);
    }
    await clock.sleep(lookAgainMs);
  }
}

/** Processes with this namespace, as their /proc/…/ns/… says it: "cgroup:[4026532000]". */
export function processesIn(namespace: string): readonly ProcessIdentity[] {
  const kind = namespace.slice(0, namespace.indexOf(":"));
  return processes().filter(({ pid }) => namespaceOf(pid, kind) === namespace);
}

/** Processes that see a mount from this source, whatever mount namespaces they have made of theirs. */
export function processesThatSee(source: string): readonly ProcessIdentity[] {
  const known = new Map<string | undefined, boolean>([[undefined, false]]);
  return processes().filter(({ pid }) => {
    const namespace = namespaceOf(pid, "mnt");
    const seen = known.get(namespace) ?? hasMount(pid, source);
    known.set(namespace, seen);
    return seen;
  });
}

/** All that come from this process, as far as their parents still tell; none if it is gone. */
export function descendantsOf(ancestor: ProcessIdentity): readonly ProcessIdentity[] {
  const all = processes().map((who) => ({ who, parent: parentOf(who.pid) }));
  const found: ProcessIdentity[] = [];
  // After all were read: their parents were no others.
  for (let parents = isAlive(ancestor) ? [ancestor.pid] : []; parents.length > 0; ) {
    const children = all.filter(({ parent }) => parent !== undefined && parents.includes(parent));
    found.push(...children.map(({ who }) => who));
    parents = children.map(({ who }) => who.pid);
  }
  return found;
}

function processes(): readonly ProcessIdentity[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => identify(Number(name)))
    .filter((who) => who !== undefined);
}

function namespaceOf(pid: number, kind: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/${kind}`);
  } catch {
    // It is gone, or none that we may look at: no container of ours is.
    return undefined;
  }
}

function hasMount(pid: number, source: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/mountinfo`, "latin1").includes(` ${source} `);
  } catch {
    return false;
  }
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}
