// Groups of processes that the kernel holds to limits: one for each container, below one for its pod, below one for this agent.
//
//   <the agent's group>/driftless/<agent>/pod<uid>/<container>
//
// The agent's own group, so that limits on the agent are limits on all. In version 2 a group with processes in it can have no children with limits
// (but for the root of the tree): there it is the next group above that can. A controller that is missing limits nothing, and all else works.

import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { constants as system } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { isErrno } from "../../base/errors.ts";
import { readMountInfo } from "../../mounts/mount-info.ts";
import type { ContainerResources } from "../runtime.ts";
import {
  type Controller,
  controllers,
  findHierarchies,
  type Hierarchy,
} from "./cgroup-hierarchies.ts";
import { settingsOf } from "./cgroup-limits.ts";
import type { CgroupPlace, ContainerGroup } from "./cgroup-place.ts";

export interface CgroupsOptions {
  /** Tells the groups of agents on one machine apart. */
  readonly dataDirectory: string;
  readonly hierarchies: () => readonly Hierarchy[];
  readonly clock: Clock;
}

interface Base {
  readonly version: 1 | 2;
  readonly controllers: readonly Controller[];
  readonly directory: string;
}

const topName = "driftless";
/** Between two looks whether processes that were killed are gone. */
const lookAgainMs = 5;
/** The kernel lets go of a group a moment after its last process. */
const removeAttempts = 400;
const makeAttempts = 3;

/** The trees of this machine that this process is in. */
export function systemHierarchies(): readonly Hierarchy[] {
  return findHierarchies({
    membership: read("/proc/self/cgroup"),
    mounts: readMountInfo(),
    available: (directory) => read(join(directory, "cgroup.controllers")),
  });
}

export class Cgroups {
  readonly #options: CgroupsOptions;
  readonly #agentName: string;
  #bases: readonly Base[] | undefined;

  constructor(options: CgroupsOptions) {
    this.#options = options;
    this.#agentName = createHash("sha256").update(options.dataDirectory).digest("hex").slice(0, 12);
  }

  /** Controllers for which there is no group that we may make: their limits do not hold. */
  missing(): readonly Controller[] {
    const there = this.#allBases().flatMap((base) => base.controllers);
    return controllers.filter((controller) => !there.includes(controller));
  }

  /** Makes the container's groups, with its limits. Throws if a limit cannot be set, and then nothing is left. */
  make(
    { podUid, id }: { readonly podUid: string; readonly id: string },
    resources: ContainerResources,
  ): CgroupPlace {
    const groups: ContainerGroup[] = [];
    try {
      for (const base of this.#allBases()) {
        const path = [topName, this.#agentName, `pod${podUid}`, id];
        const directory = makeGroups(base, path);
        groups.push({
          version: base.version,
          controllers: base.controllers,
          directory,
          base: base.directory,
        });
        for (const controller of base.controllers) {
          limit(directory, settingsOf(controller, base.version, resources));
        }
      }
    } catch (err) {
      for (const group of groups) {
        removeUpwards(group);
      }
      throw err;
    }
    return { groups };
  }

  /** Whether a process of the container was killed because its memory limit was reached. */
  isOutOfMemory({ groups }: CgroupPlace): boolean {
    const group = groups.find((one) => one.controllers.includes("memory"));
    if (!group) {
      return false;
    }
    const file = group.version === 1 ? "memory.oom_control" : "memory.events";
    const count = /^oom_kill (\d+)$/m.exec(read(join(group.directory, file)))?.[1];
    return Number(count ?? 0) > 0;
  }

  /** Settles when no process of the container is left, whoever started it and wherever it went. */
  async killAll({ groups }: CgroupPlace): Promise<void> {
    for (const { directory } of groups) {
      while (killOnce(directory)) {
        await this.#options.clock.sleep(lookAgainMs);
      }
    }
  }

  /** With the groups above it that are empty then. All processes in it must have ended, or be about to. Does nothing if they are gone. */
  async remove({ groups }: CgroupPlace): Promise<void> {
    for (const group of groups) {
      for (let attempt = 1; !removeUpwards(group); attempt++) {
        if (attempt === removeAttempts) {
          throw new Error(`Cannot remove the cgroup ${group.directory}: processes are left in it`);
        }
        await this.#options.clock.sleep(lookAgainMs);
      }
    }
  }

  /** Removes the groups of containers that came to nothing, such as those of an agent that was killed in the middle. */
  async sweep(isKnown: (id: string) => boolean): Promise<void> {
    for (const group of this.list().filter(({ directory }) => !isKnown(basename(directory)))) {
      await this.killAll({ groups: [group] });
      await this.remove({ groups: [group] });
    }
  }

  /** All groups of containers of this agent that are there, below the group in which it is now. */
  list(): readonly ContainerGroup[] {
    return this.#allBases().flatMap(({ directory: base, ...of }) => {
      const own = join(base, topName, this.#agentName);
      return directoriesIn(own)
        .flatMap((pod) => directoriesIn(join(own, pod)).map((id) => join(own, pod, id)))
        .map((directory) => ({ ...of, base, directory }));
    });
  }

