// The cgroups that the agent of a data directory has made, for tests that look after it.

import { systemClock } from "../../src/base/clock.ts";
import { Cgroups, systemHierarchies } from "../../src/runtime/cgroups/cgroups.ts";

/** Their directories. */
export function cgroupsOf(dataDirectory: string): readonly string[] {
  return agentCgroups(dataDirectory)
    .list()
    .map(({ directory }) => directory);
}

/** With everybody in them. */
export async function removeCgroupsOf(dataDirectory: string): Promise<void> {
  await agentCgroups(dataDirectory).sweep(() => false);
}

function agentCgroups(dataDirectory: string): Cgroups {
  return new Cgroups({ dataDirectory, hierarchies: systemHierarchies, clock: systemClock });
}
