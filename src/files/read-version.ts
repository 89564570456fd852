// Asking a volume which version it shows, from outside the writer: by the agent, by tools.

import { readFileSync, readlinkSync } from "node:fs";
import { DATA_LINK, isPlainName, VERSION_FILE } from "./layout.ts";
import { parseVersionRecord } from "./version-record.ts";

/**
 * The version (content hash) of what a volume shows now, without reading the files. Undefined for a
 * volume that Driftless did not write. Does not verify that the files still have that content.
 */
export function readVersion(directory: string): string | undefined {
  // The link is pinned: a swap between two looks must not pair one version's name with another's record.
  for (;;) {
    const target = readLink(`${directory}/${DATA_LINK}`);
    if (target === undefined || !isPlainName(target)) return undefined;
    const text = readText(`${directory}/${target}/${VERSION_FILE}`);
    if (text !== undefined) return parseVersionRecord(text)?.version;
    if (readLink(`${directory}/${DATA_LINK}`) === target) return undefined;
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // Missing, or not a link: there is no version here.
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path).toString();
  } catch {
    return undefined; // Missing or not readable for this user: the version is not known.
  }
}
