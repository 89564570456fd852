// How the small Node processes are started that become programs in containers.

import { extname, join } from "node:path";
import { readOnlyNode } from "./read-only-node.ts";

// Small: it does little, once. No warnings: they would be in the way of what others say.
const nodeOptions: readonly string[] = [
  "--no-warnings",
  "--v8-pool-size=0",
  "--max-semi-space-size=1",
];

const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Program and arguments for the source of this name, beside this one. The sources run as they are, and compiled. */
export function launcherCommand(name: string): readonly string[] {
  const file = join(import.meta.dirname, `${name}${extname(import.meta.filename)}`);
  return [readOnlyNode(), ...nodeOptions, file];
}

/** Nothing of ours: the environment of the agent is not for containers. Compiled code, kept for the next one, costs a third of the time. */
export function launcherEnv(cacheDirectory: string): Record<string, string> {
  return { PATH: searchPath, NODE_COMPILE_CACHE: cacheDirectory };
}
