// Two threads that check: one for all, and one for the namespaces whose checks have failed to end before, so that they make nobody else wait,
// whatever they call them.

import type { Clock } from "../../base/clock.ts";
import type { CheckPlace, ContentCheck, Refusal } from "../../checks/check-protocol.ts";
import { CheckThread, type ContentChecker } from "../../checks/check-thread.ts";

/** Of the names that are remembered; the oldest are forgotten, and suspected again when they earn it. */
const MAX_SUSPECTS = 1000;

export class CheckThreads implements ContentChecker, AsyncDisposable {
  readonly #trusted: CheckThread;
  readonly #suspected: CheckThread;
  /** Namespaces. */
  readonly #suspects = new Set<string>();

  constructor(clock: Clock) {
    this.#trusted = new CheckThread(clock);
    this.#suspected = new CheckThread(clock);
  }

  /** Where they are at this moment. */
  get underWay(): readonly CheckPlace[] {
    return [this.#trusted.underWay, this.#suspected.underWay].filter((one) => one !== undefined);
  }

  async check(
    checks: readonly ContentCheck[],
    content: ReadonlyMap<string, Uint8Array>,
  ): Promise<Refusal | undefined> {
    const namespace = checks[0]?.namespace ?? "";
    const isSuspect = this.#suspects.has(namespace);
    const thread = isSuspect ? this.#suspected : this.#trusted;
    const refusal = await thread.check(checks, content);
    if (refusal?.kind === "TimedOut" || refusal?.kind === "Crashed") this.#suspect(namespace);
    return refusal;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#trusted[Symbol.asyncDispose]();
    await this.#suspected[Symbol.asyncDispose]();
  }

  #suspect(namespace: string): void {
    this.#suspects.add(namespace);
    const [oldest] = this.#suspects;
    if (this.#suspects.size > MAX_SUSPECTS && oldest !== undefined) this.#suspects.delete(oldest);
  }
}
