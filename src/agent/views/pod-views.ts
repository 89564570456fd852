// Brings together who knows something of pods' configuration and who reports it: every source says which pods its news concern, and is asked again
// when their views are made.

import type { ConfigUse, Pod } from "../../api/types.ts";
import type { Clock } from "../../base/clock.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { LiveSubPaths } from "../live-sub-path/live-sub-paths.ts";
import { podContainers } from "../pods/pod-containers.ts";
import type { VolumeChange, Volumes } from "../volumes/volumes.ts";
import type { PodFacts } from "./pod-facts.ts";
import { type PodView, podView } from "./pod-view.ts";
import type { ViewedPod, ViewReporter } from "./view-reporter.ts";
import type {
  Acknowledgements,
  NodeReloads,
  ObjectStages,
  TamperingWatch,
} from "./view-sources.ts";
import { VolumeHistory } from "./volume-history.ts";

export interface PodViewsOptions {
  readonly stages: ObjectStages;
  readonly acks: Acknowledgements;
  readonly tampering: TamperingWatch;
  readonly reloads: NodeReloads;
  readonly volumes: Pick<Volumes, "current" | "onChange"> & {
    /** Of those that are not in `current`. */
    failures(podUid: string): ReadonlyMap<string, unknown>;
    onProgress(handler: (podUid: string) => void): Disposable;
  };
  readonly subPaths: Pick<LiveSubPaths, "uses" | "onChange">;
  readonly runtime: Pick<Runtime, "list">;
  /** The pod of this name that runs here, or is about to. */
  readonly named: (key: string) => Pod | undefined;
  /** The pod of this uid that runs here. */
  readonly podOf: (uid: string) => Pod | undefined;
  /** The same pod as the server has it: of a static pod its mirror. */
  readonly onServer: (pod: Pod) => Pod | undefined;
  /** It is over: none of its containers will run again. */
  readonly isOver: (pod: Pod) => boolean;
  readonly clock: Clock;
}

export class PodViews {
  readonly #options: PodViewsOptions;
  readonly #history = new VolumeHistory();

  constructor(options: PodViewsOptions) {
    this.#options = options;
  }

  /** By "namespace/name". Undefined: there is no view of it. */
  pod(key: string): ViewedPod | undefined {
    const { named, onServer, isOver } = this.#options;
    const pod = named(key);
    const server = pod && onServer(pod);
    if (pod === undefined || server === undefined || isOver(pod)) return undefined;
    const { namespace = "", name = "", uid = "" } = server.metadata;
    return { namespace, name, uid, view: (before) => this.#view(pod, before) };
  }

  /** Runs the reporter, and tells it of all news. */
  async report(
    reporter: Pick<ViewReporter, "run" | "changed">,
    signal: AbortSignal,
  ): Promise<void> {
    const { stages, acks, tampering, reloads, volumes } = this.#options;
    const changed = (podUid: string): void => {
      const pod = this.#options.podOf(podUid);
      if (pod !== undefined) reporter.changed(keyOfPod(pod));
    };
    using _stages = stages.onStage((_of, podUids) => {
      for (const podUid of podUids) changed(podUid);
    });
    using _volumes = volumes.onChange((change) => this.#volumeChanged(change));
    using _progress = volumes.onProgress((podUid) => {
      if (volumes.current(podUid).size === 0) this.#history.forget(podUid);
      changed(podUid);
    });
    using _subPaths = this.#options.subPaths.onChange(changed);
    using _acks = acks.onChange(changed);
    using _tampering = tampering.onChange(changed);
    using _reloads = reloads.onChange(changed);
    await reporter.run(signal);
  }

  #volumeChanged({ pod, volume, content }: VolumeChange): void {
    if (content === undefined) return;
    const { uid = "" } = pod.metadata;
    this.#history.changed(uid, volume, { ...content, atMs: this.#options.clock.now() });
  }

  #view(pod: Pod, before: readonly ConfigUse[]): PodView {
    return podView(this.#facts(pod), before);
  }

  #facts(pod: Pod): PodFacts {
    const { stages, acks, tampering, reloads, volumes, subPaths, runtime, clock } = this.#options;
    const { uid = "" } = pod.metadata;
    return {
      pod,
      containers: podContainers(runtime.list(uid), uid),
      volumes: new Map(
        [...volumes.current(uid)].map(([name, now]) => [name, this.#history.shown(uid, name, now)]),
      ),
      failures: volumes.failures(uid),
      subPaths: subPaths.uses(uid),
      stages,
      acks: acks.of(uid),
      tampering: tampering.of(uid),
      reloads: reloads.of(uid),
      nowMs: clock.now(),
    };
  }
}

export function keyOfPod({ metadata: { namespace = "", name = "" } }: Pod): string {
  return `${namespace}/${name}`;
}
