// Tells running containers of new content in the way that their pod's annotations ask for (driftless.dev/reload): a signal to the first
// process, an HTTP request, or a command in the container. Asked at three times, and each time states are compared, so none needs to know of
// the others: when a volume has been swapped and its sub paths replaced; when a container has started, for a swap between its preparation and
// its start; and for all containers that an agent finds when it starts. What failed is tried for ever, until it works or other content comes.

import { join } from "node:path";
import { reloadWishLabel } from "../../api/config/reload-action.ts";
import type { Pod } from "../../api/types.ts";
import { aborted, isAbort } from "../../base/abort.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { Events } from "../../controller/event-recorder.ts";
import type { ProcessIdentity } from "../../mounts/process-calls.ts";
import type { ContainerStatus, Runtime } from "../../runtime/runtime.ts";
import type { AgentPaths } from "../agent-paths.ts";
import type { ObjectManager } from "../objects/object-manager.ts";
import { aboutContainer } from "../pods/pod-events.ts";
import { unlessAborted } from "../pods/unless-aborted.ts";
import { usesOf } from "../sub-path/volume-use.ts";
import type { NodeReload, NodeReloads } from "../views/view-sources.ts";
import type { VolumeContent } from "../volumes/volume-plugin.ts";
import type { Volumes } from "../volumes/volumes.ts";
import { ContainerTellings } from "./container-tellings.ts";
import type { TryParts } from "./container-tries.ts";
import type { ReloadMetrics } from "./reload-metrics.ts";
import { ReloadTarget, type TargetMember, type TargetOutcome } from "./reload-target.ts";
import { Slots } from "./slots.ts";
import { digestOf } from "./volume-digest.ts";

export interface ReloadRunnerOptions extends TryParts {
  readonly paths: AgentPaths;
  readonly runtime: Pick<Runtime, "list" | "ready" | "onExit" | "exec">;
  readonly volumes: Pick<Volumes, "onChange" | "current">;
  readonly objects: Pick<ObjectManager, "peek">;
  /** As it is now; undefined if this node has none. */
  readonly pod: (uid: string) => Pod | undefined;
  /** Who has this number now: process-calls.ts. */
  readonly identify: (pid: number) => ProcessIdentity | undefined;
  readonly events: Events;
  readonly metrics: ReloadMetrics;
  readonly random: Random;
  readonly logger: Logger;
}

/** A change of something that all pods of a node use must not start a program for each of them at once; nor do one pod's that hang stop all others'. */
const AT_ONCE = { total: 16, perOwner: 4 };

const configPlugins: ReadonlySet<string> = new Set([
  "kubernetes.io/configmap",
  "kubernetes.io/secret",
  "kubernetes.io/projected",
]);

export class ReloadRunner implements NodeReloads {
  readonly #options: ReloadRunnerOptions;
  /** Running containers that have config volumes, by pod and by id. */
  readonly #pods = new Map<string, Map<string, ContainerTellings>>();
  /** Exactly those that have something to tell, by pod and by what identifies them. */
  readonly #targets = new Map<string, Map<string, ReloadTarget>>();
  readonly #running = new Set<Promise<void>>();
  readonly #slots = new Slots(AT_ONCE);
  readonly #handlers = new Set<(podUid: string) => void>();
  /** By container, volume and action: why it failed, as was said last. */
  readonly #complaints = new Map<string, string>();
  /** Undefined before `run` and after it: nothing is told then. */
  #signal: AbortSignal | undefined;

