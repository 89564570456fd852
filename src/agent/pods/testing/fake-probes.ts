// Probes that find what a test says: a container without a word of it has started, is ready and is well.

import type { Pod } from "../../../api/types.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { ProbeFailure, Probes } from "../../probes/probes.ts";

export class FakeProbes implements Probes {
  readonly #runtime: Pick<Runtime, "list">;
  /** "stopping u1", "forget u1". */
  readonly log: string[] = [];
  readonly followed: Map<string, Pod> = new Map();
  /** Names of containers that have not started yet. */
  readonly starting: Set<string> = new Set();
  /** Names of containers that are not ready. */
  readonly unready: Set<string> = new Set();
  readonly #failures = new Map<string, ProbeFailure>();
  readonly #handlers = new Set<(podUid: string) => void>();

  constructor(runtime: Pick<Runtime, "list">) {
    this.#runtime = runtime;
  }

  async run(): Promise<void> {
    // Nothing is found by itself.
  }

  follow(pod: Pod): void {
    this.followed.set(pod.metadata.uid ?? "", pod);
  }

  stopping(podUid: string): void {
    this.log.push(`stopping ${podUid}`);
  }

  forget(podUid: string): void {
    if (this.followed.delete(podUid)) this.log.push(`forget ${podUid}`);
  }

  isStarted(containerId: string): boolean {
    return !this.starting.has(this.#nameOf(containerId));
  }

  isReady(containerId: string): boolean {
    return this.isStarted(containerId) && !this.unready.has(this.#nameOf(containerId));
  }

  failure(containerId: string): ProbeFailure | undefined {
    return this.#failures.get(containerId);
  }

  onChange(handler: (podUid: string) => void): Disposable {
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => this.#handlers.delete(handler) };
  }

  /** The container of this name that runs now fails. */
  fail(name: string, failure: Partial<ProbeFailure> = {}): void {
    const found = this.#runtime.list().findLast((one) => one.name === name && !one.end);
    if (found === undefined) throw new Error(`Cannot fail container "${name}": it does not run`);
    this.#failures.set(found.id, {
      probe: "Liveness",
      terminationGracePeriodSeconds: undefined,
      ...failure,
    });
    this.tell(found.podUid);
  }

  tell(podUid = "u1"): void {
    for (const handler of this.#handlers) handler(podUid);
  }

  #nameOf(containerId: string): string {
    return this.#runtime.list().find(({ id }) => id === containerId)?.name ?? "";
  }
}
