// Keeps what running containers see of config volumes through subPath as the volumes have it (G7). It is asked at three times:
// when a volume has been swapped, before its old version goes; when a container has started, for a swap between its preparation
// and its start; and once for all containers that an agent finds when it starts. Each time what is mounted is compared with what the
// volume has, so none needs to know of the others.
//
// Whatever goes wrong here fails nothing else: the container sees what it saw, people are told once, and the volume's next refresh
// tries again.

import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { aborted, isAbort } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Events } from "../../controller/event-recorder.ts";
import { readVersion } from "../../files/read-version.ts";
import type { MountReplacer } from "../../mounts/mount-thread.ts";
import { identify } from "../../mounts/process-calls.ts";
import type { MountToReplace, ReplaceOutcome } from "../../mounts/replace-mounts.ts";
import type { ContainerStatus, Runtime } from "../../runtime/runtime.ts";
import type { AgentPaths, VolumePlace } from "../agent-paths.ts";
import { unlessAborted } from "../pods/unless-aborted.ts";
import { usesOf, type VolumeUse } from "../sub-path/volume-use.ts";
import { type LiveContainer, type LiveUse, replaceable, type UseState } from "./live-container.ts";
import type { SubPathMetrics } from "./sub-path-metrics.ts";
import { behindText, frozenText } from "./use-texts.ts";

export interface LiveSubPathsOptions {
  readonly paths: AgentPaths;
  readonly runtime: Pick<Runtime, "list" | "ready" | "onExit">;
  readonly replacer: MountReplacer & AsyncDisposable;
  readonly events: Events;
  readonly metrics: SubPathMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How a container sees a part of a config volume, for reports. */
export interface ReportedUse {
  readonly container: string;
  readonly volume: string;
  readonly mountPath: string;
  readonly subPath: string;
  readonly state: UseState;
}

/** Content hashes by volume. */
type Versions = ReadonlyMap<string, string | undefined>;

export class LiveSubPaths {
  readonly #options: LiveSubPathsOptions;
  /** Running containers that have such mounts, by pod and by their id. */
  readonly #pods = new Map<string, Map<string, LiveContainer>>();
  readonly #handlers = new Set<(podUid: string) => void>();

