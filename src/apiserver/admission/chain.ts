// All plug-ins in their order, as one. Those that change objects come first for all of them, and the judges see what
// will be stored.

import type { AdmissionPlugin, AdmissionRequest } from "./admission.ts";

export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];
  /** Errors that came from here: only these can be due to a cache that was not new enough. */
  readonly #refusals = new WeakSet<object>();

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  /** Before validation. Changes the object; throws the first refusal. */
  mutate(request: AdmissionRequest): void {
    this.#asked(() => {
      for (const plugin of this.#plugins) plugin.mutate?.(request);
    });
  }

  /** After validation. Throws the first refusal. */
  judge(request: AdmissionRequest): void {
    this.#asked(() => {
      for (const plugin of this.#plugins) plugin.judge?.(request);
    });
  }

  isRefusal(err: unknown): boolean {
    return typeof err === "object" && err !== null && this.#refusals.has(err);
  }

  #asked(ask: () => void): void {
    try {
      ask();
    } catch (err) {
      if (err instanceof Error) this.#refusals.add(err);
      throw err;
    }
  }
}
