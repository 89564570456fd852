// Readers of live sub paths inside a container, and what the test says to them through the directory that they share.

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type LivePod, SHARED } from "./live-pod.ts";
import { type LiveReaderReport, type LiveReaderTask, LOOK_EACH } from "./live-reader.ts";
import { stampedText } from "./stamped.ts";

const program = new URL("./live-reader.ts", import.meta.url).pathname;
export const OBJECT = "app";

/** What the container runs: a reader for each path, all at once. */
export function readersArgv(paths: Readonly<Record<string, string>>): readonly string[] {
  const commands = Object.entries(paths).map(([path, key], i) => {
    const shared = (name: string): string => `${SHARED}/${name}`;
    const task: LiveReaderTask = {
      ...{
        path,
        base: path.startsWith(SHARED) ? SHARED : "/etc/app",
        key,
        floor: shared("floor"),
        stop: shared("stop"),
        report: shared(`report-${i}`),
      },
    };
    return `'${process.execPath}' '${program}' '${JSON.stringify(task)}' &`;
  });
  // They begin when there is something to compare with.
  return [
    "sh",
    "-c",
    `while [ ! -e ${SHARED}/floor ]; do sleep 0.01; done; ${commands.join(" ")} wait; sleep infinity`,
  ];
}

export function stamped(keys: readonly string[], generation: number): Record<string, string> {
  return Object.fromEntries(
    keys.map((key) => [key, stampedText({ object: OBJECT, key, generation })]),
  );
}

export class Readers {
  readonly #pod: LivePod;
  readonly #count: number;

  constructor(pod: LivePod, count: number) {
    this.#pod = pod;
    this.#count = count;
  }

  /** From now on nobody may read anything older. */
  floor(generation: number): void {
    const path = join(this.#pod.shared, "floor");
    writeFileSync(`${path}.tmp`, String(generation));
    renameSync(`${path}.tmp`, path);
  }

  /** Settles when all have read for some time from now on. */
  async atWork(): Promise<void> {
    for (let i = 0; i < this.#count; i++) {
      await this.#until(`report-${i}.reads`);
      const before = this.#reads(i);
      while (this.#reads(i) < before + 2 * LOOK_EACH) await sleep(5);
    }
  }

  async reports(): Promise<readonly LiveReaderReport[]> {
    writeFileSync(join(this.#pod.shared, "stop"), "");
    const reports: LiveReaderReport[] = [];
    for (let i = 0; i < this.#count; i++) {
      await this.#until(`report-${i}`);
      const text = readFileSync(join(this.#pod.shared, `report-${i}`), "utf8");
      reports.push(JSON.parse(text) as LiveReaderReport);
    }
    return reports;
  }

  #reads(i: number): number {
    return Number(readFileSync(join(this.#pod.shared, `report-${i}.reads`), "utf8"));
  }

  async #until(name: string): Promise<void> {
    while (!existsSync(join(this.#pod.shared, name))) {
      if (this.#pod.hasEnded) throw new Error(`the readers ended: ${this.#pod.output}`);
      await sleep(10);
    }
  }
}