  constructor(options: LiveSubPathsOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { runtime, replacer } = this.#options;
    await using _thread = replacer;
    try {
      await unlessAborted(runtime.ready, signal);
    } catch (err) {
      if (isAbort(err, signal)) return;
      throw err;
    }
    using _exits = runtime.onExit((status) => this.#ended(status));
    for (const status of runtime.list()) this.#add(status);
    await Promise.all([...this.#pods.keys()].map((podUid) => this.ensure(podUid)));
    await aborted(signal);
  }

  /** Tells what is frozen, and brings up to date what is not. */
  async started(status: ContainerStatus): Promise<void> {
    const container = this.#add(status);
    if (container === undefined) return;
    // It may have ended before anybody knew of it.
    const found = this.#options.runtime.list(status.podUid).find(({ id }) => id === status.id);
    if (found?.end !== undefined) this.#ended(found);
    const frozen = container.uses.map(({ use }) => use).filter(({ isFrozen }) => isFrozen);
    if (frozen.length > 0) {
      const message = frozenText(frozen);
      this.#tell(status, { type: "Normal", reason: "SubPathFrozen", message });
      this.#options.logger.info("sub path is frozen", { ...namesOf(status), message });
    }
    await this.#replace(container, replaceable(container));
  }

  /** To be waited for before the version goes that the volume showed before. Undefined if nobody would notice. */
  shown({ podUid, volume }: VolumePlace, hasChanged: boolean): Promise<void> | undefined {
    const containers = this.#pods.get(podUid);
    if (containers === undefined) return undefined;
    for (const container of containers.values()) {
      const uses = replaceable(container, volume);
      if (uses.some(({ state }) => hasChanged || state.state === "behind")) {
        return this.ensure(podUid, volume);
      }
    }
    return undefined;
  }

  /** Settles when all running containers of the pod see what the volume has, or all of its volumes, or it is known why not. */
  async ensure(podUid: string, volume?: string): Promise<void> {
    const containers = [...(this.#pods.get(podUid)?.values() ?? [])];
    await Promise.all(containers.map((one) => this.#replace(one, replaceable(one, volume))));
  }

  /** Of all running containers of the pod. */
  uses(podUid: string): readonly ReportedUse[] {
    const containers = [...(this.#pods.get(podUid)?.values() ?? [])];
    return containers.flatMap(({ uses }) =>
      uses.map(({ use: { container, volume, mountPath, subPath = "" }, state }) => ({
        ...{ container, volume, mountPath, subPath, state },
      })),
    );
  }

  /** Called when `uses` of a pod may say something else. It must not throw. */
  onChange(handler: (podUid: string) => void): Disposable {
    const own = (podUid: string): void => handler(podUid);
    this.#handlers.add(own);
    return { [Symbol.dispose]: () => void this.#handlers.delete(own) };
  }

  #add(status: ContainerStatus): LiveContainer | undefined {
    const { id, podUid, pid, annotations } = status;
    const known = this.#pods.get(podUid)?.get(id);
    if (known !== undefined) return known;
    const uses = usesOf(annotations).filter(({ isLive, isFrozen }) => isLive || isFrozen);
    const process = pid === undefined || uses.length === 0 ? undefined : identify(pid);
    if (process === undefined) return undefined;
    const container: LiveContainer = {
      status,
      process,
      uses: uses.map((use) => ({ use, state: firstState(use), told: undefined })),
    };
    for (const { state } of container.uses) this.#count(state, 1);
    const containers = this.#pods.get(podUid) ?? new Map<string, LiveContainer>();
    this.#pods.set(podUid, containers.set(id, container));
    return container;
  }

  #ended({ podUid, id }: ContainerStatus): void {
    const containers = this.#pods.get(podUid);
    const container = containers?.get(id);
    if (containers === undefined || container === undefined) return;
    for (const { state } of container.uses) this.#count(state, -1);
    containers.delete(id);
    if (containers.size === 0) this.#pods.delete(podUid);
    rmSync(this.#recordOf(container), { force: true });
  }

  async #replace(container: LiveContainer, uses: readonly LiveUse[]): Promise<void> {
    if (uses.length === 0) return;
    const { clock, metrics } = this.#options;
    const beganMs = clock.monotonicMs();
    try {
      const versions = this.#versionsOf(container, uses);
      const outcomes = await this.#ask(container, uses, versions);
      // It has ended, and somebody will say so.
      if (outcomes === undefined || this.#hasEnded(container)) return;
      for (const live of uses) {
        const { mountPath, volume } = live.use;
        const outcome = outcomes.get(mountPath);
        if (outcome) this.#note(container, live, { outcome, version: versions.get(volume) });
      }
      const hasReplaced = [...outcomes.values()].some(({ kind }) => kind === "replaced");
      if (hasReplaced) metrics.seconds.observe((clock.monotonicMs() - beganMs) / 1000);
    } catch (err) {
      if (this.#hasEnded(container)) return;
      for (const live of uses) this.#failed(container, live, err);
    }
  }

  /** While it was replaced, which may have left a record anew. */
  #hasEnded(container: LiveContainer): boolean {
    const { podUid, id } = container.status;
    if (this.#pods.get(podUid)?.get(id) === container) return false;
    rmSync(this.#recordOf(container), { force: true });
    return true;
  }

  #ask(
    container: LiveContainer,
    uses: readonly LiveUse[],
    versions: Versions,
  ): ReturnType<MountReplacer["replace"]> {
    const { paths, replacer } = this.#options;
    return replacer.replace({
      process: container.process,
      record: this.#recordOf(container),
      empty: emptyDirectory(paths.liveSubPaths(container.status.podUid)),
      mounts: uses.map(({ use }) =>
        this.#toReplace(container, { use, version: versions.get(use.volume) }),
      ),
    });
  }

  /** Before anything of them is opened: if a swap comes in between, it is asked for again. */
  #versionsOf({ status: { podUid } }: LiveContainer, uses: readonly LiveUse[]): Versions {
    const { paths } = this.#options;
    const plugins = new Map(uses.map(({ use: { volume, plugin } }) => [volume, plugin]));
    return new Map(
      [...plugins].map(([volume, plugin]) => [
        volume,
        readVersion(paths.volume({ podUid, plugin, volume })),
      ]),
    );
  }

  #toReplace(
    { status }: LiveContainer,
    { use, version }: { readonly use: VolumeUse; readonly version: string | undefined },
  ): MountToReplace {
    const { paths } = this.#options;
    const { podUid, mountMarks } = status;
    const { volume, plugin, container, index, mountPath, subPath = "" } = use;
    const root = paths.volume({ podUid, plugin, volume });
    const mark = mountMarks?.[mountPath];
    return {
      name: mountPath,
      source: { root, path: subPath },
      version,
      atStart: mark && { shown: mark, version: use.version },
      ownPlace: paths.subPath({ podUid, volume, container, index }),
    };
  }

  #note(
    container: LiveContainer,
    live: LiveUse,
    {
      outcome,
      version,
    }: { readonly outcome: ReplaceOutcome; readonly version: string | undefined },
  ): void {
    const { replacements } = this.#options.metrics;
    if (outcome.kind === "behind") {
      const { reason, detail } = outcome;
      const message = behindText(live.use, reason, detail);
      replacements.inc({ result: reason });
      this.#set(container, live, { state: "behind", reason, message, version: outcome.version });
      this.#complain(container, live, { reason, message });
      return;
    }
    if (outcome.kind === "replaced") replacements.inc({ result: "replaced" });
    this.#set(container, live, { state: outcome.isEmpty ? "absent" : "live", version });
    if (live.told === undefined) return;
    live.told = undefined;
    const { mountPath } = live.use;
    this.#options.logger.info("sub path follows its volume again", {
      ...{ ...namesOf(container.status), mountPath },
    });
  }

  /** Nothing was done for the container at all. */
  #failed(container: LiveContainer, live: LiveUse, err: unknown): void {
    const reason = "failed";
    const detail = err instanceof Error ? err.message : "unknown error";
    const message = behindText(live.use, reason, detail);
    this.#options.metrics.replacements.inc({ result: reason });
    this.#set(container, live, { state: "behind", reason, message, version: live.state.version });
    this.#complain(container, live, { reason, message });
  }

  /** People once for each reason; it is tried again with every refresh of the volume. */
  #complain(
    { status }: LiveContainer,
    live: LiveUse,
    {
      reason,
      message,
    }: { readonly reason: NonNullable<LiveUse["told"]>; readonly message: string },
  ): void {
    const { logger } = this.#options;
    const isNews = live.told !== reason;
    live.told = reason;
    logger[isNews ? "warn" : "debug"]("sub path does not follow its volume", {
      ...{ ...namesOf(status), reason, message },
    });
    if (isNews) this.#tell(status, { type: "Warning", reason: "SubPathNotReplaced", message });
  }

  #tell(
    { podNamespace, podName, podUid, name, annotations }: ContainerStatus,
    event: {
      readonly type: "Normal" | "Warning";
      readonly reason: string;
      readonly message: string;
    },
  ): void {
    const [use] = usesOf(annotations);
    const fieldPath = use?.fieldPath ?? `spec.containers{${name}}`;
    const pod = { kind: "Pod", apiVersion: "v1", namespace: podNamespace, name: podName };
    this.#options.events.record({ object: { ...pod, uid: podUid, fieldPath }, ...event });
  }

  #set({ status: { podUid } }: LiveContainer, live: LiveUse, state: UseState): void {
    this.#count(live.state, -1);
    this.#count(state, 1);
    live.state = state;
    for (const handler of this.#handlers) handler(podUid);
  }

  #count({ state }: UseState, by: 1 | -1): void {
    this.#options.metrics.uses.add(by, { state });
  }

  #recordOf({ status: { podUid, id } }: LiveContainer): string {
    return join(this.#options.paths.liveSubPaths(podUid), `${id}.json`);
  }
}

/** Until it was looked at. */
function firstState(use: VolumeUse): UseState {
  const { isAbsent, isFrozen, whyFrozen = "kernel", version } = use;
  if (isFrozen) {
    return { state: "frozen", reason: whyFrozen, message: frozenText([use]), version };
  }
  return { state: isAbsent ? "absent" : "live", version };
}

/** Shown in place of a directory that is gone; made with the directory that has the records. */
function emptyDirectory(directory: string): string {
  const path = join(directory, "empty");
  // Whoever runs in the container may look: there is nothing.
  if (mkdirSync(path, { recursive: true }) !== undefined) chmodSync(path, 0o755);
  return path;
}

function namesOf({
  podNamespace,
  podName,
  name,
}: ContainerStatus): Readonly<Record<string, string>> {
  return { namespace: podNamespace, pod: podName, container: name };
}
