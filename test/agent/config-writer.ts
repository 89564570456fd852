// Changes ConfigMaps, Secrets and the labels of pods all the time, one write after the other. Every write says of itself which
// generation it is.

import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../src/base/random.ts";
import type { Cluster } from "./cluster.ts";
import { keysOf, stampedData, stampedText } from "./stamped.ts";

export interface WriterOptions {
  readonly cluster: Cluster;
  readonly random: Random;
  readonly configMaps: readonly string[];
  readonly secrets: readonly string[];
  /** Between two writes, at most. */
  readonly maxPauseMs: number;
}

export class ConfigWriter {
  readonly #options: WriterOptions;
  readonly #pods: string[] = [];
  /** Those that were acknowledged, by `configmaps/name` and so on. */
  readonly #generations = new Map<string, number>();
  #stop: AbortController | undefined;
  #running: Promise<void> = Promise.resolve();
  #writes = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  get writes(): number {
    return this.#writes;
  }

  /** The server has this one, or a later one. */
  generation(what: string): number {
    return this.#generations.get(what) ?? 0;
  }

  async makeObjects(): Promise<void> {
    const { cluster, configMaps, secrets } = this.#options;
    for (const name of configMaps) {
      await cluster.makeConfigMap(name, { data: stampedData(name, 1) });
      this.#generations.set(`configmaps/${name}`, 1);
    }
    for (const name of secrets) {
      await cluster.makeSecret(name, { stringData: stampedData(name, 1) });
      this.#generations.set(`secrets/${name}`, 1);
    }
  }

  /** Its labels are changed too, from now on. It begins with those of generation 1. */
  addPod(name: string): void {
    this.#pods.push(name);
    this.#generations.set(`pods/${name}`, 1);
  }

  start(): void {
    this.#stop = new AbortController();
    this.#running = this.#run(this.#stop.signal);
    this.#running.catch(() => undefined); // Told by pause().
  }

  /** Settles when nothing is on its way. Throws what the server said if it refused a write. */
  async pause(): Promise<void> {
    this.#stop?.abort();
    await this.#running;
  }

  /** Each object once. */
  async changeAll(): Promise<void> {
    for (const what of this.#all()) await this.#change(what);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { random, maxPauseMs } = this.#options;
    const all = this.#all();
    while (!signal.aborted) {
      const what = all[Math.floor(random.next() * all.length)];
      if (what !== undefined) await this.#changeOrWait(what, signal);
      await sleep(random.next() * maxPauseMs);
    }
  }

  /** While nobody answers, the same again: whether the server took it, it cannot say. */
  async #changeOrWait(what: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#change(what);
        return;
      } catch (err) {
        if (!isNoAnswer(err)) throw err;
        await sleep(20);
      }
    }
  }

  #all(): readonly string[] {
    const { configMaps, secrets } = this.#options;
    return [
      ...configMaps.map((name) => `configmaps/${name}`),
      ...secrets.map((name) => `secrets/${name}`),
      ...this.#pods.map((name) => `pods/${name}`),
    ];
  }

  async #change(what: string): Promise<void> {
    const generation = this.generation(what) + 1;
    await this.#options.cluster.change(what, patchOf(what, generation));
    this.#generations.set(what, generation);
    this.#writes++;
  }
}

function patchOf(what: string, generation: number): object {
  const [resource, name = ""] = what.split("/");
  if (resource === "pods") return { metadata: { labels: stampedLabels(generation) } };
  const keys = keysOf({ object: name, generation });
  const gone = keysOf({ object: name, generation: generation - 1 }).filter(
    (key) => !keys.includes(key),
  );
  const isSecret = resource === "secrets";
  const texts = keys.map((key) => [key, stampedText({ object: name, key, generation })] as const);
  const data: Record<string, string | null> = Object.fromEntries(gone.map((key) => [key, null]));
  for (const [key, text] of texts) data[key] = isSecret ? base64(text) : text;
  return { data };
}

export function stampedLabels(generation: number): Record<string, string> {
  return { generation: String(generation), twin: String(generation) };
}

function isNoAnswer(err: unknown): boolean {
  return err instanceof Error && "code" in err;
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
