// Pods that come and go all the time: some end by themselves, some are deleted before, whatever happens to the agent meanwhile.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Pod } from "../../src/api/types.ts";
import type { Random } from "../../src/base/random.ts";
import { type Cluster, type PodParts, sleeper } from "./cluster.ts";
import type { ConfigWriter } from "./config-writer.ts";
import { logLines } from "./reader-pod.ts";
import { readStamp } from "./stamped.ts";

export interface MayfliesOptions {
  readonly cluster: Cluster;
  readonly writer: ConfigWriter;
  readonly random: Random;
  readonly configMap: string;
  readonly secret: string;
}

export class Mayflies {
  readonly #options: MayfliesOptions;
  readonly #wrong: string[] = [];
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #lives = 0;

  constructor(options: MayfliesOptions) {
    this.#options = options;
  }

  get wrong(): readonly string[] {
    return this.#wrong;
  }

  /** How many have come and gone. */
  get lives(): number {
    return this.#lives;
  }

  start(): void {
    this.#running = this.#run();
    this.#running.catch(() => undefined); // Told by end().
  }

  /** Settles when the one that is there now is gone: with an agent that lives, it must. */
  async another(): Promise<void> {
    const { lives } = this;
    const gone = this.#options.cluster.eventually("a pod that came and went", () =>
      assert.ok(this.lives > lives),
    );
    await Promise.race([gone, this.#running]);
  }

  /** Settles when the last one is gone. */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { random } = this.#options;
    for (let i = 0; !this.#stop.signal.aborted; i++) {
      const name = `mayfly-${i}`;
      await (random.next() < 0.7 ? this.#thatEnds(name) : this.#thatIsDeleted(name));
      this.#lives++;
    }
  }

  async #thatEnds(name: string): Promise<void> {
    const { cluster, random, writer, configMap } = this.#options;
    const exitCode = Math.floor(random.next() * 4);
    const atLeast = writer.generation(`configmaps/${configMap}`);
    const life = (random.next() * 0.8).toFixed(2);
    const file = `/etc/config/${configMap}.a`;
    const script = `echo begin; cat ${file}; sleep ${life}; cat /etc/one; echo end; exit ${exitCode}`;
    await cluster.makePod(name, this.#parts(script));
    const pod = await cluster.podWhere(
      name,
      "an end",
      ({ status }) => status.phase !== "Pending" && status.phase !== "Running",
    );
    this.#check(pod, { exitCode, atLeast });
    await cluster.delete(`pods/${name}`);
    await cluster.podGone(name);
  }

  async #thatIsDeleted(name: string): Promise<void> {
    const { cluster, random } = this.#options;
    await cluster.makePod(name, this.#parts("trap 'exit 0' TERM; sleep infinity & wait"));
    await sleep(random.next() * 1500);
    await cluster.delete(`pods/${name}`);
    await cluster.podGone(name);
  }

  #parts(script: string): PodParts {
    const { configMap, secret } = this.#options;
    return {
      restartPolicy: "Never",
      containers: [
        sleeper({
          command: ["sh", "-c", script],
          volumeMounts: [
            { name: "config", mountPath: "/etc/config" },
            { name: "login", mountPath: "/etc/one", subPath: `${secret}.b` },
          ],
        }),
      ],
      volumes: [
        { name: "config", configMap: { name: configMap } },
        { name: "login", secret: { secretName: secret } },
      ],
    };
  }

  /** It ran once, to its end, with what the server had when it came. */
  #check(
    pod: Pod,
    { exitCode, atLeast }: { readonly exitCode: number; readonly atLeast: number },
  ): void {
    const { name } = pod.metadata;
    const [main] = pod.status.containerStatuses ?? [];
    const ended = main?.state.terminated;
    if (ended?.exitCode !== exitCode || main?.restartCount !== 0) {
      this.#wrong.push(`${name} should have ended with ${exitCode}: ${JSON.stringify(pod.status)}`);
    }
    const { cluster, configMap, secret } = this.#options;
    const lines = logLines(cluster.node, pod);
    const [begin, first, second, end] = lines;
    try {
      assert.deepEqual([lines.length, begin, end], [4, "begin", "end"]);
      const { generation } = readStamp(`${configMap}.a`, `${first}\n`);
      readStamp(`${secret}.b`, `${second}\n`);
      assert.ok(generation >= atLeast, `it saw ${generation}, and there was ${atLeast}`);
    } catch (err) {
      this.#wrong.push(`${name} wrote ${JSON.stringify(lines)}: ${String(err)}`);
    }
  }
}
