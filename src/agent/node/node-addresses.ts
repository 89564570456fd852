// Under which addresses this machine is reached. The first is the one from which it speaks to the server: whoever the
// server can answer can reach it there.

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIP } from "node:net";
import type { NetworkInterfaceInfo } from "node:os";

export type Interfaces = Readonly<Record<string, readonly Address[] | undefined>>;
type Address = Pick<NetworkInterfaceInfo, "address" | "family" | "internal">;

export interface NodeAddressesOptions {
  /** Those that were named: they are believed. */
  readonly named: readonly string[];
  /** From which the server is reached, if that is known. */
  readonly source: string | undefined;
  readonly interfaces: Interfaces;
}

/** The primary one first, at most one of each family. Never empty: a machine without a network is reached by itself. */
export function nodeAddresses({
  named,
  source,
  interfaces,
}: NodeAddressesOptions): readonly string[] {
  if (named.length > 0) return onePerFamily(named);
  const outer = Object.values(interfaces)
    .map((addresses) => (addresses ?? []).filter(isReachable))
    .filter((addresses) => addresses.length > 0);
  const ofSource = outer.find((one) => one.some(({ address }) => address === source));
  const [first] = outer;
  const all = (ofSource ?? first ?? []).map(({ address }) => address);
  const primary = all.find((address) => address === source) ?? all.find((one) => isIP(one) === 4);
  if (all.length === 0) return ["127.0.0.1"];
  return onePerFamily(primary === undefined ? all : [primary, ...all]);
}

/** The address that the kernel would send from; nothing is sent. Undefined if there is no way there. */
export async function sourceAddress(server: string): Promise<string | undefined> {
  const { hostname, port } = new URL(server);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const socket = createSocket(isIP(host) === 6 ? "udp6" : "udp4");
  try {
    socket.connect(Number(port || 443), host);
    await once(socket, "connect");
    return socket.address().address;
  } catch {
    return undefined; // No route or no such name, for now.
  } finally {
    socket.close();
  }
}

function isReachable({ address, internal }: Address): boolean {
  return !internal && !/^(169\.254\.|fe[89ab])/i.test(address);
}

function onePerFamily(addresses: readonly string[]): readonly string[] {
  const families = new Map<number, string>();
  for (const address of addresses) {
    const family = isIP(address);
    if (family !== 0 && !families.has(family)) families.set(family, address);
  }
  return [...families.values()];
}
