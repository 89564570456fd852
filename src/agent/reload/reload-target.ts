// One thing that can be told: a container by a signal or a command, or a URL, which is asked once for all containers of a pod. Whoever has
// something to tell it is a member; all of them are served by one try.

import type { Random } from "../../base/random.ts";
import { Reloader, type ReloadProgress } from "../../reload/reloader.ts";
import type { ContainerTellings, PendingAction } from "./container-tellings.ts";
import { containerTry, type TryParts } from "./container-tries.ts";
import type { ReloadMetrics } from "./reload-metrics.ts";

export interface ReloadTargetOptions extends TryParts {
  readonly metrics: ReloadMetrics;
  /** Tries of all targets that are under way, at most. */
  readonly slot: (signal: AbortSignal) => Promise<Disposable>;
  readonly onOutcome: (member: TargetMember, outcome: TargetOutcome) => void;
  readonly random: Random;
}

export interface TargetMember extends PendingAction {
  readonly container: ContainerTellings;
}

export type TargetOutcome =
  | { readonly result: "Succeeded" }
  | { readonly result: "Failing"; readonly message: string };

/** Two volumes that are made of one object are swapped one after the other, and told of together. */
const MIN_WAIT_MS = 50;
/** However fast an object changes, its users hear of it at least so often. */
const MAX_WAIT_MS = 1000;

export class ReloadTarget {
  readonly #options: ReloadTargetOptions;
  readonly #reloader: Reloader;
  readonly #stop = new AbortController();
  #members: readonly TargetMember[] = [];

  constructor(options: ReloadTargetOptions) {
    const { clock, random } = options;
    this.#options = options;
    this.#reloader = new Reloader({
      ...{ minWaitMs: MIN_WAIT_MS, maxWaitMs: MAX_WAIT_MS, told: undefined, clock, random },
      tell: (_, signal) => this.#tell(signal),
      onProgress: (progress) => this.#progressed(progress),
    });
  }

  /** Those that have something to tell now, all for the same action. */
  set members(members: readonly TargetMember[]) {
    this.#members = members;
    const wishes = members.map(
      ({ container, volume, version }) => `${container.status.id}/${volume}=${version}`,
    );
    this.#reloader.want(members.length === 0 ? undefined : wishes.toSorted().join(" "));
  }

  /** Until `stop`. */
  run(): Promise<void> {
    return this.#reloader.run(this.#stop.signal);
  }

  stop(): void {
    this.#stop.abort();
  }

  async #tell(signal: AbortSignal): Promise<void> {
    const { slot, metrics, clock, onOutcome } = this.#options;
    // A signal takes no time.
    const needsSlot = this.#members[0]?.action.type !== "signal";
    using _slot = needsSlot ? await slot(signal) : undefined;
    const members = this.#members;
    const [first] = members;
    if (first === undefined) return;
    const { container, action } = first;
    const { id } = container.status;
    for (const member of members) member.container.trying(member);
    const labels = { action: action.type };
    const beganMs = clock.monotonicMs();
    const attempts = (this.#reloader.progress?.attempts ?? 0) + 1;
    try {
      await containerTry(this.#options, { id, process: container.process }, action)(signal);
    } catch (err) {
      if (!signal.aborted) metrics.reloads.inc({ ...labels, result: "failure" });
      throw err;
    } finally {
      metrics.seconds.observe((clock.monotonicMs() - beganMs) / 1000, labels);
    }
    metrics.reloads.inc({ ...labels, result: "success" });
    for (const member of members) member.container.succeeded(member, attempts);
    // After all of them: whoever hears of it may have no more use for this target.
    for (const member of members) onOutcome(member, { result: "Succeeded" });
  }

  #progressed({ result, attempts, message }: ReloadProgress): void {
    if (result !== "Failing") return;
    for (const member of this.#members) {
      member.container.failed(member, { message, attempts });
      this.#options.onOutcome(member, { result, message });
    }
  }
}
