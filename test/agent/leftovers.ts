// What is still there of pods that are gone: on the disk, in the table of mounts, among the processes and cgroups.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cgroupsOf } from "../support/agent-cgroups.ts";
import { type DriftlessNode, mountsBelow, processesBelow } from "../support/driftless-node.ts";

const DIRECTORIES = ["pods", "containers", "sandboxes", "logs"];

/** In words; empty if nothing is left. */
export function leftovers(node: DriftlessNode): readonly string[] {
  const files = DIRECTORIES.flatMap((directory) =>
    readdirSync(join(node.dataDir, directory)).map((name) => `the directory ${directory}/${name}`),
  );
  const mounts = mountsBelow(node.dataDir).map((path) => `the mount ${path}`);
  const processes = processesBelow(node.dataDir)
    .filter((pid) => pid !== node.pid)
    .map(commandOf)
    // It serves the next containers too.
    .filter((command) => !command.includes("keeper-main"))
    .map((command) => `the process ${command}`);
  const zombies = childrenOf(node.pid)
    .filter((pid) => stateOf(pid) === "Z")
    .map((pid) => `the zombie ${pid}`);
  const cgroups = cgroupsOf(node.dataDir).map((directory) => `the cgroup ${directory}`);
  return [...files, ...mounts, ...processes, ...zombies, ...cgroups];
}

export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return ""; // It ended meanwhile; the next look will not find it.
  }
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").filter(Boolean).map(Number);
}

function stateOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2, text.lastIndexOf(")") + 3);
  } catch {
    return "";
  }
}
