// Containers as processes of this machine, with namespaces and an overlay root, and no daemon: a container is a shim (shim.ts), which
// outlives us, and its program. All that is known of one is in its directory, so that the next runtime finds it again.
//
//   making ──shim started, state written──► starting ──execve──► running ──shim gone──► ended ──remove()──► nothing
//      └──────────────────failure─────────────┴──► nothing

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { aborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Random } from "../../base/random.ts";
import type { Mounts } from "../../mounts/mounts.ts";
import { isAlive, type ProcessIdentity, signalProcess } from "../../mounts/process-calls.ts";
import { removeTree } from "../../mounts/remove-tree.ts";
import type { Image } from "../image.ts";
import type { LogKeeper } from "../logs/log-keeper.ts";
import {
  type ContainerEnd,
  type ContainerSpec,
  type ContainerStatus,
  type Runtime,
  type SandboxSpec,
  StartError,
} from "../runtime.ts";
import { ContainerFiles } from "./container-files.ts";
import {
  bootId,
  type ContainerState,
  readFailure,
  readInit,
  readState,
  writeState,
} from "./container-state.ts";
import { type HeldPipe, watchPipe } from "./held-pipe.ts";
import type { LaunchInstructions } from "./launch-instructions.ts";
import { checkSpec, makeFiles, newId, newState } from "./new-container.ts";
import { Sandboxes } from "./sandboxes.ts";
import { readExit, startShim, writeUnknownExit } from "./shim.ts";

export interface ProcessRuntimeOptions {
  /** The runtime's own directory, an absolute path without symbolic links. */
  readonly root: string;
  /** The agent's: containers on the machine's own root do not see it. */
  readonly dataDirectory: string;
  readonly version: string;
  readonly images: { get(name: string): Promise<Image> };
  readonly logKeeper: Pick<LogKeeper, "follow" | "finished">;
  readonly mounts: Mounts;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

interface Container {
  readonly files: ContainerFiles;
  readonly state: ContainerState;
  readonly init: ProcessIdentity | undefined;
  /** Undefined when it has ended. */
  alive: HeldPipe | undefined;
  end: ContainerEnd | undefined;
  /** Settles when `end` is there and everybody was told. */
  readonly ended: PromiseWithResolvers<void>;
}

/** Between two looks whether a process that was killed is gone: the kernel tells only its parent. */
const lookAgainMs = 5;
const finishAgainMs = 1000;

export class ProcessRuntime implements Runtime {
  readonly version: string;
  readonly #options: ProcessRuntimeOptions;
  readonly #sandboxes: Sandboxes;
  readonly #containers = new Map<string, Container>();
  readonly #handlers = new Set<(status: ContainerStatus) => void>();
  readonly #ready = Promise.withResolvers<void>();
  #isStopped = false;

