// Machines on one network, as network namespaces on a bridge: each can be cut off by taking its link down.
// All names carry the id of the test's process, so that leftovers of a killed one can be told and removed.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

export interface Place {
  /** Runs a command on this machine. */
  readonly run: readonly string[];
  readonly host: string;
}

export interface Network extends Disposable {
  readonly places: readonly Place[];
  /** Takes the link of a machine down. */
  cut(index: number): void;
  mend(index: number): void;
}

// Interface names have at most 15 characters.
const mark = "dlt";

/** Only root can make one: otherwise returns why not. */
export function makeNetwork(machines: number): Network | string {
  if (process.getuid?.() !== 0) return "only root can make network namespaces";
  removeLeftovers();
  const name = `${mark}${process.pid}`;
  // 198.18.0.0/15 is set aside for tests of networks.
  const subnet = `198.${18 + (process.pid % 2)}.${Math.floor(process.pid / 2) % 256}`;
  const places = Array.from({ length: machines }, (_, i) => ({
    run: ["ip", "netns", "exec", `${name}n${i}`],
    host: `${subnet}.${i + 11}`,
  }));
  const remove = (): void => removeAll(name);
  try {
    ip(`link add ${name}b type bridge`);
    ip(`address add ${subnet}.1/24 dev ${name}b`);
    ip(`link set ${name}b up`);
    for (const [i, { host }] of places.entries()) {
      ip(`netns add ${name}n${i}`);
      ip(`link add ${name}v${i} type veth peer name eth0 netns ${name}n${i}`);
      ip(`link set ${name}v${i} master ${name}b up`);
      ip(`-n ${name}n${i} address add ${host}/24 dev eth0`);
      ip(`-n ${name}n${i} link set eth0 up`);
      ip(`-n ${name}n${i} link set lo up`);
    }
  } catch (err) {
    remove();
    return `no network namespaces here: ${(err as Error).message.trim().split("\n").at(-1)}`;
  }
  return {
    places,
    cut: (i) => ip(`link set ${name}v${i} down`),
    mend: (i) => ip(`link set ${name}v${i} up`),
    [Symbol.dispose]: remove,
  };
}

function removeLeftovers(): void {
  const names = [
    ...list("netns list", /^(dlt\d+)n\d+/),
    ...list("-o link show type veth", /^\d+: (dlt\d+)v/),
    ...list("-o link show type bridge", /^\d+: (dlt\d+)b/),
  ];
  for (const name of new Set(names)) {
    if (!existsSync(`/proc/${name.slice(mark.length)}`)) removeAll(name);
  }
}

/** The links first: with its namespace a link goes too, but only some time later. */
function removeAll(name: string): void {
  for (const link of list("-o link show type veth", /^\d+: (dlt\d+v\d+)/)) {
    if (link.startsWith(`${name}v`)) ip(`link delete ${link}`);
  }
  for (const namespace of list("netns list", /^(dlt\d+n\d+)/)) {
    if (namespace.startsWith(`${name}n`)) ip(`netns delete ${namespace}`);
  }
  for (const bridge of list("-o link show type bridge", /^\d+: (dlt\d+b)/)) {
    if (bridge === `${name}b`) ip(`link delete ${bridge}`);
  }
}

function list(command: string, pattern: RegExp): string[] {
  return ip(command)
    .split("\n")
    .flatMap((line) => pattern.exec(line)?.[1] ?? []);
}

function ip(command: string): string {
  return execFileSync("ip", command.split(" "), { encoding: "utf8", stdio: "pipe" });
}
