// Parts of volumes, each mounted at a place of its own that containers then mount. A container that owns a volume may put links
// into it while we look: the kernel walks the path once and refuses to leave the volume, and what it found is mounted by its
// descriptor. That pins what was there: of a volume whose versions are swapped, one version for ever.

import {
  chmodSync,
  fstatSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isErrno } from "../../base/errors.ts";
import type { Mounts } from "../../mounts/mounts.ts";
import { bindFd, makeDirectories, openBeneath } from "../../mounts/safe-path.ts";
import type { OpenFile } from "../../mounts/system-calls.ts";
import type { AgentPaths } from "../agent-paths.ts";

export interface SubPathPlace {
  readonly podUid: string;
  readonly volume: string;
  readonly container: string;
  /** Of the mount among the container's. */
  readonly index: number;
}

export interface SubPathRequest extends SubPathPlace {
  /** Where the volume is. */
  readonly root: string;
  /** Relative and without "..". */
  readonly subPath: string;
  /** The agent writes this volume: nothing may be made in it. */
  readonly isWrittenByAgent: boolean;
}

export interface PreparedSubPath {
  /** What to mount into the container. */
  readonly hostPath: string;
  /** The volume has nothing by this path: the container sees an empty directory. */
  readonly isAbsent: boolean;
}

/** The message is for the pod's events and says nothing about the node's files; `cause` does. */
export class SubPathError extends Error {
  override readonly name = "SubPathError";
}

export class SubPaths {
  readonly #paths: AgentPaths;
  readonly #mounts: Mounts;

  constructor(of: { readonly paths: AgentPaths; readonly mounts: Mounts }) {
    this.#paths = of.paths;
    this.#mounts = of.mounts;
  }

  /**
   * Mounts what is at the path now. What the same container had mounted at this place before stays for who uses it.
   *
   * A path that is missing becomes a directory, as in Kubernetes; but not in a volume that the agent writes. There it would
   * stand in the way of the key by that name for ever, so an empty directory outside the volume is shown instead. Throws
   * SubPathError.
   */
  prepare(request: SubPathRequest): PreparedSubPath {
    const { container, volume } = request;
    const target = this.#paths.subPath(request);
    const of = `for volumeMount ${JSON.stringify(volume)} of container ${JSON.stringify(container)}`;
    using source = openOrMake(request, of);
    try {
      this.#place(source, target);
    } catch (cause) {
      throw new SubPathError(`failed to prepare subPath ${of}`, { cause });
    }
    return { hostPath: target, isAbsent: source === undefined };
  }

  /** Takes away all of a volume's, of all containers. What is mounted there is never deleted, only unmounted. */
  clean({ podUid, volume }: Pick<SubPathPlace, "podUid" | "volume">): void {
    const base = this.#paths.subPaths(podUid);
    const failures: unknown[] = [];
    for (const container of namesIn(join(base, volume), failures)) {
      for (const index of namesIn(join(base, volume, container), failures)) {
        attempt(() => this.#remove(join(base, volume, container, index)), failures);
      }
      attempt(() => removeDirectory(join(base, volume, container)), failures);
    }
    attempt(() => removeDirectory(join(base, volume)), failures);
    if (failures.length > 0) {
      throw new AggregateError(
        failures,
        `Cannot take away the sub paths of volume ${JSON.stringify(volume)} of pod ${podUid}: ${failures.length} of them are still there`,
      );
    }
    removeIfEmpty(base);
  }

  /** Without a source: an empty directory. */
  #place(source: OpenFile | undefined, target: string): void {
    const wanted = source && fstatSync(source.fd);
    mkdirSync(dirname(target), { recursive: true, mode: 0o750 });
    if (wanted && this.#mounts.at(target) && isSame(wanted, target)) return;
    this.#remove(target);
    if (!wanted || wanted.isDirectory()) mkdirSync(target, { mode: 0o750 });
    else writeFileSync(target, "", { flag: "wx", mode: 0o640 });
    if (!source) {
      chmodSync(target, 0o755); // Whoever runs in the container may look: there is nothing.
      return;
    }
    try {
      bindFd(source, target, { isReadOnly: false });
    } catch (err) {
      this.#remove(target);
      throw err;
    }
  }

  #remove(target: string): void {
    for (let attempt = 1; ; attempt++) {
      for (const { path } of this.#mounts.below(target)) this.#mounts.unmount(path);
      try {
        removePlace(target);
        return;
      } catch (err) {
        // Whoever follows the volume for the container that was here has just put another mount beneath the one that is gone.
        if (attempt === REMOVE_ATTEMPTS || !isErrno(err, "EBUSY")) throw err;
      }
    }
  }
}

const REMOVE_ATTEMPTS = 3;

/** Not recursively: if something is mounted there still, its files are somebody's. */
function removePlace(path: string): void {
  try {
    unlinkSync(path);
  } catch (err) {
    if (isErrno(err, "EISDIR", "EPERM")) removeDirectory(path);
    else if (!isErrno(err, "ENOENT")) throw err;
  }
}

/** Undefined: there is nothing, and nothing may be made. */
function openOrMake(request: SubPathRequest, of: string): OpenFile | undefined {
  const { root, subPath, isWrittenByAgent } = request;
  const open = (): OpenFile => openBeneath(root, subPath, { links: "beneath" });
  try {
    return open();
  } catch (cause) {
    if (!isErrno(cause, "ENOENT"))
      throw new SubPathError(`failed to prepare subPath ${of}`, { cause });
    if (isWrittenByAgent) return undefined;
  }
  try {
    // The volume's own mode: its owner decided about groups and sticky bits there.
    makeDirectories(root, subPath, statSync(root).mode & 0o7777);
    return open();
  } catch (cause) {
    throw new SubPathError(`failed to create subPath directory ${of}`, { cause });
  }
}

/** What is mounted there cannot be asked if its file system has gone: then it is another. */
function isSame(wanted: Stats, target: string): boolean {
  try {
    const { dev, ino } = statSync(target);
    return dev === wanted.dev && ino === wanted.ino;
  } catch {
    return false;
  }
}

function namesIn(directory: string, failures: unknown[]): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (err) {
    if (!isErrno(err, "ENOENT")) failures.push(err);
    return [];
  }
}

function attempt(action: () => void, failures: unknown[]): void {
  try {
    action();
  } catch (err) {
    failures.push(err);
  }
}

function removeDirectory(path: string): void {
  try {
    rmdirSync(path);
  } catch (err) {
    if (!isErrno(err, "ENOENT")) throw err;
  }
}

function removeIfEmpty(path: string): void {
  try {
    removeDirectory(path);
  } catch (err) {
    if (!isErrno(err, "ENOTEMPTY")) throw err;
  }
}
