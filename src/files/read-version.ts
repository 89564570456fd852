// Asking a volume which version it shows, from outside the writer: by the agent, by tools.

import { isPlainName } from "./layout.ts";
import { dataTarget } from "./survey.ts";
import { readVersionRecord } from "./version-record.ts";

/**
 * The version (content hash) of what a volume shows now, without reading the files. Undefined for a
 * volume that Driftless did not write, or whose record this user may not read. Does not verify that
 * the files still have that content.
 */
export function readVersion(directory: string): string | undefined {
  // The link is pinned: a swap between two looks must not pair one version's name with another's record.
  for (;;) {
    const target = dataTarget(directory);
    if (target === undefined || !isPlainName(target)) return undefined;
    const record = readVersionRecord(`${directory}/${target}`);
    if (record !== undefined) return record.version;
    if (dataTarget(directory) === target) return undefined;
  }
}
