// Runs inside a container and reads one file all the time, in all the ways that programs do, until it is told to end. What it finds
// wrong it counts by kind.
//
//   node live-reader.ts JSON-of-LiveReaderTask

import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { setPriority } from "node:os";
import { relative } from "node:path";
import { readStamp } from "./stamped.ts";

export interface LiveReaderTask {
  readonly path: string;
  /** A directory above it that is held open; not in a mount that is replaced, or the old one would be held too. */
  readonly base: string;
  /** Of the stamped content. */
  readonly key: string;
  /** A file with the generation below which nothing may be read any more. */
  readonly floor: string;
  /** A file that says that it should end. */
  readonly stop: string;
  /** Where the report goes; "PATH.reads" says from time to time how far it is. */
  readonly report: string;
}

export interface LiveReaderReport {
  readonly reads: number;
  /** Different generations that it saw. */
  readonly generations: number;
  readonly faults: Readonly<Record<Fault, number>>;
  readonly first: string;
}

type Fault = "missing" | "underlying" | "torn" | "backwards" | "stale";

/** Reads between two looks whether it should end. */
export const LOOK_EACH = 200;
/** Less than a file has: it is read in several pieces. */
const PIECE = 512;

/** Of those who want the processor the writer comes first: it is what is tried. */
const LAST = 19;

const clock = new Int32Array(new SharedArrayBuffer(4));

/** Readers that leave nothing of the processors to the writer would read the same version for ever. */
function pause(): void {
  Atomics.wait(clock, 0, 0, 1);
}

class LiveReader {
  readonly #task: LiveReaderTask;
  readonly #faults: Record<Fault, number> = {
    ...{ missing: 0, underlying: 0, torn: 0, backwards: 0, stale: 0 },
  };
  readonly #directory: number;
  #first = "";
  #last = 0;
  #generations = 0;

  constructor(task: LiveReaderTask) {
    this.#task = task;
    this.#directory = openSync(task.base, constants.O_RDONLY | constants.O_DIRECTORY);
  }

  run(): LiveReaderReport {
    const { stop, report } = this.#task;
    let reads = 0;
    for (let isOver = false; !isOver; ) {
      // Before the reads: what was so before it was told to end, it has seen.
      isOver = existsSync(stop);
      for (let i = 0; i < LOOK_EACH; i++) {
        this.#read(reads++);
        if (i % 4 === 0) pause();
      }
      // Never half written: who waits for it would take it for less.
      writeFileSync(`${report}.reads.tmp`, String(reads));
      renameSync(`${report}.reads.tmp`, `${report}.reads`);
    }
    const { path } = this.#task;
    return {
      reads,
      generations: this.#generations,
      faults: this.#faults,
      first: this.#first && `${path}: ${this.#first}`,
    };
  }

  #read(round: number): void {
    const { floor, key } = this.#task;
    const least = Number(readFileSync(floor, "latin1"));
    let text: string;
    try {
      text = this.#text(round % 3);
    } catch (err) {
      this.#fault("missing", String(err));
      return;
    }
    // What is below the mount was made for it, and is empty.
    if (text === "") {
      this.#fault("underlying", "it is empty");
      return;
    }
    try {
      this.#judge(readStamp(key, text).generation, least);
    } catch (err) {
      this.#fault("torn", String(err));
    }
  }

  #text(way: number): string {
    const { path, base } = this.#task;
    if (way === 0) return readFileSync(path, "utf8");
    statSync(path);
    const place = way === 1 ? path : `/proc/self/fd/${this.#directory}/${relative(base, path)}`;
    const file = openSync(place, "r");
    try {
      const pieces: Buffer[] = [];
      for (;;) {
        const piece = Buffer.alloc(PIECE);
        const length = readSync(file, piece);
        if (length === 0) return Buffer.concat(pieces).toString();
        pieces.push(piece.subarray(0, length));
      }
    } finally {
      closeSync(file);
    }
  }

  #judge(generation: number, least: number): void {
    if (generation < least) this.#fault("stale", `${generation} after ${least} was shown`);
    if (generation < this.#last) this.#fault("backwards", `${generation} after ${this.#last}`);
    if (generation !== this.#last) this.#generations++;
    this.#last = Math.max(generation, this.#last);
  }

  #fault(kind: Fault, detail: string): void {
    this.#faults[kind]++;
    this.#first ||= `${kind}: ${detail}`;
  }
}

if (import.meta.main) {
  setPriority(LAST);
  const task = JSON.parse(process.argv[2] ?? "") as LiveReaderTask;
  const report = new LiveReader(task).run();
  writeFileSync(`${task.report}.tmp`, JSON.stringify(report));
  renameSync(`${task.report}.tmp`, task.report);
}
