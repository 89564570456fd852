// What the life of pods is made of, as one object that is handed down.

import type { Pod, PodStatus } from "../../api/types.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { Events } from "../../controller/event-recorder.ts";
import type { Image } from "../../runtime/image.ts";
import type { ContainerSpec, Runtime } from "../../runtime/runtime.ts";
import type { AgentPaths } from "../agent-paths.ts";
import type { AnyContainer } from "../all-containers.ts";
import type { ObjectManager } from "../objects/object-manager.ts";
import type { Probes } from "../probes/probes.ts";
import type { Volumes } from "../volumes/volumes.ts";
import type { PodMetrics } from "./pod-metrics.ts";

export interface PodParts {
  readonly node: PodNode;
  readonly paths: AgentPaths;
  readonly runtime: Runtime;
  readonly probes: Probes;
  readonly volumes: Volumes;
  readonly objects: ObjectManager;
  readonly prepareContainer: PrepareContainer;
  readonly statuses: PodStatuses;
  readonly events: Events;
  readonly metrics: PodMetrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** As pods see it. */
interface PodNode {
  readonly name: string;
  /** Another one each time that the machine comes up. */
  readonly bootId: string;
  /** The primary one first, at most one per family. */
  readonly addresses: readonly string[];
}

/**
 * Everything that a container is started with: environment, program, user, mounts. Called when the volumes are there. Its
 * annotations are kept beside the agent's own. What it throws becomes a CreateContainerConfigError, with its message.
 */
export type PrepareContainer = (
  of: ContainerToPrepare,
  signal: AbortSignal,
) => Promise<ContainerSpec>;

export interface ContainerToPrepare {
  readonly pod: Pod;
  readonly container: AnyContainer;
  readonly attempt: number;
  readonly image: Image;
  /** The container, by its id, whose processes it is to see. */
  readonly targetId: string | undefined;
}

/** Where reports about pods go. Neither method waits or throws. */
export interface PodStatuses {
  set(pod: Pod, status: PodStatus): void;
  /** Nothing of the pod is left on this node: it can go from the server, if it was asked to. */
  finish(pod: Pod): void;
}
