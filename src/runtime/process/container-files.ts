// The files of one container below the runtime's directory, and who writes which.

import { join } from "node:path";

export class ContainerFiles {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** By the runtime, when the shim was started. Without it nothing was. */
  get state(): string {
    return join(this.directory, "state.json");
  }

  /** By the launcher, first of all: who it is, and so who the program will be. */
  get init(): string {
    return join(this.directory, "init.json");
  }

  /** By the launcher: which mounts it has made for the container, by path. */
  get mounts(): string {
    return join(this.directory, "mounts.json");
  }

  /** By the runtime, then by the launcher: why the program did not start. Blank as soon as it has started. */
  get failure(): string {
    return join(this.directory, "failure");
  }

  /** A pipe that the launcher holds until it has become the program. */
  get starting(): string {
    return join(this.directory, "starting");
  }

  /** A pipe that the shim holds as long as it lives. */
  get alive(): string {
    return join(this.directory, "alive");
  }

  /** By the shim: the exit code, in one line. By the runtime, if the shim could not. */
  get exit(): string {
    return join(this.directory, "exit");
  }

  /** What the shim and its shell had to complain about. */
  get shimErrors(): string {
    return join(this.directory, "shim-errors");
  }

  /** Gone when it was closed for good. */
  get stdin(): string {
    return join(this.directory, "stdin");
  }

  get stdout(): string {
    return join(this.directory, "stdout");
  }

  get stderr(): string {
    return join(this.directory, "stderr");
  }

  /** Writable layers, and the place at which the root is put together, in the container's own mount namespace only. */
  get layers(): string {
    return join(this.directory, "layers");
  }
}
