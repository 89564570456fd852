// Evicts pods that have more in an emptyDir on disk than its sizeLimit allows. Nothing stops a container from writing it, so it is
// measured, now and then and one volume after the other: a disk has better things to do. In memory the kernel itself holds the limit.

import { parseQuantity } from "../../api/quantity.ts";
import type { Pod, Volume } from "../../api/types.ts";
import { untilAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { VolumePlace } from "../agent-paths.ts";
import type { Verdict } from "./pod-status.ts";

export interface EmptyDirLimitsOptions {
  readonly pods: () => readonly EvictablePod[];
  /** It is from a file of this machine, whatever it says of itself. */
  readonly isStatic: (pod: Pod) => boolean;
  /** In bytes. */
  readonly volumeUsage: (place: VolumePlace) => Promise<number>;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface EvictablePod {
  readonly pod: Pod;
  readonly stage: string;
  evict(verdict: Verdict): void;
}

/** As often as the original looks. */
const PERIOD_MS = 10_000;
/** From here on pods belong to the cluster itself, and are never evicted. */
const CRITICAL_PRIORITY = 2_000_000_000;

export class EmptyDirLimits {
  readonly #options: EmptyDirLimitsOptions;

  constructor(options: EmptyDirLimitsOptions) {
    this.#options = options;
  }

  run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    return untilAborted(signal, async () => {
      for (;;) {
        await clock.sleep(PERIOD_MS, signal);
        await this.check(signal);
      }
    });
  }

  /** Once, of all pods. */
  async check(signal: AbortSignal): Promise<void> {
    for (const one of this.#options.pods()) {
      if (signal.aborted) return;
      if (one.stage !== "syncing" || this.#isCritical(one.pod)) continue;
      const full = await this.#fullVolume(one.pod);
      if (full === undefined) continue;
      const limit = parseQuantity(full.emptyDir?.sizeLimit ?? "0").canonical();
      const message = `Usage of EmptyDir volume "${full.name}" exceeds the limit "${limit}". `;
      one.evict({ reason: "Evicted", message });
    }
  }

  #isCritical(pod: Pod): boolean {
    return this.#options.isStatic(pod) || (pod.spec.priority ?? 0) >= CRITICAL_PRIORITY;
  }

  async #fullVolume({ metadata, spec }: Pod): Promise<Volume | undefined> {
    const { volumeUsage, logger } = this.#options;
    for (const volume of spec.volumes ?? []) {
      const limit = limitBytes(volume);
      if (limit === undefined) continue;
      const { uid: podUid = "" } = metadata;
      try {
        const place = { podUid, plugin: "kubernetes.io/empty-dir", volume: volume.name };
        if (BigInt(await volumeUsage(place)) > limit) return volume;
      } catch (err) {
        // Not there yet, or not any more, or not readable now.
        logger.debug("cannot measure a volume", { err, podUid, volume: volume.name });
      }
    }
    return undefined;
  }
}

/** Undefined: there is nothing to hold it to. */
function limitBytes({ emptyDir }: Volume): bigint | undefined {
  if (emptyDir?.sizeLimit === undefined || (emptyDir.medium ?? "") !== "") return undefined;
  const limit = parseQuantity(emptyDir.sizeLimit).value();
  return limit > 0n ? limit : undefined;
}
