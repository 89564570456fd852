// What the kernel and the distribution say of this machine. Files are read below a root, so that a test can be any machine.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Machine {
  readonly cpus: number;
  readonly memoryBytes: number;
  /** By the size of the page in bytes; the sizes that the kernel knows, also those of which it has set none aside. */
  readonly hugePages: ReadonlyMap<number, number>;
  readonly machineId: string;
  readonly systemUuid: string;
  readonly bootId: string;
  readonly kernelVersion: string;
  readonly osImage: string;
}

const HUGE_PAGES = "sys/kernel/mm/hugepages";

/** What cannot be read is "" or 0: a node can work without knowing who made it. */
export function readMachine(root: string): Machine {
  const text = (path: string): string => textOf(join(root, path));
  const machineId = text("etc/machine-id");
  return {
    cpus: countOf(text("sys/devices/system/cpu/online")) || cpusIn(text("proc/cpuinfo")),
    memoryBytes: memoryField(text("proc/meminfo"), "MemTotal"),
    hugePages: hugePagesIn(root),
    machineId,
    // Virtual machines and other architectures may have none.
    systemUuid: text("sys/class/dmi/id/product_uuid").toLowerCase() || machineId,
    bootId: text("proc/sys/kernel/random/boot_id"),
    kernelVersion: text("proc/sys/kernel/osrelease"),
    osImage: osImageOf(text("etc/os-release") || text("usr/lib/os-release")),
  };
}

/** In bytes; 0 if /proc/meminfo does not say it. */
export function memoryField(meminfo: string, name: string): number {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(meminfo);
  return Number(found?.[1] ?? 0) * 1024;
}

/** Without the line end; "" if it cannot be read. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return ""; // The kernel was built without it, or we may not read it.
  }
}

/** Of a list such as "0-3,8". */
function countOf(list: string): number {
  let count = 0;
  for (const range of list.split(",")) {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? [];
    if (first !== undefined) count += Number(last) - Number(first) + 1;
  }
  return count;
}

function cpusIn(cpuinfo: string): number {
  return cpuinfo.match(/^processor\s*:/gm)?.length ?? 0;
}

function hugePagesIn(root: string): ReadonlyMap<number, number> {
  const sizes = new Map<number, number>();
  for (const name of entriesOf(join(root, HUGE_PAGES)).sort()) {
    const [, kilobytes] = /^hugepages-(\d+)kB$/.exec(name) ?? [];
    if (kilobytes === undefined) continue;
    const count = Number(textOf(join(root, HUGE_PAGES, name, "nr_hugepages")));
    sizes.set(Number(kilobytes) * 1024, count);
  }
  return sizes;
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // A kernel without huge pages.
  }
}

function osImageOf(release: string): string {
  const value = /^PRETTY_NAME=(.*)$/m.exec(release)?.[1] ?? "";
  return value.replace(/^(["'])(.*)\1$/, "$2") || "Linux";
}
