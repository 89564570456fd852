// What is to be done when a container has ended, or did not come to be: all its processes gone, its log whole, its end known.

import { rmSync } from "node:fs";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { isAlive, type ProcessIdentity } from "../../mounts/process-calls.ts";
import { removeTree } from "../../mounts/remove-tree.ts";
import type { CgroupPlace } from "../cgroups/cgroup-place.ts";
import type { Cgroups } from "../cgroups/cgroups.ts";
import type { LogKeeper } from "../logs/log-keeper.ts";
import type { ContainerEnd } from "../runtime.ts";
import type { ContainerFiles } from "./container-files.ts";
import { bootId, type ContainerState, readInit, readState } from "./container-state.ts";
import { killAll, processesThatSee } from "./marked-processes.ts";
import { overlaySource } from "./root-layers.ts";
import { readExit, writeUnknownExit } from "./shim.ts";

export interface EndingsParts {
  readonly cgroups: Cgroups;
  readonly logKeeper: Pick<LogKeeper, "finished">;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface EndedContainer {
  readonly files: ContainerFiles;
  readonly state: ContainerState;
  readonly init: ProcessIdentity | undefined;
}

export class ContainerEndings {
  readonly #parts: EndingsParts;

  constructor(parts: EndingsParts) {
    this.#parts = parts;
  }

  /** Its shim is gone: with the exit code written down, or killed. Settles when nothing of it runs, and all that it wrote is in its log. */
  async end(container: EndedContainer): Promise<ContainerEnd> {
    const { files, init, state } = container;
    const { cgroups } = this.#parts;
    const { cgroup } = state;
    const seen = readExit(files) ?? this.#unknownEnd(container);
    const end = { ...seen, isOutOfMemory: cgroup ? cgroups.isOutOfMemory(cgroup) : false };
    if (state.bootId === bootId()) {
      // Without its parent it would run on, and nobody would know.
      await this.#kill(init);
      await this.#killOthers(files, state);
    }
    await this.#finishLog(state.status.id, files);
    return end;
  }

  /** Of a container that did not come to be: its processes, its files. */
  async discard(id: string, files: ContainerFiles): Promise<void> {
    const state = readState(files);
    if (!state || state.bootId === bootId()) {
      await this.#kill(readInit(files));
      await this.#kill(state?.shim);
    }
    if (state) {
      await this.#killOthers(files, state);
    }
    await this.removeCgroup(state?.cgroup);
    await this.#finishLog(id, files);
    await this.#removeFiles(files);
  }

  /** With all that is known of it; its log stays. */
  async remove({ files, state }: Pick<EndedContainer, "files" | "state">): Promise<void> {
    await this.removeCgroup(state.cgroup);
    await this.#removeFiles(files);
  }

  /** With whoever is still in it. */
  async removeCgroup(cgroup: CgroupPlace | undefined): Promise<void> {
    if (cgroup) {
      await this.#parts.cgroups.killAll(cgroup);
      await this.#parts.cgroups.remove(cgroup);
    }
  }

  #unknownEnd({ files, state }: EndedContainer): ContainerEnd {
    const { clock, logger } = this.#parts;
    const container = state.status.id;
    logger.warn("nobody saw how the container ended", { container });
    try {
      writeUnknownExit(files);
    } catch (err) {
      logger.warn("cannot write down that the container ended", { container, err });
    }
    const unseen = { exitCode: 137, signal: undefined, isUnknown: true, isOutOfMemory: false };
    return readExit(files) ?? { ...unseen, finishedAtMs: clock.now() };
  }

  /** Settles when the process is gone, and with it all others of its PID namespace if it was the first of that. */
  async #kill(who: ProcessIdentity | undefined): Promise<void> {
    if (who) {
      await killAll(() => (isAlive(who) ? [who] : []), this.#parts.clock);
    }
  }

  /** Those that do not end with the first, because it was not the first of its PID namespace. */
  async #killOthers(files: ContainerFiles, state: ContainerState): Promise<void> {
    const { cgroups, clock } = this.#parts;
    if (!state.hasOwnProcesses) {
      await killAll(() => processesThatSee(overlaySource(files.layers)), clock);
    }
    if (state.cgroup) {
      await cgroups.killAll(state.cgroup);
    }
  }

  /** Afterwards the pipes are gone: who finds them knows that the log is not finished. */
  async #finishLog(id: string, files: ContainerFiles): Promise<void> {
    const { logKeeper, logger } = this.#parts;
    try {
      await logKeeper.finished(id);
    } catch (err) {
      logger.warn("cannot finish the container's log", { container: id, err });
    }
    try {
      for (const path of [files.stdout, files.stderr, files.stdin]) {
        rmSync(path, { force: true });
      }
    } catch (err) {
      // On a disk that became read-only; containers end all the same.
      logger.warn("cannot remove the container's pipes", { container: id, err });
    }
  }

  /** Not all at once: a container may leave any number of files. */
  async #removeFiles(files: ContainerFiles): Promise<void> {
    // First, so that what an interruption leaves behind is taken for half made.
    rmSync(files.state, { force: true });
    await removeTree(files.directory);
  }
}