  constructor(options: ReloadRunnerOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { runtime, volumes } = this.#options;
    try {
      await unlessAborted(runtime.ready, signal);
    } catch (err) {
      if (isAbort(err, signal)) return;
      throw err;
    }
    this.#signal = signal;
    using _exits = runtime.onExit((status) => this.#ended(status));
    using _changes = volumes.onChange(({ pod, volume, content }) => {
      if (content !== undefined) this.#shown(pod, volume, content);
    });
    for (const status of runtime.list()) this.started(status);
    // Those that had started before anybody listened, too.
    for (const [podUid, containers] of this.#pods) {
      for (const container of containers.values()) this.#lookAgain(podUid, container);
    }
    await aborted(signal);
    this.#signal = undefined;
    for (const targets of this.#targets.values()) for (const one of targets.values()) one.stop();
    await Promise.all(this.#running);
  }

  /** To be called for each container that has started. */
  started(status: ContainerStatus): void {
    const { id, podUid, pid, end, annotations } = status;
    const containers = this.#pods.get(podUid) ?? new Map<string, ContainerTellings>();
    if (containers.has(id)) return;
    const uses = usesOf(annotations).filter(
      ({ plugin, isFrozen }) => configPlugins.has(plugin) && !isFrozen,
    );
    const { paths, clock, logger, identify, runtime } = this.#options;
    const isRunning = pid !== undefined && end === undefined && uses.length > 0;
    const process = isRunning ? identify(pid) : undefined;
    if (process === undefined) return;
    const file = join(paths.reloads(podUid), `${id}.json`);
    const container = new ContainerTellings({ status, process, uses, file, clock, logger });
    this.#pods.set(podUid, containers.set(id, container));
    const found = runtime.list(podUid).find((one) => one.id === id);
    if (found?.end !== undefined) {
      this.#ended(found);
      return;
    }
    this.#lookAgain(podUid, container);
  }

  of(podUid: string): readonly NodeReload[] {
    return [...(this.#pods.get(podUid)?.values() ?? [])].flatMap(({ reports }) => reports);
  }

  onChange(handler: (podUid: string) => void): Disposable {
    const own = (podUid: string): void => handler(podUid);
    this.#handlers.add(own);
    return { [Symbol.dispose]: () => void this.#handlers.delete(own) };
  }

  #shown(pod: Pod, volume: string, content: VolumeContent): void {
    const podUid = pod.metadata.uid ?? "";
    const containers = [...(this.#pods.get(podUid)?.values() ?? [])].filter(({ volumes }) =>
      volumes.includes(volume),
    );
    if (containers.length === 0) return;
    for (const container of containers) this.#compare(container, { pod, volume, content });
    this.#plan(podUid);
    this.#tell(podUid);
  }

  #compare(
    container: ContainerTellings,
    of: { readonly pod: Pod; readonly volume: string; readonly content: VolumeContent },
  ): void {
    const { pod, volume, content } = of;
    const { objects } = this.#options;
    const digest = (): ReturnType<typeof digestOf> =>
      digestOf(content, (reference) => objects.peek(reference));
    container.shows(volume, { pod, content, digest });
  }

  #ended({ podUid, id }: ContainerStatus): void {
    const containers = this.#pods.get(podUid);
    const container = containers?.get(id);
    if (containers === undefined || container === undefined) return;
    containers.delete(id);
    if (containers.size === 0) this.#pods.delete(podUid);
    container.forget();
    for (const key of this.#complaints.keys()) {
      if (key.startsWith(`${id}/`)) this.#complaints.delete(key);
    }
    this.#plan(podUid);
    this.#tell(podUid);
  }

  /** Puts the targets of a pod into line with what is to be told. */
  #plan(podUid: string): void {
    if (this.#signal === undefined) return;
    const wanted = this.#wanted(podUid);
    const before = this.#targets.get(podUid) ?? new Map<string, ReloadTarget>();
    for (const [key, target] of before) if (!wanted.has(key)) target.stop();
    const now = new Map(
      [...wanted].map(([key]) => [key, before.get(key) ?? this.#begin(podUid)] as const),
    );
    // Before anybody is told: that may lead here again.
    if (now.size === 0) this.#targets.delete(podUid);
    else this.#targets.set(podUid, now);
    for (const [key, target] of now) target.members = wanted.get(key) ?? [];
  }

  /** By what is told: each container for itself, but a URL once for all. */
  #wanted(podUid: string): ReadonlyMap<string, readonly TargetMember[]> {
    const members = [...(this.#pods.get(podUid)?.values() ?? [])].flatMap((container) =>
      container.pending.map((pending) => ({ ...pending, container })),
    );
    return Map.groupBy(members, ({ text, action, container }) =>
      action.type === "http" ? text : `${container.status.id} ${text}`,
    );
  }

  #begin(podUid: string): ReloadTarget {
    const target = new ReloadTarget({
      ...this.#options,
      slot: (signal) => this.#slots.take(podUid, signal),
      onOutcome: (member, outcome) => this.#outcome(podUid, member, outcome),
    });
    const running = target.run().finally(() => this.#running.delete(running));
    this.#running.add(running);
    return target;
  }

  #outcome(podUid: string, member: TargetMember, outcome: TargetOutcome): void {
    const { container, volume, version, text, action } = member;
    const { id, name } = container.status;
    const about = `${id}/${volume} ${text}`;
    const asks = `${JSON.stringify(reloadWishLabel(action))} for volume ${JSON.stringify(volume)}, version ${version.slice(0, 10)}`;
    if (outcome.result === "Failing") {
      if (this.#complaints.get(about) !== outcome.message) {
        this.#complaints.set(about, outcome.message);
        const message = `${asks}: ${outcome.message}. It is tried again until it works`;
        this.#record(podUid, name, { type: "Warning", reason: "ConfigReloadFailed", message });
      }
      this.#lookAgain(podUid, container);
    } else {
      this.#complaints.delete(about);
      this.#record(podUid, name, { type: "Normal", reason: "ConfigReloaded", message: asks });
      this.#plan(podUid);
    }
    this.#tell(podUid);
  }

  /** The pod may ask for something else meanwhile, of which no volume tells. */
  #lookAgain(podUid: string, container: ContainerTellings): void {
    const pod = this.#options.pod(podUid);
    if (pod === undefined) return;
    for (const [volume, content] of this.#options.volumes.current(podUid)) {
      this.#compare(container, { pod, volume, content });
    }
    this.#plan(podUid);
  }

  #record(
    podUid: string,
    container: string,
    event: {
      readonly type: "Normal" | "Warning";
      readonly reason: string;
      readonly message: string;
    },
  ): void {
    const pod = this.#options.pod(podUid);
    const { type, reason, message } = event;
    if (pod !== undefined) {
      aboutContainer(this.#options.events, pod, container)(type, reason, message);
    }
    this.#options.logger.info("container was told of new content, or could not be", {
      ...{ podUid, container, reason, message },
    });
  }

  #tell(podUid: string): void {
    for (const handler of this.#handlers) handler(podUid);
  }
}
