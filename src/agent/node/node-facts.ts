// What a Node says of its machine, in the words of the API.

import { canonicalQuantity } from "../../api/quantity.ts";
import type { NodeAddress, NodeSystemInfo } from "../../api/types.ts";
import type { NodeFacts } from "../env/environment.ts";
import type { DiskSpace } from "./disk-space.ts";
import type { Machine } from "./machine.ts";
import { RESERVED_DISK_SHARE, RESERVED_MEMORY_BYTES } from "./pressure.ts";

type Quantities = Readonly<Record<string, string>>;

export interface MachineFacts {
  readonly labels: Quantities;
  readonly capacity: Quantities;
  readonly allocatable: Quantities;
  readonly addresses: readonly NodeAddress[];
  readonly nodeInfo: NodeSystemInfo;
}

export interface MachineFactsOptions {
  readonly hostname: string;
  readonly machine: Machine;
  readonly disk: DiskSpace;
  /** The primary one first. */
  readonly addresses: readonly string[];
  /** How many the scheduler may place here. */
  readonly maxPods: number;
  /** As Node names it: "x64". */
  readonly architecture: string;
  /** Of the container runtime: "driftless-process://0.1.0". */
  readonly runtimeVersion: string;
  /** Of the agent. */
  readonly agentVersion: string;
}

/** Where Go, and with it Kubernetes, has other names. */
const ARCHITECTURES: Readonly<Record<string, string>> = {
  x64: "amd64",
  ia32: "386",
  ppc64: "ppc64le",
};

export function machineFacts(options: MachineFactsOptions): MachineFacts {
  const { hostname, machine, disk, addresses } = options;
  const architecture = ARCHITECTURES[options.architecture] ?? options.architecture;
  const huge = hugePageBytes(machine);
  const hugeBytes = huge.reduce((sum, [, bytes]) => sum + bytes, 0);
  const rest = {
    cpu: String(machine.cpus),
    pods: String(options.maxPods),
    ...Object.fromEntries(huge.map(([name, bytes]) => [name, binary(bytes)])),
  };
  const forPods = Math.max(0, machine.memoryBytes - hugeBytes - RESERVED_MEMORY_BYTES);
  return {
    labels: {
      "kubernetes.io/arch": architecture,
      "kubernetes.io/hostname": hostname,
      "kubernetes.io/os": "linux",
    },
    capacity: {
      ...rest,
      memory: binary(machine.memoryBytes),
      "ephemeral-storage": binary(disk.totalBytes),
    },
    allocatable: {
      ...rest,
      memory: binary(forPods),
      "ephemeral-storage": String(Math.floor(disk.totalBytes * (1 - RESERVED_DISK_SHARE))),
    },
    addresses: [
      ...addresses.map((address) => ({ type: "InternalIP", address })),
      { type: "Hostname", address: hostname },
    ],
    nodeInfo: {
      machineID: machine.machineId,
      systemUUID: machine.systemUuid,
      bootID: machine.bootId,
      kernelVersion: machine.kernelVersion,
      osImage: machine.osImage,
      containerRuntimeVersion: options.runtimeVersion,
      kubeletVersion: options.agentVersion,
      kubeProxyVersion: "",
      operatingSystem: "linux",
      architecture,
    },
  };
}

/** What pods are told of it. */
export function podFacts(name: string, facts: MachineFacts): NodeFacts {
  const addresses = facts.addresses.filter(({ type }) => type === "InternalIP");
  return {
    name,
    addresses: addresses.map(({ address }) => address),
    allocatable: facts.allocatable,
  };
}

function hugePageBytes({ hugePages }: Machine): readonly (readonly [string, number])[] {
  return [...hugePages].map(([size, count]) => [`hugepages-${largest(size)}`, size * count]);
}

/** In the largest unit of which it is a whole number, as the API writes it back. */
function binary(bytes: number): string {
  return bytes % 1024 === 0 ? canonicalQuantity(`${bytes / 1024}Ki`) : String(bytes);
}

function largest(bytes: number): string {
  const units = ["", "Ki", "Mi", "Gi"];
  let [value, unit] = [bytes, 0];
  while (value % 1024 === 0 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value}${units[unit]}`;
}
