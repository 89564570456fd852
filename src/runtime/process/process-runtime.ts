// Containers as processes of this machine, with namespaces and an overlay root, and no daemon: a container is a shim (shim.ts), which
// outlives us, and its program. All that is known of one is in its directory, so that the next runtime finds it again.
//
//   making ──shim started, state written──► starting ──execve──► running ──shim gone──► ended ──remove()──► nothing
//      └──────────────────failure─────────────┴──► nothing

import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { aborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { Mounts } from "../../mounts/mounts.ts";
import { type ProcessIdentity, signalProcess } from "../../mounts/process-calls.ts";
import type { Cgroups } from "../cgroups/cgroups.ts";
import type { Image } from "../image.ts";
import type { LogKeeper } from "../logs/log-keeper.ts";
import {
  type Attachment,
  type ContainerEnd,
  type ContainerSpec,
  type ContainerStatus,
  ExecError,
  type ExecSession,
  type ExecSpec,
  type Runtime,
  type SandboxSpec,
  StartError,
} from "../runtime.ts";
import { ContainerEndings } from "./container-endings.ts";
import { ContainerFiles } from "./container-files.ts";
import { launchContainer, outputOf } from "./container-launch.ts";
import {
  type ContainerState,
  readFailure,
  readInit,
  readMountMarks,
  readState,
} from "./container-state.ts";
import type { ProcessSession } from "./exec-session.ts";
import { startExec, stopped } from "./exec-start.ts";
import { type HeldPipe, watchPipe } from "./held-pipe.ts";
import { checkSpec, makeFiles, newId } from "./new-container.ts";
import { openPidNamespace } from "./pid-namespace.ts";
import { Sandboxes } from "./sandboxes.ts";
import type { ShimOptions } from "./shim.ts";

export interface ProcessRuntimeOptions {
  /** The runtime's own directory, an absolute path without symbolic links. */
  readonly root: string;
  /** The agent's: containers on the machine's own root do not see it. */
  readonly dataDirectory: string;
  readonly version: string;
  readonly images: { get(name: string): Promise<Image> };
  readonly logKeeper: Pick<LogKeeper, "follow" | "takeTerminal" | "attach" | "finished">;
  readonly mounts: Mounts;
  readonly cgroups: Cgroups;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

interface Container {
  readonly files: ContainerFiles;
  readonly state: ContainerState;
  readonly init: ProcessIdentity | undefined;
  readonly mountMarks: NonNullable<ContainerStatus["mountMarks"]>;
  /** Undefined when it has ended. */
  alive: HeldPipe | undefined;
  end: ContainerEnd | undefined;
  /** Settles when `end` is there and everybody was told. */
  readonly ended: PromiseWithResolvers<void>;
}

const finishAgainMs = 1000;

interface PlaceOfProcesses extends Disposable {
  readonly place: ShimOptions["pidNamespace"];
}

export class ProcessRuntime implements Runtime {
  readonly version: string;
  readonly #options: ProcessRuntimeOptions;
  readonly #sandboxes: Sandboxes;
  readonly #endings: ContainerEndings;
  readonly #containers = new Map<string, Container>();
  /** The same. */
  readonly #byPod = new Map<string, Set<Container>>();
  readonly #sessions = new Set<ProcessSession>();
  readonly #handlers = new Set<(status: ContainerStatus) => void>();
  readonly #ready = Promise.withResolvers<void>();
  #isStopped = false;

  constructor(options: ProcessRuntimeOptions) {
    this.#options = options;
    this.version = `driftless-process://${options.version}`;
    this.#sandboxes = new Sandboxes({
      directory: join(options.root, "sandboxes"),
      cacheDirectory: join(options.root, "launcher-cache"),
      ...{ mounts: options.mounts, clock: options.clock },
    });
    this.#endings = new ContainerEndings(options);
    this.#ready.promise.catch(() => undefined);
  }

  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#adopt();
      this.#ready.resolve();
    } catch (err) {
      this.#ready.reject(err);
      throw err;
    }
    await aborted(signal);
    this.#isStopped = true;
    for (const { alive } of this.#containers.values()) {
      alive?.[Symbol.dispose]();
    }
    await Promise.all([...this.#sessions].map((session) => session[Symbol.asyncDispose]()));
  }

  list(podUid?: string): readonly ContainerStatus[] {
    const all = podUid === undefined ? this.#containers.values() : this.#byPod.get(podUid);
    return Array.from(all ?? [], statusOf);
  }

  async makeSandbox(sandbox: SandboxSpec): Promise<void> {
    await this.#sandboxes.make(sandbox);
  }

  async removeSandbox(podUid: string): Promise<void> {
    for (const { id } of this.list(podUid)) {
      await this.remove(id);
    }
    await this.#sandboxes.remove(podUid);
  }

  sandboxes(): readonly string[] {
    return this.#sandboxes.list();
  }

  hasSandbox(podUid: string): boolean {
    return this.#sandboxes.has(podUid);
  }

  image(name: string): Promise<Image> {
    return this.#options.images.get(name);
  }

  async start(spec: ContainerSpec): Promise<ContainerStatus> {
    const id = newId(this.#options.random);
    const files = new ContainerFiles(join(this.#containersDirectory, id));
    try {
      checkSpec(spec);
      makeFiles(files, spec);
      return await this.#start(id, files, spec);
    } catch (err) {
      await this.#endings.discard(id, files);
      throw err instanceof StartError
        ? err
        : new StartError(err instanceof Error ? err.message : String(err), { cause: err });
    }
  }

  async #start(id: string, files: ContainerFiles, spec: ContainerSpec): Promise<ContainerStatus> {
    const { cgroups, logKeeper, clock, root, dataDirectory } = this.#options;
    using processes = this.#pidNamespace(spec);
    const cgroup = cgroups.make({ podUid: spec.podUid, id }, spec.resources);
    try {
      const parts = { logKeeper, clock, cacheDirectory: this.#launcherCache };
      const { state, alive } = await launchContainer(
        { ...parts, hidden: [dataDirectory, root] },
        {
          ...{ id, files, spec, cgroup, pidNamespace: processes.place },
          sandbox: this.#sandboxes.paths(spec.podUid),
        },
      );
      const container = this.#add({ files, state, alive });
      void alive.released.then(() => this.#finish(container));
      return statusOf(container);
    } catch (err) {
      await this.#endings.removeCgroup(cgroup);
      throw err;
    }
  }

  async stop(id: string, { graceMs }: { readonly graceMs: number }): Promise<void> {
    const container = this.#get(id);
    const { init, state, ended } = container;
    if (container.end || !init) {
      await (container.end ? undefined : ended.promise);
      return;
    }
    signalProcess(init, graceMs > 0 ? state.stopSignal : constants.signals.SIGKILL);
    using _timer = this.#options.clock.schedule(graceMs, () => {
      signalProcess(init, constants.signals.SIGKILL);
    });
    await ended.promise;
  }

  async remove(id: string): Promise<void> {
    const container = this.#containers.get(id);
    if (!container) {
      return;
    }
    if (!container.end) {
      throw new Error(`Cannot remove container ${id}: it still runs`);
    }
    await container.ended.promise;
    await this.#endings.remove(container);
    const { podUid } = container.state.status;
    const ofPod = this.#byPod.get(podUid);
    this.#containers.delete(id);
    ofPod?.delete(container);
    if (ofPod?.size === 0) this.#byPod.delete(podUid);
  }

  async exec(id: string, spec: ExecSpec): Promise<ExecSession> {
    const container = this.#containers.get(id);
    if (!container?.init || container.end || this.#isStopped) {
      throw stopped();
    }
    const { init, state } = container;
    const { clock } = this.#options;
    const cacheDirectory = this.#launcherCache;
    const session = await startExec({ init, state, spec, clock, cacheDirectory });
    this.#sessions.add(session);
    void session.ended.then(() => this.#sessions.delete(session));
    return session;
  }

  async attach(id: string, { hasStdin }: { readonly hasStdin: boolean }): Promise<Attachment> {
    const container = this.#containers.get(id);
    if (!container || container.end || this.#isStopped) {
      throw stopped();
    }
    const { hasTty } = container.state.status;
    try {
      return await this.#options.logKeeper.attach(id, { hasTty, hasStdin });
    } catch (err) {
      throw new ExecError(`cannot attach to container ${id}`, { cause: err });
    }
  }

  onExit(handler: (status: ContainerStatus) => void): Disposable {
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
  }

  get #launcherCache(): string {
    return join(this.#options.root, "launcher-cache");
  }

  /** That in which the container will be. Held until its first process is in it. */
  #pidNamespace({ processes, podUid }: ContainerSpec): PlaceOfProcesses {
    if (processes === "own" || processes === "host") {
      return { place: processes === "own" ? "new" : "own", [Symbol.dispose]: () => undefined };
    }
    const first =
      processes === "pod"
        ? this.#sandboxes.keeperOf(podUid)
        : this.#containers.get(processes.of)?.init;
    const namespace = first && openPidNamespace(first);
    if (!namespace) {
      const whose = processes === "pod" ? "the pod" : `container ${processes.of}`;
      throw new StartError(`cannot join the processes of ${whose}: they have ended`);
    }
    const { path } = namespace;
    const place = path === undefined ? ("own" as const) : { path };
    return { place, [Symbol.dispose]: () => namespace[Symbol.dispose]() };
  }

  get #containersDirectory(): string {
    return join(this.#options.root, "containers");
  }

  #get(id: string): Container {
    const container = this.#containers.get(id);
    if (!container) {
      throw new Error(`There is no container ${id}`);
    }
    return container;
  }

  #add({ files, state, alive }: Pick<Container, "files" | "state" | "alive">): Container {
    const container: Container = {
      files,
      state,
      init: readInit(files),
      mountMarks: readMountMarks(files),
      alive,
      end: undefined,
      ended: Promise.withResolvers(),
    };
    const { id, podUid } = state.status;
    this.#containers.set(id, container);
    this.#byPod.set(podUid, (this.#byPod.get(podUid) ?? new Set()).add(container));
    return container;
  }

  /** Whatever stands in the way, such as too many open files, may go: a container that never ends would be in the way of its pod for ever. */
  async #finish(container: Container): Promise<void> {
    // If we are stopped, we let go of the pipe ourselves: the container goes on, and the next runtime will see.
    const { clock, logger } = this.#options;
    while (!this.#isStopped && !container.end) {
      try {
        await this.#onGone(container);
      } catch (err) {
        logger.error("cannot finish a container", { container: container.state.status.id, err });
        await clock.sleep(finishAgainMs);
      }
    }
  }

  async #onGone(container: Container): Promise<void> {
    container.alive?.[Symbol.dispose]();
    container.alive = undefined;
    container.end = await this.#endings.end(container);
    container.ended.resolve();
    for (const handler of this.#handlers) {
      try {
        handler(statusOf(container));
      } catch (err) {
        const { id } = container.state.status;
        this.#options.logger.error("a handler of a container's end failed", { container: id, err });
      }
    }
  }

  async #adopt(): Promise<void> {
    mkdirSync(this.#containersDirectory, { recursive: true, mode: 0o700 });
    const found: { readonly files: ContainerFiles; readonly state: ContainerState }[] = [];
    for (const id of readdirSync(this.#containersDirectory)) {
      if (this.#containers.has(id)) {
        continue;
      }
      const files = new ContainerFiles(join(this.#containersDirectory, id));
      const state = readState(files);
      if (state && readFailure(files) === "") {
        found.push({ files, state });
      } else {
        await this.#discardLeftover(id, files);
      }
    }
    found.sort((a, b) => a.state.status.startedAtMs - b.state.status.startedAtMs);
    const adopted = found.map(({ files, state }) => this.#adoptOne(files, state));
    await Promise.all(adopted);
    await this.#options.cgroups.sweep((id) => this.#containers.has(id));
  }

  /** Settles when it is known whether it still runs, and if not, how it ended. */
  async #adoptOne(files: ContainerFiles, state: ContainerState): Promise<void> {
    const { logKeeper, logger } = this.#options;
    const { id } = state.status;
    const alive = this.#watchAlive(id, files);
    const container = this.#add({ files, state, alive });
    if (existsSync(files.stdout)) {
      try {
        await logKeeper.follow(outputOf(files, state.status));
        if (state.status.hasTty && !alive.isReleased) {
          await logKeeper.takeTerminal(id);
        }
      } catch (err) {
        logger.warn("cannot follow the container's output", { container: id, err });
      }
    }
    void alive.released.then(() => this.#finish(container));
    if (alive.isReleased) {
      await container.ended.promise;
    }
  }

  /** Whatever happened to the pipe is this container's problem: it is ended, and nobody saw how. */
  #watchAlive(id: string, files: ContainerFiles): HeldPipe {
    try {
      return watchPipe(files.alive, { isHeldBefore: true });
    } catch (err) {
      this.#options.logger.error("cannot watch a container", { container: id, err });
      return {
        ...{ released: Promise.resolve(), isReleased: true },
        [Symbol.dispose]: () => undefined,
      };
    }
  }

  /** What cannot be removed, on a disk that refuses, is tried again by the next runtime: it is no reason to run nothing. */
  async #discardLeftover(id: string, files: ContainerFiles): Promise<void> {
    try {
      await this.#endings.discard(id, files);
    } catch (err) {
      this.#options.logger.error("cannot remove what is left of a container", {
        container: id,
        err,
      });
    }
  }
}

function statusOf({ state, init, mountMarks, end }: Container): ContainerStatus {
  return { ...state.status, pid: end ? undefined : init?.pid, mountMarks, end };
}