  #allBases(): readonly Base[] {
    this.#bases ??= this.#options
      .hierarchies()
      .map(baseOf)
      .filter((base) => base !== undefined);
    return this.#bases;
  }
}

/** Nearest first, up to the root of the tree. */
function baseOf({ version, controllers: wanted, root, own }: Hierarchy): Base | undefined {
  for (let directory = own; ; directory = dirname(directory)) {
    const usable = isWritable(directory)
      ? wanted.filter((name) => version === 1 || isEnabled(directory, name))
      : [];
    if (usable.length > 0) {
      return { version, controllers: usable, directory };
    }
    if (directory === root || !directory.startsWith(root)) {
      return undefined;
    }
  }
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    // To move a process, one must be allowed to write where it comes from and goes to, or above both.
    accessSync(join(directory, "cgroup.procs"), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether children of the group have the controller; switches it on for them if that is possible. */
function isEnabled(directory: string, controller: Controller): boolean {
  const file = join(directory, "cgroup.subtree_control");
  if (!read(file).split(/\s+/).includes(controller)) {
    try {
      writeFileSync(file, `+${controller}`, { flag: "r+" });
    } catch {
      // It is not there for this group, or the group has processes of its own.
      return false;
    }
  }
  return read(file).split(/\s+/).includes(controller);
}

/** Another agent may remove a group above, empty for the moment, while this one makes one below: then again. */
function makeGroups(base: Base, path: readonly string[]): string {
  for (let attempt = 1; ; attempt++) {
    try {
      return makeOnce(base, path);
    } catch (err) {
      if (!isErrno(err, "ENOENT") || attempt === makeAttempts) {
        throw err;
      }
    }
  }
}

function makeOnce(
  { version, controllers: wanted, directory: base }: Base,
  path: readonly string[],
): string {
  let directory = base;
  for (const [n, name] of path.entries()) {
    directory = join(directory, name);
    mkdirSync(directory, { recursive: true });
    if (version === 2 && n < path.length - 1) {
      switchOn(directory, wanted);
    }
  }
  return directory;
}

function switchOn(directory: string, wanted: readonly Controller[]): void {
  const missing = wanted.filter((controller) => !isEnabled(directory, controller));
  if (missing.length > 0) {
    throw new Error(`Cannot use ${missing.join(" and ")} in the cgroup ${directory}`);
  }
}

function limit(directory: string, settings: ReturnType<typeof settingsOf>): void {
  for (const { file, value, isOptional } of settings) {
    try {
      writeFileSync(join(directory, file), value, { flag: "r+" });
    } catch (err) {
      if (!isOptional || !isErrno(err, "ENOENT")) {
        throw new Error(`Cannot set ${file} to ${value} in the cgroup ${directory}`, {
          cause: err,
        });
      }
    }
  }
}

/** Also those in groups that the container made in its own. Returns whether there was anybody. */
function killOnce(directory: string): boolean {
  const processes = [directory, ...groupsBelow(directory)]
    .flatMap((group) => read(join(group, "cgroup.procs")).split("\n"))
    .filter((line) => line !== "");
  for (const pid of processes.map(Number).filter((one) => one > 0)) {
    try {
      process.kill(pid, system.signals.SIGKILL);
    } catch {
      // It ended by itself.
    }
  }
  return processes.length > 0;
}

/** A privileged container can make some. Those above first. */
function groupsBelow(directory: string): readonly string[] {
  return directoriesIn(directory)
    .map((name) => join(directory, name))
    .flatMap((group) => [group, ...groupsBelow(group)]);
}

/** Returns false if it cannot be removed yet. What others are in stays. */
function removeUpwards({ directory, base }: ContainerGroup): boolean {
  if (!groupsBelow(directory).toReversed().every(couldRemove)) {
    return false;
  }
  for (let at = directory; at !== base && at.startsWith(base); at = dirname(at)) {
    try {
      rmdirSync(at);
    } catch (err) {
      if (isErrno(err, "EBUSY", "ENOTEMPTY")) {
        return at !== directory;
      }
      if (!isErrno(err, "ENOENT")) {
        throw err;
      }
    }
  }
  return true;
}

function couldRemove(directory: string): boolean {
  try {
    rmdirSync(directory);
    return true;
  } catch (err) {
    if (isErrno(err, "EBUSY", "ENOTEMPTY")) {
      return false;
    }
    if (!isErrno(err, "ENOENT")) {
      throw err;
    }
    return true;
  }
}

function directoriesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch (err) {
    if (isErrno(err, "ENOENT")) {
      return [];
    }
    throw err;
  }
}

/** "" if it cannot be read: a group that is gone has nothing to say. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
