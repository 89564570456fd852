// Reads by chance, in every form: what is there now, what was there, and in pages while others write.

import type { Random } from "../../src/base/random.ts";
import { getObject, listObjects } from "./reads.ts";
import type { ListRecord, View } from "./record.ts";
import { type ActorOptions, chance, pick, shortly } from "./shared.ts";

export interface ReaderOptions extends ActorOptions {
  readonly views: readonly View[];
}

export class Reader {
  readonly #options: ReaderOptions;
  readonly #random: Random;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#random = options.shared.randomForNext();
  }

  async run(): Promise<void> {
    const { shared } = this.#options;
    while (!shared.working.aborted) {
      if (chance(this.#random, 0.5)) await this.#get();
      else await this.#list();
      await shortly(this.#random);
    }
  }

  async #get(): Promise<void> {
    const { shared } = this.#options;
    const recent = shared.run.writes.slice(-50);
    if (recent.length > 0) await getObject(this.#options, pick(this.#random, recent).key);
  }

  async #list(): Promise<void> {
    const random = this.#random;
    const isPaged = chance(random, 0.5);
    await listObjects(this.#options, {
      view: pick(random, this.#options.views),
      asked: this.#asked(),
      // "Any version" is one page whatever the limit.
      limit: isPaged ? 1 + (random.uint32() % 10) : undefined,
      // Now and then so long that the past may be gone.
      pause: () => shortly(random, chance(random, 0.1) ? 2000 : 40),
    });
  }

  #asked(): ListRecord["asked"] {
    const random = this.#random;
    const { newest } = this.#options.shared.moment;
    const match = pick(random, ["newest", "newest", "any", "exact", "notOlder"] as const);
    if (match === "newest" || match === "any") return { match };
    const back = chance(random, 0.3) ? random.next() * newest : random.next() * 100;
    return { match, version: Math.max(1, Math.floor(newest - back)) };
  }
}
