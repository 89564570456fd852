// What a machine is called as a node: its host name, unless somebody says otherwise.

import { nameIsDnsSubdomain } from "../../api/validation/names.ts";

/** Lower-cased. Throws if it cannot be a node's name. */
export function nodeNameOf(hostname: string): string {
  const name = hostname.trim().toLowerCase();
  refuseNodeName(name);
  return name;
}

/** Throws if it cannot be a node's name. */
export function refuseNodeName(name: string): void {
  const [problem] = name === "" ? ["there is none"] : nameIsDnsSubdomain(name, false);
  if (problem === undefined) return;
  throw new Error(`Cannot call this node ${JSON.stringify(name)}: ${problem}. Choose another name`);
}
