// Where a node may say that it is reached. Its certificate comes from the authority that also vouches for the API
// server: a node that could name any host could pass for the server, or for another node.

import { BlockList, isIP } from "node:net";
import { badRequest } from "../../api/status-error.ts";
import { refused } from "./refused.ts";

export interface NodeHostsOptions {
  readonly nodeName: string;
  /** By which the API server is reached. */
  readonly serverHosts: readonly string[];
  /** The other node that is reached there. */
  ownerOf(address: string, except: string): Promise<string | undefined>;
}

/** A machine with more has a mistake in its list. */
const MAX_HOSTS = 32;

/** Loopback, "any", link-local and multicast: they mean another machine to everybody else. */
const nobodys4 = new BlockList();
nobodys4.addSubnet("127.0.0.0", 8);
nobodys4.addSubnet("0.0.0.0", 8);
nobodys4.addSubnet("169.254.0.0", 16);
nobodys4.addSubnet("224.0.0.0", 3);

/** The first 96 bits zero, or with ffff: loopback, "any", and addresses of version 4 in disguise. */
const nobodys6 = new BlockList();
nobodys6.addSubnet("::", 96, "ipv6");
nobodys6.addSubnet("::ffff:0:0", 96, "ipv6");
nobodys6.addSubnet("fe80::", 10, "ipv6");
nobodys6.addSubnet("ff00::", 8, "ipv6");

/** Throws BadRequest or Forbidden, and names the host that is in the way. */
export async function refuseHosts(
  hosts: readonly string[],
  { nodeName, serverHosts, ...nodes }: NodeHostsOptions,
): Promise<void> {
  if (hosts.length > MAX_HOSTS) throw badRequest(`hosts: at most ${MAX_HOSTS} are allowed`);
  for (const host of hosts) {
    const quoted = JSON.stringify(host);
    refuseForm(host, nodeName);
    if (serverHosts.some((one) => canonical(one) === host)) {
      throw refused(`hosts: ${quoted} belongs to the API server: leave it out`);
    }
    const owner = await nodes.ownerOf(host, nodeName);
    if (owner !== undefined) {
      throw refused(`hosts: ${quoted} belongs to the node ${JSON.stringify(owner)}: leave it out`);
    }
  }
}

/** Each host has one way to be written, so that two can be compared. */
function refuseForm(host: string, nodeName: string): void {
  const quoted = JSON.stringify(host);
  const family = isIP(host);
  if (family === 0) {
    if (host === nodeName || isNameUnder(host, nodeName)) return;
    throw refused(
      `hosts: ${quoted} is not a name of this node: it must be ${nodeName}, or begin with "${nodeName}."`,
    );
  }
  if (family === 6 ? nobodys6.check(host, "ipv6") : nobodys4.check(host)) {
    throw refused(`hosts: ${quoted} is not an address by which others reach this node`);
  }
  if (canonical(host) !== host) throw badRequest(`hosts: write ${quoted} as ${canonical(host)}`);
}

function canonical(host: string): string {
  return isIP(host) === 6 ? new URL(`http://[${host}]`).hostname.slice(1, -1) : host.toLowerCase();
}

function isNameUnder(host: string, nodeName: string): boolean {
  return host.startsWith(`${nodeName}.`) && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(host);
}
