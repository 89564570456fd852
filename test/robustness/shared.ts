// What the actors of a run share: where things are recorded, what was acknowledged last, and when to stop.

import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../src/base/random.ts";
import { seededRandom } from "../../src/base/testing/seeded-random.ts";
import { emptyRun, type Key, type Moment, type RunRecord, type SeenObject } from "./record.ts";
import type { Transport } from "./transport.ts";

export class Shared {
  readonly run: RunRecord = emptyRun();
  readonly namespaces: readonly string[];
  /** The newest version of each object that a writer was told of. */
  readonly known: Map<Key, SeenObject> = new Map();
  readonly #seed: number;
  #actors = 0;
  #newest = 0;
  #deletes = 0;
  acknowledged = 0;
  /** Events that watchers received. */
  events = 0;
  /** Those within watches, not those that end a state. */
  bookmarks = 0;
  /** Aborts when writers and readers stop. */
  readonly #working = new AbortController();
  /** Aborts when watchers stop. */
  readonly #watching = new AbortController();

  constructor(seed: number, namespaces: readonly string[]) {
    this.#seed = seed;
    this.namespaces = namespaces;
  }

  get working(): AbortSignal {
    return this.#working.signal;
  }

  get watching(): AbortSignal {
    return this.#watching.signal;
  }

  stopWork(): void {
    this.#working.abort();
  }

  stopWatching(): void {
    this.#watching.abort();
  }

  /** For one actor: what the others do does not change what it chooses. */
  randomForNext(): Random {
    return seededRandom(this.#seed * 1000 + this.#actors++);
  }

  told(revision: number): void {
    if (revision > this.#newest) this.#newest = revision;
  }

  /** Which acknowledged delete this is. */
  toldOfDelete(): number {
    return ++this.#deletes;
  }

  get moment(): Moment {
    return { newest: this.#newest, deletes: this.#deletes };
  }
}

export interface ActorOptions {
  readonly shared: Shared;
  readonly transport: Transport;
}

/** One of them; there must be one. */
export function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[random.uint32() % choices.length] as T;
}

export function chance(random: Random, probability: number): boolean {
  return random.next() < probability;
}

/** Shorter than anything that is waited for, longer than a busy loop. */
export async function shortly(random: Random, maxMs = 80): Promise<void> {
  await sleep(10 + random.next() * maxMs);
}

/** Resolves when the condition holds; rejects, with what is said then, if that takes longer than a busy machine needs. */
export async function until(
  condition: () => boolean,
  what: () => string,
  timeoutMs = 300_000,
): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`within ${timeoutMs} ms: ${what()}`);
    await sleep(10);
  }
}
