// All pods of this node: whatever the sources say goes to the workers, whatever the runtime and the volumes say goes to whom it
// concerns. After a restart of the agent everything that runs is taken over as it is; what nobody wants any more is stopped, but only
// when all sources have told all they know.

import type { Pod } from "../../api/types.ts";
import { isAbort, untilAborted } from "../../base/abort.ts";
import type { AgentPaths, VolumePlace } from "../agent-paths.ts";
import { namesIn } from "../names-in.ts";
import { mountFailureMessage } from "../volumes/mount-failure.ts";
import type { VolumeChange } from "../volumes/volumes.ts";
import { EmptyDirLimits } from "./empty-dir-limits.ts";
import { aboutPod } from "./pod-events.ts";
import type { PodParts } from "./pod-parts.ts";
import { type PodName, podRemains } from "./pod-remains.ts";
import type { PodSource } from "./pod-source.ts";
import type { PodWorker } from "./pod-worker.ts";
import { PodWorkers } from "./pod-workers.ts";
import type { StatusWriter } from "./status-writer.ts";
import { unlessAborted } from "./unless-aborted.ts";

export interface NodePodsOptions extends Omit<PodParts, "statuses"> {
  readonly source: PodSource;
  readonly statuses: StatusWriter;
  /** In bytes, of an emptyDir. */
  readonly volumeUsage: (place: VolumePlace) => Promise<number>;
}

export class NodePods {
  readonly #options: NodePodsOptions;
  readonly #limits: EmptyDirLimits;
  readonly workers: PodWorkers;

  constructor(options: NodePodsOptions) {
    this.#options = options;
    this.workers = new PodWorkers(options);
    const { source, volumeUsage, clock, logger } = options;
    const pods = (): readonly PodWorker[] => this.workers.all();
    const isStatic = (pod: Pod): boolean => source.isStatic(pod);
    this.#limits = new EmptyDirLimits({ pods, isStatic, volumeUsage, clock, logger });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { runtime, probes, volumes, objects, source, statuses } = this.#options;
    try {
      // Who does not know what runs would start it again.
      await unlessAborted(runtime.ready, signal);
    } catch (err) {
      if (isAbort(err, signal)) return;
      throw err;
    }
    const { workers } = this;
    using _exits = runtime.onExit(({ podUid }) => workers.containerEnded(podUid));
    using _probes = probes.onChange((podUid) => workers.probesChanged(podUid));
    using _volumes = volumes.onChange((change) => this.#volumeChanged(change));
    using _objects = objects.onChange(({ object }, podUids) => {
      // That there is none helps nobody.
      for (const uid of object === undefined ? [] : podUids) workers.causeChanged(uid);
    });
    const handlers = {
      update: (pod: Pod) => workers.update(pod),
      remove: (pod: Pod) => {
        statuses.forget(pod.metadata.uid ?? "");
        workers.remove(pod);
      },
      changedOnServer: (pod: Pod) => statuses.changed(pod.metadata.uid ?? ""),
      serverIsBack: () => {
        volumes.serverIsBack();
        statuses.serverIsBack();
        workers.allCausesChanged();
      },
    };
    await Promise.all([
      workers.run(signal),
      statuses.run(signal),
      this.#limits.run(signal),
      untilAborted(signal, (one) => source.run(handlers, one)),
      untilAborted(signal, (one) => this.#removeOrphans(one)),
    ]);
  }

  /** Volumes of pods that nobody knows go last: their containers may use them until they have ended. */
  async #removeOrphans(signal: AbortSignal): Promise<void> {
    const { runtime, volumes, source, paths, logger } = this.#options;
    await unlessAborted(source.synced, signal);
    const containers = Map.groupBy(runtime.list(), ({ podUid }) => podUid);
    const logs = podsWithLogs(paths);
    const uids = new Set([...containers.keys(), ...runtime.sandboxes(), ...logs.keys()]);
    const orphans = [...uids].filter((uid) => this.workers.get(uid) === undefined);
    const stopped = orphans.map((uid) => {
      logger.info("pod is not known any more", { podUid: uid });
      const pod = podRemains(uid, containers.get(uid) ?? [], logs.get(uid));
      return this.workers.removeOrphan(pod).stopped;
    });
    await unlessAborted(Promise.all(stopped), signal);
    volumes.allWanted();
  }

  #volumeChanged({ pod, volume, failure }: VolumeChange): void {
    if (failure === undefined) {
      this.workers.causeChanged(pod.metadata.uid ?? "");
      return;
    }
    const message = mountFailureMessage(volume, failure);
    aboutPod(this.#options.events, pod)("Warning", "FailedMount", message);
  }
}

/** By uid. An agent that died while it removed a pod, or made its first container, may have left nothing else of it. */
function podsWithLogs(paths: AgentPaths): ReadonlyMap<string, PodName> {
  return new Map(
    namesIn(paths.logs).flatMap((name) => {
      const [podNamespace, podName, uid] = name.split("_");
      return podNamespace && podName && uid ? [[uid, { podNamespace, podName }]] : [];
    }),
  );
}
