// What does not hold on a machine without a cgroup controller, or for an agent that may not use it, in sentences for its log.

import type { Controller } from "./cgroup-hierarchies.ts";

const effects: Readonly<Record<Controller, string>> = {
  cpu: "limits and requests of cpu have no effect",
  memory: "limits of memory have no effect, and OOMKilled is never reported",
  pids: "nothing limits the number of processes",
};

/** One for each; none if nothing is missing. */
export function missingLimits(missing: readonly Controller[]): readonly string[] {
  return missing.map(
    (controller) =>
      `cgroup controller ${controller} is not there for this agent: ${effects[controller]}`,
  );
}
