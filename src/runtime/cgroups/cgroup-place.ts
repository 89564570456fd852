// The groups of one container, one in each tree. Plain data: it is kept with the container, so that whoever comes later, agent or launcher,
// finds them whatever group it is in itself.

import { closeSync, constants, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Controller } from "./cgroup-hierarchies.ts";

export interface CgroupPlace {
  readonly groups: readonly ContainerGroup[];
}

export interface ContainerGroup {
  readonly version: 1 | 2;
  readonly controllers: readonly Controller[];
  readonly directory: string;
  /** Above it nothing is ours. */
  readonly base: string;
}

/** A way into the groups that still works when no path leads to them any more. */
export interface CgroupEntrance extends Disposable {
  /** The calling process is in the groups from now on, and all that it starts. Needs the rights of the agent. */
  enter(): void;
}

export function openCgroups({ groups }: CgroupPlace): CgroupEntrance {
  const files = groups.map(({ directory }) =>
    openSync(join(directory, "cgroup.procs"), constants.O_WRONLY),
  );
  return {
    enter() {
      for (const fd of files) {
        writeSync(fd, "0");
      }
    },
    [Symbol.dispose]() {
      for (const fd of files) {
        closeSync(fd);
      }
    },
  };
}
