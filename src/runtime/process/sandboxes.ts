// What the containers of a pod share: IPC and UTS namespaces, kept alive by mounts of them on files, and /dev/shm.

import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { isErrno } from "../../base/errors.ts";
import type { Mounts } from "../../mounts/mounts.ts";
import type { SandboxSpec } from "../runtime.ts";

export interface SandboxPaths {
  readonly ipc: string;
  readonly uts: string;
  readonly shm: string;
  /** Each container gives this name to the UTS namespace, and has the file as /etc/hostname. */
  readonly hostnameFile: string;
}

// What other runtimes give a pod.
const shmBytes = 64 * 1024 * 1024;

export class Sandboxes {
  readonly #directory: string;
  readonly #mounts: Mounts;
  /** Those being made: who asks meanwhile waits for the same. */
  readonly #making = new Map<string, Promise<void>>();

  constructor({ directory, mounts }: { readonly directory: string; readonly mounts: Mounts }) {
    this.#directory = directory;
    this.#mounts = mounts;
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
      return readdirSync(this.#directory);
    } catch (err) {
      if (isErrno(err, "ENOENT")) {
        return [];
      }
      throw err;
    }
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

  async #make({ podUid, hostname }: SandboxSpec): Promise<void> {
    const { ipc, uts, shm, hostnameFile } = this.paths(podUid);
    mkdirSync(shm, { recursive: true, mode: 0o700 });
    writeFileSync(hostnameFile, `${hostname}\n`);
    if (!this.#mounts.at(shm)) {
      this.#mounts.tmpfs(shm, { sizeBytes: shmBytes, mode: 0o1777 });
    }
    if ([ipc, uts].every((path) => this.#mounts.at(path)?.fsType === "nsfs")) {
      return;
    }
    for (const path of [ipc, uts]) {
      // Half made: one of the two is there.
      this.#mounts.unmount(path);
      writeFileSync(path, "", { mode: 0o600 });
    }
    await promisify(execFile)("unshare", [`--ipc=${ipc}`, `--uts=${uts}`, "/bin/true"]);
  }

  remove(podUid: string): void {
    const directory = this.#of(podUid);
    for (const { path } of this.#mounts.below(directory)) {
      this.#mounts.unmount(path);
    }
    rmSync(directory, { recursive: true, force: true });
  }

  #of(podUid: string): string {
    if (!/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(podUid)) {
      throw new Error(`Cannot use "${podUid}" as a pod's uid: it would not be a plain file name`);
    }
    return join(this.#directory, podUid);
  }
}
