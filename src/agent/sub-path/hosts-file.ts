// A pod's /etc/hosts. Pods share the node's network, so it is the node's own file and what the pod adds.

import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { HostAlias } from "../../api/types.ts";
import { isErrno } from "../../base/errors.ts";

const header = "# Kubernetes-managed hosts file (host network).\n";

export function hostsFileText(nodeHosts: string, aliases: readonly HostAlias[]): string {
  const own = nodeHosts === "" || nodeHosts.endsWith("\n") ? nodeHosts : `${nodeHosts}\n`;
  if (aliases.length === 0) return header + own;
  const lines = aliases.map(({ ip, hostnames }) => `${ip}\t${(hostnames ?? []).join("\t")}\n`);
  return `${header}${own}\n# Entries added by HostAliases.\n${lines.join("")}`;
}

/**
 * Makes the file, or makes it new if it says something else. Replaced as a whole: containers that run keep the file that they
 * have mounted, where the original empties it under their eyes. Synchronous, so that two containers of a pod cannot meet here.
 */
export function ensureHostsFile(of: {
  readonly path: string;
  /** Of the node: "/etc/hosts". */
  readonly nodeHostsPath: string;
  readonly aliases: readonly HostAlias[];
}): void {
  const text = hostsFileText(readIfThere(of.nodeHostsPath) ?? "", of.aliases);
  if (saysAlready(of.path, text)) return;
  const next = `${of.path}.next`;
  mkdirSync(dirname(of.path), { recursive: true, mode: 0o750 });
  writeFileSync(next, text, { mode: 0o644 });
  chmodSync(next, 0o644); // The umask may have taken bits away.
  renameSync(next, of.path);
}

/** Containers may write to it: it is read only if it has the right size. */
function saysAlready(path: string, text: string): boolean {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  return size === Buffer.byteLength(text) && readIfThere(path) === text;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (err) {
    if (isErrno(err, "ENOENT")) return undefined;
    throw err;
  }
}
