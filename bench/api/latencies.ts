// Times of many operations in little memory, and the load that they add up to.

import { performance } from "node:perf_hooks";
import type { Load } from "./jobs.ts";

export class Latencies {
  #times = new Float64Array(1 << 14);
  #count = 0;
  readonly #startedMs = performance.now();
  readonly #cpu = process.cpuUsage();

  get count(): number {
    return this.#count;
  }

  add(ms: number): void {
    if (this.#count === this.#times.length) {
      const larger = new Float64Array(this.#times.length * 2);
      larger.set(this.#times);
      this.#times = larger;
    }
    this.#times[this.#count++] = ms;
  }

  at(...shares: readonly number[]): number[] {
    const sorted = this.#times.subarray(0, this.#count).toSorted();
    return shares.map(
      (share) =>
        sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN,
    );
  }

  load(): Load {
    const elapsedMs = performance.now() - this.#startedMs;
    const { user, system } = process.cpuUsage(this.#cpu);
    const [p50Ms = 0, p99Ms = 0, maxMs = 0] = this.at(0.5, 0.99, 1);
    return {
      operations: this.#count,
      perSecond: (this.#count / elapsedMs) * 1000,
      p50Ms,
      p99Ms,
      maxMs,
      generatorCpuMs: (user + system) / 1000,
      elapsedMs,
    };
  }
}
