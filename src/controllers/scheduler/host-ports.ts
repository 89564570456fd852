// Ports of the machine that pods take. One on all addresses meets one on any address; two on different addresses do not meet.

import type { ContainerPort, PodSpec } from "../../api/types.ts";
import type { NodeFilter } from "./node-info.ts";
import { PASSES } from "./node-scores.ts";
import type { PodInfo } from "./pod-info.ts";
import { isSidecar } from "./pod-resources.ts";

export interface HostPort {
  readonly address: string;
  /** "TCP/80". */
  readonly port: string;
}

const ALL_ADDRESSES = "0.0.0.0";

/** Those of all that runs as long as the pod does. */
export function hostPortsOf({ containers, initContainers }: PodSpec): readonly HostPort[] {
  return [...(initContainers ?? []).filter(isSidecar), ...(containers ?? [])]
    .flatMap(({ ports }) => ports ?? [])
    .filter(({ hostPort = 0 }) => hostPort > 0)
    .map(hostPortOf);
}

export function portFilter({ ports }: PodInfo): NodeFilter | undefined {
  if (ports.length === 0) return undefined;
  const refused = ["node(s) didn't have free ports for the requested pod ports"];
  return (node) => (ports.some((port) => node.ports.isTaken(port)) ? refused : PASSES);
}

export class HostPorts {
  /** By port, by address: how many have it. More than one only if they were put there by somebody else. */
  readonly #taken = new Map<string, Map<string, number>>();

  add({ port, address }: HostPort): void {
    const holders = this.#taken.get(port) ?? new Map<string, number>();
    this.#taken.set(port, holders.set(address, (holders.get(address) ?? 0) + 1));
  }

  remove({ port, address }: HostPort): void {
    const holders = this.#taken.get(port);
    const count = holders?.get(address) ?? 0;
    if (count > 1) holders?.set(address, count - 1);
    else holders?.delete(address);
    if (holders?.size === 0) this.#taken.delete(port);
  }

  isTaken({ port, address }: HostPort): boolean {
    const holders = this.#taken.get(port);
    if (holders === undefined) return false;
    return address === ALL_ADDRESSES || holders.has(address) || holders.has(ALL_ADDRESSES);
  }
}

function hostPortOf({ hostIP, protocol, hostPort }: ContainerPort): HostPort {
  return { address: hostIP || ALL_ADDRESSES, port: `${protocol || "TCP"}/${hostPort}` };
}
