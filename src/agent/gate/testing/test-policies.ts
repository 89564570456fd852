// Policies that a test writes down: by labels, without a server.

import { aborted } from "../../../base/abort.ts";
import type { ContentCheck } from "../../../checks/check-protocol.ts";
import type { Choosable, Policies, Policy } from "../policies.ts";

export interface TestPolicy {
  /** All must be the object's. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly checks?: readonly Partial<ContentCheck>[];
  readonly pausedAtMs?: number;
}

export class TestPolicies implements Policies {
  readonly #policies = new Map<string, { readonly chosen: TestPolicy; readonly policy: Policy }>();
  readonly #handlers = new Set<(namespace: string | undefined) => void>();
  #generation = 0;
  #isKnown: boolean;

  constructor({ isKnown = true }: { readonly isKnown?: boolean } = {}) {
    this.#isKnown = isKnown;
  }

  run(signal: AbortSignal): Promise<void> {
    return aborted(signal);
  }

  choosing({ namespace, labels }: Choosable): readonly Policy[] | undefined {
    if (!this.#isKnown) return undefined;
    return [...this.#policies.values()]
      .filter(({ chosen }) =>
        Object.entries(chosen.labels ?? {}).every(([key, value]) => labels[key] === value),
      )
      .map(({ policy }) => policy)
      .filter((policy) => policy.namespace === namespace);
  }

  /** Given by a test, for what has not been heard of. */
  unheard: () => void = () => undefined;

  confirm(): Promise<void> {
    this.unheard();
    return Promise.resolve();
  }

  onChange(handler: (namespace: string | undefined) => void): Disposable {
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => this.#handlers.delete(handler) };
  }

  put(name: string, policy: TestPolicy): void {
    const none = {
      namespace: "default",
      policy: name,
      name: "check",
      keys: [],
      format: undefined,
      schema: undefined,
    };
    this.#policies.set(name, {
      chosen: policy,
      policy: {
        namespace: "default",
        name,
        fingerprint: `${name}:${++this.#generation}`,
        checks: (policy.checks ?? []).map((check) => ({ ...none, ...check })),
        pausedAtMs: policy.pausedAtMs,
      },
    });
    this.#tell();
  }

  remove(name: string): void {
    this.#policies.delete(name);
    this.#tell();
  }

  becomeKnown(): void {
    this.#isKnown = true;
    this.#tell();
  }

  #tell(): void {
    for (const handler of this.#handlers) handler("default");
  }
}
