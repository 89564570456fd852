// Runs inside a container and reads its volumes until it is told to end, through plain paths as programs do, and through `..data`
// resolved once as careful ones do. Whatever it finds wrong goes to a file at once; how far it is, to another.
//
//   node volume-reader.ts REPORTS JSON-of-{volumes,labels,fixed,live}

import {
  appendFileSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { keysOf, readStamp, steadyKeysOf } from "./stamped.ts";

export interface ReaderTask {
  /** Directories, and the objects that each of them shows. */
  readonly volumes: Readonly<Record<string, readonly string[]>>;
  /** Files with labels `generation` and `twin`, which always change together. */
  readonly labels: readonly string[];
  /** Files that must stay as they were first seen: key by path. */
  readonly fixed: Readonly<Record<string, string>>;
  /** Files that are mounted on their own, and follow their object: key by path. */
  readonly live?: Readonly<Record<string, string>>;
}

export interface ReaderReport {
  readonly rounds: number;
  /** Versions that went away while they were read, because another had taken their place. */
  readonly moved: number;
  readonly versions: number;
}

const PAUSE_MS = 4;
/** Between two reports, in rounds. */
const REPORT_EACH = 10;

class Reader {
  readonly #task: ReaderTask;
  readonly #directory: string;
  readonly #lastSeen = new Map<string, number>();
  readonly #firstSeen = new Map<string, string>();
  readonly #lastVersion = new Map<string, string>();
  readonly #said = new Set<string>();
  #rounds = 0;
  #moved = 0;
  #versions = 0;

  constructor(directory: string, task: ReaderTask) {
    this.#directory = directory;
    this.#task = task;
  }

  async run(): Promise<void> {
    for (;;) {
      for (const [path, objects] of Object.entries(this.#task.volumes)) {
        this.#guarded(() => this.#readPlain(path, objects));
        this.#guarded(() => this.#readVersion(path, objects));
      }
      for (const path of this.#task.labels) this.#guarded(() => this.#readLabels(path));
      for (const [path, key] of Object.entries(this.#task.fixed)) {
        this.#guarded(() => this.#readFixed(path, key));
      }
      for (const [path, key] of Object.entries(this.#task.live ?? {})) {
        this.#guarded(() => {
          const { generation } = readStamp(key, readFileSync(path, "utf8"));
          this.#forward(path, generation);
        });
      }
      if (this.#rounds++ % REPORT_EACH === 0) this.#report();
      await sleep(PAUSE_MS);
    }
  }

  #readPlain(directory: string, objects: readonly string[]): void {
    for (const key of objects.flatMap((object) => steadyKeysOf(object))) {
      const path = `${directory}/${key}`;
      const { generation } = readStamp(key, readFileSync(path, "utf8"));
      this.#forward(path, generation);
    }
  }

  #readVersion(directory: string, objects: readonly string[]): void {
    const target = readlinkSync(`${directory}/..data`);
    try {
      for (const object of objects) this.#readObject(`${directory}/${target}`, object);
    } catch (err) {
      if (readlinkSync(`${directory}/..data`) === target) throw err;
      this.#moved++;
    }
    if (this.#lastVersion.get(directory) !== target) this.#versions++;
    this.#lastVersion.set(directory, target);
  }

  /** All keys of one generation, no more and no less. */
  #readObject(version: string, object: string): void {
    const names = readdirSync(version).filter((name) => name.startsWith(`${object}.`));
    const stamps = names.map((key) => readStamp(key, readFileSync(`${version}/${key}`, "utf8")));
    const generation = stamps[0]?.generation ?? Number.NaN;
    if (stamps.some((one) => one.generation !== generation)) {
      const seen = stamps.map((one) => `${one.key}=${one.generation}`).join(" ");
      throw new Error(`${version} is mixed: ${seen}`);
    }
    const missing = keysOf({ object, generation }).filter((key) => !names.includes(key));
    if (missing.length > 0 || names.length !== keysOf({ object, generation }).length) {
      throw new Error(`${version} has ${names.join(" ")} of ${object}, generation ${generation}`);
    }
  }

  #readLabels(path: string): void {
    const text = readFileSync(path, "utf8");
    const generation = /^generation="(\d+)"$/m.exec(text)?.[1];
    const twin = /^twin="(\d+)"$/m.exec(text)?.[1];
    if (generation === undefined || generation !== twin) {
      throw new Error(`${path} is mixed: ${JSON.stringify(text)}`);
    }
    this.#forward(path, Number(generation));
  }

  #readFixed(path: string, key: string): void {
    const text = readFileSync(path, "utf8");
    readStamp(key, text);
    const first = this.#firstSeen.get(path) ?? text;
    this.#firstSeen.set(path, first);
    if (text !== first) throw new Error(`${path} changed under a container that runs`);
  }

  #forward(path: string, generation: number): void {
    const last = this.#lastSeen.get(path) ?? 0;
    this.#lastSeen.set(path, Math.max(last, generation));
    if (generation < last) throw new Error(`${path} went back from ${last} to ${generation}`);
  }

  #guarded(step: () => void): void {
    try {
      step();
    } catch (err) {
      const text = String(err);
      // What stays wrong is said once.
      if (!this.#said.has(text)) {
        appendFileSync(`${this.#directory}/wrong`, `${new Date().toISOString()} ${text}\n`);
      }
      this.#said.add(text);
    }
  }

  #report(): void {
    const report: ReaderReport = {
      rounds: this.#rounds,
      moved: this.#moved,
      versions: this.#versions,
    };
    writeFileSync(`${this.#directory}/report.tmp`, JSON.stringify(report));
    renameSync(`${this.#directory}/report.tmp`, `${this.#directory}/report`);
    process.stdout.write(`round ${this.#rounds}\n`);
  }
}

if (import.meta.main) {
  process.on("SIGTERM", () => process.exit(0));
  const [, , directory = "", task = ""] = process.argv;
  await new Reader(directory, JSON.parse(task) as ReaderTask).run();
}
