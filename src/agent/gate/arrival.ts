// A content, and since when it has been there. Writes that change nothing but metadata are the same content: it has been there since the
// first of them. That is found out when somebody asks, since it takes a hash and files are waiting.

import type { ConfigObject } from "../objects/config-object.ts";

export class Arrival {
  /** Undefined: there is none. */
  readonly object: ConfigObject | undefined;
  /** Grows with what is heard of an object. */
  readonly order: number;
  #atMs: number;
  #before: Arrival | undefined;

  constructor(
    object: ConfigObject | undefined,
    {
      order,
      atMs,
      before,
    }: {
      readonly order: number;
      readonly atMs: number;
      readonly before: Arrival | undefined;
    },
  ) {
    this.object = object;
    this.order = order;
    this.#atMs = atMs;
    before?.settle();
    this.#before = before;
  }

  get atMs(): number {
    this.settle();
    return this.#atMs;
  }

  /** Lets go of what was before. */
  settle(): void {
    const before = this.#before;
    this.#before = undefined;
    if (before !== undefined && before.object?.version === this.object?.version) {
      this.#atMs = before.#atMs;
    }
  }
}
