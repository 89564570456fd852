// What is there, as far as this life of the agent knows. `uncertain` is a volume that may be there in part: it is set up again before
// anybody uses it, and torn down if nobody wants it.

import type { VolumePlace } from "../agent-paths.ts";
import { volumeKey } from "./desired-state.ts";
import type { VolumeMetrics } from "./volume-metrics.ts";
import type { VolumeContent, VolumePlugin } from "./volume-plugin.ts";

export type VolumeState = "uncertain" | "mounted";

export type ActualVolume = {
  readonly place: VolumePlace;
  /** Undefined: a former life left it behind, and nobody here knows what it is. */
  readonly maker: VolumePlugin | undefined;
} & (
  | { readonly state: "mounted"; readonly content: VolumeContent }
  | {
      readonly state: "uncertain";
      /** A former life left it behind: it was whole then, so a failure to set it up says nothing about it. */
      readonly isFound: boolean;
    }
);

export class ActualState {
  readonly #metrics: VolumeMetrics;
  /** What is not in here is not there. */
  readonly #volumes = new Map<string, ActualVolume>();

  constructor(metrics: VolumeMetrics) {
    this.#metrics = metrics;
  }

  get(key: string): ActualVolume | undefined {
    return this.#volumes.get(key);
  }

  /** The content of a volume that is certainly there. */
  content(key: string): VolumeContent | undefined {
    const volume = this.#volumes.get(key);
    return volume?.state === "mounted" ? volume.content : undefined;
  }

  set(volume: ActualVolume): void {
    const key = volumeKey(volume.place);
    this.#metrics.moved(volume.place.plugin, this.#volumes.get(key)?.state, volume.state);
    this.#volumes.set(key, volume);
  }

  remove(key: string): void {
    const volume = this.#volumes.get(key);
    if (volume) this.#metrics.moved(volume.place.plugin, volume.state, undefined);
    this.#volumes.delete(key);
  }
}
