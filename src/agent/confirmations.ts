// How it is known what the programs of this node run with: by their own word, or because they were told and that succeeded.

import type { Pod } from "../api/types.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Random } from "../base/random.ts";
import type { Part } from "../base/run-group.ts";
import type { Events } from "../controller/event-recorder.ts";
import { identify, signalProcess } from "../mounts/process-calls.ts";
import type { ContainerStatus, Runtime } from "../runtime/runtime.ts";
import type { AckDirectories } from "./acks/ack-directories.ts";
import { AckFiles } from "./acks/ack-files.ts";
import { ContainerProcesses } from "./acks/container-processes.ts";
import type { AgentPaths } from "./agent-paths.ts";
import type { ObjectManager } from "./objects/object-manager.ts";
import { reloadMetrics } from "./reload/reload-metrics.ts";
import { ReloadRunner } from "./reload/reload-runner.ts";
import type { Volumes } from "./volumes/volumes.ts";

export interface ConfirmationsOptions {
  readonly paths: AgentPaths;
  readonly directories: AckDirectories;
  readonly runtime: Runtime;
  readonly volumes: Volumes;
  readonly objects: ObjectManager;
  /** As it is now; undefined if this node has none. */
  readonly pod: (uid: string) => Pod | undefined;
  readonly events: Events;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export interface Confirmations {
  readonly acks: AckFiles;
  readonly reloads: ReloadRunner;
  /** To be called for each container that has started, when its sub paths are up to date. */
  readonly started: (status: ContainerStatus) => void;
  readonly parts: readonly Part[];
}

export function confirmationsOf(options: ConfirmationsOptions): Confirmations {
  const acks = new AckFiles({ ...options, processes: new ContainerProcesses(options.clock) });
  const reloads = new ReloadRunner({
    ...{ ...options, identify, signalProcess },
    metrics: reloadMetrics(options.metrics),
  });
  return {
    acks,
    reloads,
    started(status) {
      acks.started(status);
      reloads.started(status);
    },
    parts: [
      { name: "acknowledgements", run: (signal) => acks.run(signal) },
      { name: "reloads", run: (signal) => reloads.run(signal) },
    ],
  };
}