  constructor(options: ProcessRuntimeOptions) {
    this.#options = options;
    this.version = `driftless-process://${options.version}`;
    this.#sandboxes = new Sandboxes({
      directory: join(options.root, "sandboxes"),
      mounts: options.mounts,
    });
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
  }

  list(): readonly ContainerStatus[] {
    return [...this.#containers.values()].map(statusOf);
  }

  async makeSandbox(sandbox: SandboxSpec): Promise<void> {
    await this.#sandboxes.make(sandbox);
  }

  async removeSandbox(podUid: string): Promise<void> {
    const containers = this.list().filter((status) => status.podUid === podUid);
    for (const { id } of containers) {
      await this.remove(id);
    }
    this.#sandboxes.remove(podUid);
  }

  sandboxes(): readonly string[] {
    return this.#sandboxes.list();
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
      await this.#discard(id, files);
      throw err instanceof StartError
        ? err
        : new StartError(err instanceof Error ? err.message : String(err), { cause: err });
    }
  }

  async #start(id: string, files: ContainerFiles, spec: ContainerSpec): Promise<ContainerStatus> {
    using starting = watchPipe(files.starting, { isHeldBefore: false });
    const alive = watchPipe(files.alive, { isHeldBefore: false });
    const shim = startShim({
      files,
      title: `driftless ${spec.podNamespace}/${spec.podName}/${spec.name}`,
      cacheDirectory: join(this.#options.root, "launcher-cache"),
    });
    try {
      // While the launcher loads. It does nothing before its instructions are there.
      await this.#options.logKeeper.follow(outputOf(id, files, spec.logPath));
      const state = newState({
        id,
        spec,
        shim: shim.identity,
        startedAtMs: this.#options.clock.now(),
      });
      writeState(files, state);
      shim.send(this.#instructions(files, spec));
      await Promise.race([starting.released, shim.exited]);
      const failure = readFailure(files);
      if (failure !== "") {
        throw new StartError(`${failure}${complaints(files)}`);
      }
      const container = this.#add({ files, state, alive });
      void alive.released.then(() => this.#finish(container));
      return statusOf(container);
    } catch (err) {
      // It has nothing to do any more, and ends; only then nothing of it is left.
      shim.cancel();
      await shim.exited;
      alive[Symbol.dispose]();
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
    await removeFiles(container.files);
    this.#containers.delete(id);
  }

  onExit(handler: (status: ContainerStatus) => void): Disposable {
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
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

  #instructions(files: ContainerFiles, spec: ContainerSpec): LaunchInstructions {
    const { root, dataDirectory } = this.#options;
    return {
      directory: files.layers,
      sandbox: this.#sandboxes.paths(spec.podUid),
      layers: spec.image.layers,
      isHostRoot: spec.image.id === "host",
      isRootReadOnly: spec.isRootReadOnly,
      isWithoutNewPrivileges: spec.isWithoutNewPrivileges === true,
      hidden: [dataDirectory, root],
      mounts: spec.mounts,
      argv: spec.argv,
      env: spec.env.map(([name, value]) => `${name}=${value}`),
      workingDir: spec.workingDir === "" ? "/" : spec.workingDir,
      user: spec.user,
    };
  }

  #add({ files, state, alive }: Pick<Container, "files" | "state" | "alive">): Container {
    const container: Container = {
      files,
      state,
      init: readInit(files),
      alive,
      end: undefined,
      ended: Promise.withResolvers(),
    };
    this.#containers.set(state.status.id, container);
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

  /** The shim is gone: with the exit code written down, or killed. */
  async #onGone(container: Container): Promise<void> {
    const { files, init, state } = container;
    const { logger } = this.#options;
    const { id } = state.status;
    container.alive?.[Symbol.dispose]();
    container.alive = undefined;
    const end = readExit(files) ?? this.#unknownEnd(container);
    // Without its parent it would run on, and nobody would know.
    if (init && state.bootId === bootId()) {
      await this.#kill(init);
    }
    await this.#finishLog(id, files);
    container.end = end;
    container.ended.resolve();
    for (const handler of this.#handlers) {
      try {
        handler(statusOf(container));
      } catch (err) {
        logger.error("a handler of a container's end failed", { container: id, err });
      }
    }
  }

  #unknownEnd({ files, state }: Container): ContainerEnd {
    const { clock, logger } = this.#options;
    logger.warn("nobody saw how the container ended", { container: state.status.id });
    try {
      writeUnknownExit(files);
    } catch (err) {
      logger.warn("cannot write down that the container ended", {
        container: state.status.id,
        err,
      });
    }
    const unseen = { exitCode: 137, signal: undefined, isUnknown: true };
    return readExit(files) ?? { ...unseen, finishedAtMs: clock.now() };
  }

  /** Afterwards the pipes are gone: who finds them knows that the log is not finished. */
  async #finishLog(id: string, files: ContainerFiles): Promise<void> {
    try {
      await this.#options.logKeeper.finished(id);
    } catch (err) {
      this.#options.logger.warn("cannot finish the container's log", { container: id, err });
    }
    try {
      rmSync(files.stdout, { force: true });
      rmSync(files.stderr, { force: true });
    } catch (err) {
      // On a disk that became read-only; containers end all the same.
      this.#options.logger.warn("cannot remove the container's pipes", { container: id, err });
    }
  }

  /** Settles when the process is gone, and with it all others of its PID namespace. */
  async #kill(who: ProcessIdentity): Promise<void> {
    signalProcess(who, constants.signals.SIGKILL);
    while (isAlive(who)) {
      await this.#options.clock.sleep(lookAgainMs);
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
  }

  /** Settles when it is known whether it still runs, and if not, how it ended. */
  async #adoptOne(files: ContainerFiles, state: ContainerState): Promise<void> {
    const { logKeeper, logger } = this.#options;
    const { id, logPath } = state.status;
    const alive = watchPipe(files.alive, { isHeldBefore: true });
    const container = this.#add({ files, state, alive });
    if (existsSync(files.stdout)) {
      try {
        await logKeeper.follow(outputOf(id, files, logPath));
      } catch (err) {
        logger.warn("cannot follow the container's output", { container: id, err });
      }
    }
    void alive.released.then(() => this.#finish(container));
    if (alive.isReleased) {
      await container.ended.promise;
    }
  }

  /** What cannot be removed, on a disk that refuses, is tried again by the next runtime: it is no reason to run nothing. */
  async #discardLeftover(id: string, files: ContainerFiles): Promise<void> {
    try {
      await this.#discard(id, files);
    } catch (err) {
      this.#options.logger.error("cannot remove what is left of a container", {
        container: id,
        err,
      });
    }
  }

  /** Of a container that did not come to be: its processes, its files. */
  async #discard(id: string, files: ContainerFiles): Promise<void> {
    const state = readState(files);
    const init = readInit(files);
    if (!state || state.bootId === bootId()) {
      for (const who of [init, state?.shim]) {
        if (who) {
          await this.#kill(who);
        }
      }
    }
    await this.#finishLog(id, files);
    await removeFiles(files);
  }
}

/** Not all at once: a container may leave any number of files. */
async function removeFiles(files: ContainerFiles): Promise<void> {
  // First, so that what an interruption leaves behind is taken for half made.
  rmSync(files.state, { force: true });
  await removeTree(files.directory);
}

function statusOf({ state, init, end }: Container): ContainerStatus {
  return { ...state.status, pid: end ? undefined : init?.pid, end };
}

function outputOf(
  id: string,
  files: ContainerFiles,
  logPath: string,
): Parameters<LogKeeper["follow"]>[0] {
  return { id, stdoutFifo: files.stdout, stderrFifo: files.stderr, logPath };
}

/** What unshare or the shell said, if there is anything. */
function complaints(files: ContainerFiles): string {
  try {
    const text = readFileSync(files.shimErrors, "utf8").trim();
    return text === "" ? "" : ` (${text})`;
  } catch {
    return "";
  }
}
