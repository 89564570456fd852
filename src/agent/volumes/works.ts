// What the reconciler remembers about each volume and each pod between two looks at it.

import type { VolumePlace } from "../agent-paths.ts";
import { volumeKey } from "./desired-state.ts";
import type { Retry } from "./retry.ts";

export interface VolumeWork {
  readonly kind: "volume";
  readonly key: string;
  readonly place: VolumePlace;
  /** The number of the last reason to set it up. */
  requested: number;
  /** The number of the last reason that a finished run covers, whether it succeeded or not. Never more than `requested`. */
  covered: number;
  /** Set exactly while an operation runs: so there are never two. */
  running: AbortController | undefined;
  /** Something changed since the last run began: no delay holds it up. */
  isUrgent: boolean;
  /** When the first object change was heard of that no run has shown yet. */
  heardMs: number | undefined;
  /** Why the last run failed; undefined if it did not. */
  failure: { readonly err: unknown; readonly of: "setUp" | "tearDown" } | undefined;
  /** Set while failures in a row are counted. A change starts the count over. */
  retry: Retry | undefined;
}

export interface PodWork {
  readonly kind: "pod";
  readonly podUid: string;
  /** Of all volumes of the pod that are wanted, there, or in the making. */
  readonly volumes: Set<VolumeWork>;
  /** Somebody said that it is not wanted any more: no need to wait until all that are wanted are known. */
  isReleased: boolean;
  failure: { readonly err: unknown } | undefined;
  retry: Retry | undefined;
}

export class Works {
  readonly #volumes = new Map<string, VolumeWork>();
  /** Of every pod that has a volume in #volumes, and of others until they are forgotten. */
  readonly #pods = new Map<string, PodWork>();

  get volumes(): Iterable<VolumeWork> {
    return this.#volumes.values();
  }

  get pods(): Iterable<PodWork> {
    return this.#pods.values();
  }

  find(key: string): VolumeWork | undefined {
    return this.#volumes.get(key);
  }

  findPod(podUid: string): PodWork | undefined {
    return this.#pods.get(podUid);
  }

  /** Makes it if there is none. */
  of({ podUid, plugin, volume }: VolumePlace): VolumeWork {
    const place = { podUid, plugin, volume };
    const key = volumeKey(place);
    const known = this.#volumes.get(key);
    if (known) return known;
    const work: VolumeWork = {
      ...{ kind: "volume", key, place, requested: 0, covered: 0, isUrgent: false },
      ...{ running: undefined, heardMs: undefined, failure: undefined, retry: undefined },
    };
    this.#volumes.set(key, work);
    this.ofPod(podUid).volumes.add(work);
    return work;
  }

  /** Makes it if there is none. */
  ofPod(podUid: string): PodWork {
    const known = this.#pods.get(podUid);
    if (known) return known;
    const rest = { isReleased: false, failure: undefined, retry: undefined };
    const pod: PodWork = { kind: "pod", podUid, volumes: new Set(), ...rest };
    this.#pods.set(podUid, pod);
    return pod;
  }

  /** Answers with the pod that it was of. */
  forget(work: VolumeWork): PodWork {
    this.#volumes.delete(work.key);
    const pod = this.ofPod(work.place.podUid);
    pod.volumes.delete(work);
    return pod;
  }

  /** A pod that has no volumes. */
  forgetPod(podUid: string): void {
    this.#pods.delete(podUid);
  }
}
