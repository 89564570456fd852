// `driftless node --drain`: the end of a node on this machine. `driftless up --drain` ends its pods in the same way.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Drained, drainNode, removeNode } from "../agent/drain.ts";
import type { NodeIdentity } from "../agent/join/node-identity.ts";
import type { StoredPod } from "../agent/pods/pod-source.ts";
import { removeIfEmpty } from "../agent/remove-if-empty.ts";
import { systemClock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { systemRandom } from "../base/random.ts";
import { ApiClient } from "../client/api-client.ts";
import { ResourceClient } from "../client/resource-client.ts";
import type { ResourceKind } from "../client/resource-path.ts";
import { SystemMounts } from "../mounts/system-mounts.ts";
import { retireKeeper } from "../runtime/logs/keeper-start.ts";
import { processRuntime } from "./process-runtime.ts";
import { takeLock } from "./take-lock.ts";

const PODS: ResourceKind = {
  group: "",
  version: "v1",
  kind: "Pod",
  resource: "pods",
  namespaced: true,
};
/** For a server that may be away. */
const REQUEST_MS = 5000;
/** For an agent that still runs to end when it is asked to. */
const END_MS = 30_000;

export interface DrainMachineOptions {
  readonly dataDir: string;
  readonly identity: NodeIdentity | undefined;
  readonly nodeName: string;
  readonly logger: Logger;
}

export async function drain(options: DrainMachineOptions): Promise<void> {
  const { dataDir, identity, nodeName, logger } = options;
  {
    // An agent that runs is asked to end; its containers are what this is about.
    using _lock = await takeLock(join(dataDir, "run", "agent.lock"), {
      patienceMs: END_MS,
      onLocked(pid) {
        logger.info("asking the agent that runs to end", { pid });
        process.kill(pid, "SIGTERM");
      },
    });
    const { pods, containers } = await drainMachine(options);
    removeNode({ dataDir, mounts: new SystemMounts(), kept: [] });
    process.stdout.write(
      `driftless: node ${nodeName} is drained: ${counted(pods, "pod")} and ${counted(containers, "container")} ended, nothing of it is left in ${dataDir}\n` +
        (identity === undefined
          ? ""
          : `The server still knows it. To forget it there: kubectl delete node ${nodeName}\n`),
    );
  }
  rmSync(join(dataDir, "run"), { recursive: true, force: true });
  removeIfEmpty(dataDir);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** Ends all pods. Who calls it holds the agent's lock, and no agent runs. Files that were not a container's are left. */
export async function drainMachine(options: DrainMachineOptions): Promise<Drained> {
  const { dataDir, identity, nodeName, logger } = options;
  const base = { clock: systemClock, random: systemRandom, logger };
  const mounts = new SystemMounts();
  const { runtime, parts } = processRuntime({ dataDir, mounts, ...base });
  const end = new AbortController();
  const client =
    identity && new ApiClient({ connection: identity.connection, timeoutMs: REQUEST_MS, ...base });
  const pods = client && new ResourceClient<StoredPod>(client, PODS);
  const running = [...parts, runtime].map((part) => part.run(end.signal));
  await runtime.ready;
  const drained = await drainNode({ dataDir, nodeName, runtime, mounts, pods, ...base });
  end.abort();
  await Promise.all(running);
  await client?.close();
  await retireKeeper(dataDir, systemClock);
  return drained;
}
