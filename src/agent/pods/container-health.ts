// Whether containers have started and are ready: what their probes say, and not before their postStart hooks are done.

import type { ProbeFailure, Probes } from "../probes/probes.ts";

/** What decisions and reports need to know of a container that runs. */
export interface Health {
  isStarted(containerId: string): boolean;
  isReady(containerId: string): boolean;
  failure(containerId: string): ProbeFailure | undefined;
}

export class ContainerHealth implements Health {
  readonly #probes: Health;
  /** Containers whose hook is under way. */
  readonly #hooked = new Set<string>();

  constructor(probes: Pick<Probes, keyof Health>) {
    this.#probes = probes;
  }

  /** It has not started until what this returns is disposed of. */
  hold(containerId: string): Disposable {
    this.#hooked.add(containerId);
    return { [Symbol.dispose]: () => this.#hooked.delete(containerId) };
  }

  isStarted(containerId: string): boolean {
    return !this.#hooked.has(containerId) && this.#probes.isStarted(containerId);
  }

  isReady(containerId: string): boolean {
    return this.isStarted(containerId) && this.#probes.isReady(containerId);
  }

  failure(containerId: string): ProbeFailure | undefined {
    return this.#probes.failure(containerId);
  }
}
