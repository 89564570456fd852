// What the containers of a pod share: IPC and UTS namespaces, kept alive by mounts of them on files, and /dev/shm; if they are to, a PID
// namespace, kept alive by a process.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Clock } from "../../base/clock.ts";
import { isErrno } from "../../base/errors.ts";
import type { Mounts } from "../../mounts/mounts.ts";
import type { ProcessIdentity } from "../../mounts/process-calls.ts";
import type { SandboxSpec } from "../runtime.ts";
import { endKeeper, findKeeper, startKeeper } from "./process-keeper.ts";

export interface SandboxPaths {
  readonly ipc: string;
  readonly uts: string;
  readonly shm: string;
  /** Each container gives this name to the UTS namespace, and has the file as /etc/hostname. */
  readonly hostnameFile: string;
}

// What other runtimes give a pod.
const shmBytes = 64 * 1024 * 1024;

export interface SandboxesOptions {
  readonly directory: string;
  readonly cacheDirectory: string;
  readonly mounts: Mounts;
  readonly clock: Clock;
}

export class Sandboxes {
  readonly #options: SandboxesOptions;
  /** Those being made: who asks meanwhile waits for the same. */
  readonly #making = new Map<string, Promise<void>>();

  constructor(options: SandboxesOptions) {
    this.#options = options;
  }

  paths(podUid: string): SandboxPaths {
    const directory = this.#of(podUid);
    return {
      ipc: join(directory, "ipc"),
      uts: join(directory, "uts"),
      shm: join(directory, "shm"),
      hostnameFile: join(directory, "hostname"),
    };
  }

  list(): readonly string[] {
    try {
      return readdirSync(this.#options.directory);
    } catch (err) {
      if (isErrno(err, "ENOENT")) {
        return [];
      }
      throw err;
    }
  }

  has(podUid: string): boolean {
    return existsSync(this.#of(podUid));
  }

  async make(spec: SandboxSpec): Promise<void> {
    const { podUid } = spec;
    let making = this.#making.get(podUid);
    if (!making) {
      making = this.#make(spec).finally(() => this.#making.delete(podUid));
      this.#making.set(podUid, making);
    }
    await making;
  }

  /** The first process of the pod's PID namespace; undefined if it has none, or no more. */
  keeperOf(podUid: string): ProcessIdentity | undefined {
    return findKeeper(this.#of(podUid));
  }

  async #make(spec: SandboxSpec): Promise<void> {
    await this.#makeNamespaces(spec);
    const directory = this.#of(spec.podUid);
    if (spec.hasSharedProcesses && !findKeeper(directory)) {
      const { cacheDirectory, clock } = this.#options;
      await startKeeper({ directory, cacheDirectory, clock });
    }
  }

  async #makeNamespaces({ podUid, hostname }: SandboxSpec): Promise<void> {
    const { mounts } = this.#options;
    const { ipc, uts, shm, hostnameFile } = this.paths(podUid);
    mkdirSync(shm, { recursive: true, mode: 0o700 });
    writeFileSync(hostnameFile, `${hostname}\n`);
    if (!mounts.at(shm)) {
      mounts.tmpfs(shm, { sizeBytes: shmBytes, mode: 0o1777 });
    }
    if ([ipc, uts].every((path) => mounts.at(path)?.fsType === "nsfs")) {
      return;
    }
    for (const path of [ipc, uts]) {
      // Half made: one of the two is there.
      mounts.unmount(path);
      writeFileSync(path, "", { mode: 0o600 });
    }
    await promisify(execFile)("unshare", [`--ipc=${ipc}`, `--uts=${uts}`, "/bin/true"]);
  }

  async remove(podUid: string): Promise<void> {
    const { mounts, clock } = this.#options;
    const directory = this.#of(podUid);
    await endKeeper(directory, clock);
    for (const { path } of mounts.below(directory)) {
      mounts.unmount(path);
    }
    rmSync(directory, { recursive: true, force: true });
  }

  #of(podUid: string): string {
    if (!/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(podUid)) {
      throw new Error(`Cannot use "${podUid}" as a pod's uid: it would not be a plain file name`);
    }
    return join(this.#options.directory, podUid);
  }
}
