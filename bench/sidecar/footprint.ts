// Memory and processor time of a sidecar with 100 sources, while nothing happens and after 1,000 changes; and of `run`. With /metrics, as one that is deployed has it.

import {
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { DriftlessServer } from "../../test/support/driftless-server.ts";
import { cpuMs, rssMib } from "../api/process-usage.ts";
import { report } from "../report.ts";
import { Beside, Place } from "./beside.ts";
import { contentOf, fileOf, LABEL, makeConfigMaps, putConfigMap } from "./config-maps.ts";
import type { ShippedProgram } from "./shipped-program.ts";

export interface FootprintOptions {
  readonly program: ShippedProgram;
  readonly server: DriftlessServer;
  readonly sources: number;
  readonly changes: number;
  readonly idleMs: number;
  /** After 10 s what waiting does not need is given back; every 30 s there is a look at everything, which takes some of it again. */
  readonly settleMs: number;
}

const AIM_MIB = 60;
/** The Python program that it stands in for, with a few ConfigMaps; of another machine at another time. */
const ANCHOR_MIB = 80;
const LISTEN = ["--listen", "127.0.0.1:0"];

interface Kind {
  readonly what: string;
  /** Of a compose file. */
  readonly sources: object;
  readonly change: (name: string, value: string) => Promise<void> | void;
}

export async function benchFootprint(options: FootprintOptions): Promise<void> {
  const { server } = options;
  const names = Array.from({ length: options.sources }, (_, i) => `footprint-${i}`);
  using volumes = new Place();
  for (const name of names) writeVolume(volumes.join(name), name, "first");
  await makeConfigMaps(server, names);
  const put: Kind["change"] = (name, value) => putConfigMap(server, name, value);
  const byLabel = { objects: { kinds: ["ConfigMap"], labels: { [LABEL]: "yes" } } };
  const kinds: readonly Kind[] = [
    {
      what: "ConfigMaps by name",
      sources: Object.fromEntries(names.map((name) => [name, { configMap: name }])),
      change: put,
    },
    { what: "ConfigMaps by label", sources: { all: byLabel }, change: put },
    {
      what: "mounted volumes",
      sources: Object.fromEntries(names.map((name) => [name, volumes.join(name)])),
      change: (name, value) => writeVolume(volumes.join(name), name, value),
    },
  ];
  for (const kind of kinds) await sidecar(options, kind, names);
  await run(options, volumes.join(names[0] ?? ""));
}

async function sidecar(
  { program, server, changes, idleMs, settleMs }: FootprintOptions,
  { what, sources, change }: Kind,
  names: readonly string[],
): Promise<void> {
  console.error(`  ${names.length} ${what} …`);
  using place = new Place();
  const argv = place.compose({
    ...{ sources, output: place.join("out"), reload: { touch: place.join("touched") } },
  });
  const { kubeconfig } = server;
  await using beside = new Beside({ program, argv: [...argv, ...LISTEN], kubeconfig });
  const live = (name: string, value: string): Promise<void> =>
    beside.until(`${name} is live`, () => place.read("out", fileOf(name)) === contentOf(value));
  for (const name of names) await live(name, "first");
  await sleep(settleMs);
  const title = `sidecar, ${names.length} ${what}`;
  await idle(beside.pid, { title, idleMs });
  const last = new Map<string, string>();
  for (let i = 0; i < changes; i++) {
    const name = names[i % names.length] ?? "";
    last.set(name, `value ${i} of ${what}`);
    await change(name, last.get(name) ?? "");
  }
  for (const [name, value] of last) await live(name, value);
  await sleep(settleMs);
  tellMemory(`${title}, after ${changes} changes`, beside.pid);
  // As it was, for the next.
  for (const name of names) await change(name, "first");
}

/** With a directory that it watches, and a program that does nothing. */
async function run(
  { program, idleMs, settleMs }: FootprintOptions,
  directory: string,
): Promise<void> {
  console.error("  run …");
  const argv = ["run", "--watch", directory, ...LISTEN, "--", "sleep", "infinity"];
  await using beside = new Beside({ program, argv });
  await beside.until("the program runs", () => childrenOf(beside.pid) !== "");
  await sleep(settleMs);
  await idle(beside.pid, { title: "run, one directory", idleMs });
}

async function idle(
  pid: number,
  { title, idleMs }: { readonly title: string; readonly idleMs: number },
): Promise<void> {
  const before = cpuMs(pid);
  await sleep(idleMs);
  const percent = (100 * (cpuMs(pid) - before)) / idleMs;
  tellMemory(`${title}, idle`, pid);
  report({
    ...{ name: `${title}, idle, CPU`, unit: "% of a core", ours: percent },
    aim: { text: "< 1", met: percent < 1 },
  });
}

function tellMemory(title: string, pid: number): void {
  const ours = rssMib(pid);
  report({
    ...{ name: `${title}, memory, against k8s-sidecar`, unit: "MiB", ours, baseline: ANCHOR_MIB },
    aim: { text: `< ${AIM_MIB}`, met: ours < AIM_MIB },
  });
  // Without the pages of files, which all processes of the same image share.
  report({ name: "  of it not shared", unit: "MiB", ours: statusMib(pid, "RssAnon") });
  report({ name: "  the most since its start", unit: "MiB", ours: statusMib(pid, "VmHWM") });
}

function statusMib(pid: number, name: string): number {
  const text = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) / 1024;
}

function childrenOf(pid: number): string {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
}

/** As the kubelet does it: another directory, and a link that is replaced. */
function writeVolume(path: string, name: string, value: string): void {
  const before = readLink(path);
  const version = `..${process.hrtime.bigint()}`;
  mkdirSync(join(path, version), { recursive: true });
  writeFileSync(join(path, version, fileOf(name)), contentOf(value));
  symlinkSync(version, join(path, "..data_tmp"));
  renameSync(join(path, "..data_tmp"), join(path, "..data"));
  if (before === undefined) symlinkSync(join("..data", fileOf(name)), join(path, fileOf(name)));
  else rmSync(join(path, before), { recursive: true });
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(join(path, "..data"));
  } catch {
    return undefined;
  }
}
