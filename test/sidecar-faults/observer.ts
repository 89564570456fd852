// Looks at what is live, all the time, from a process of its own and with nothing of the product's code, and complains, a line of JSON for each kind of complaint and
// file. Says {} when it has looked for the first time, and how much it has seen when its standard input ends.
//
//   node observer.ts '[{ "name", "kind": "volume" | "files", "directory" }]'

import { readFileSync, readlinkSync } from "node:fs";
import { LIVE_FILES, numbersOf } from "./faulty-set.ts";

export interface Observed {
  readonly name: string;
  readonly kind: "files" | "volume";
  readonly directory: string;
}

export interface Complaint {
  readonly name: string;
  readonly what: "backwards" | "bad" | "empty" | "missing" | "mixed" | "torn";
  readonly file: string;
  readonly detail: string;
  readonly at: string;
}

export interface Summary {
  readonly looks: number;
  /** By name. */
  readonly versions: Readonly<Record<string, number>>;
}

const PAUSE_MS = 4;
/** A reader by a plain path that is on its way into a version that goes for want of room looks again. */
const MISSING_LIMIT = 3;

class Eye {
  readonly #target: Observed;
  /** The newest number of each source in each file. */
  readonly #newest = new Map<string, number>();
  readonly #complained = new Set<string>();
  /** In a row. */
  readonly #missing = new Map<string, number>();
  #last = "";
  versions = 0;

  constructor(target: Observed) {
    this.#target = target;
  }

  /** Nothing is asked of it before the first whole set is there. */
  #hasBegun = false;

  look(): void {
    const { kind, directory } = this.#target;
    const texts = LIVE_FILES.map((file) => ({ file, text: read(`${directory}/${file}`) }));
    for (const { file, text } of texts) this.#judge(file, text, "plain");
    if (kind === "volume") this.#lookAtSet();
    this.#hasBegun ||= texts.every(({ text }) => text !== undefined);
    const all = texts.map(({ text }) => text).join();
    if (all !== this.#last) this.versions++;
    this.#last = all;
  }

  /** Pinned: all of it must be of one version, unless the link was turned meanwhile. */
  #lookAtSet(): void {
    const { directory } = this.#target;
    const target = linkOf(directory);
    if (target === undefined) return;
    const texts = LIVE_FILES.map((file) => ({
      file,
      text: read(`${directory}/${target}/${file}`),
    }));
    if (linkOf(directory) !== target) return;
    for (const { file, text } of texts) this.#judge(file, text, "set");
    const numbers = new Map<string, number>();
    for (const { file, text } of texts) {
      for (const [source, number] of numbersOf(file, text ?? "") ?? []) {
        const other = numbers.get(source) ?? number;
        if (other !== number) this.#complain("mixed", file, `${source} is ${other} and ${number}`);
        numbers.set(source, number);
      }
    }
  }

  #judge(file: string, text: string | undefined, way: "plain" | "set"): void {
    if (text === undefined) {
      const times = (this.#missing.get(`${way} ${file}`) ?? 0) + 1;
      this.#missing.set(`${way} ${file}`, times);
      if (this.#hasBegun && times >= MISSING_LIMIT) this.#complain("missing", file, way);
      return;
    }
    this.#missing.delete(`${way} ${file}`);
    if (text === "") this.#complain("empty", file, way);
    else if (text.includes("bad")) this.#complain("bad", file, text.slice(0, 100));
    else this.#compare(file, text, way);
  }

  #compare(file: string, text: string, way: string): void {
    const numbers = numbersOf(file, text);
    if (numbers === undefined) this.#complain("torn", file, text.slice(0, 200));
    for (const [source, number] of numbers ?? []) {
      const key = `${way} ${file} ${source}`;
      const newest = this.#newest.get(key) ?? 0;
      if (number < newest) this.#complain("backwards", file, `${source}: ${newest} to ${number}`);
      this.#newest.set(key, Math.max(newest, number));
    }
  }

  #complain(what: Complaint["what"], file: string, detail: string): void {
    if (this.#complained.has(`${what} ${file}`)) return;
    this.#complained.add(`${what} ${file}`);
    const { name } = this.#target;
    const complaint: Complaint = { name, what, file, detail, at: new Date().toISOString() };
    process.stdout.write(`${JSON.stringify(complaint)}\n`);
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw err;
  }
}

function linkOf(directory: string): string | undefined {
  try {
    return readlinkSync(`${directory}/..data`);
  } catch {
    return undefined;
  }
}

const targets = JSON.parse(process.argv[2] ?? "[]") as readonly Observed[];
const eyes = targets.map((target) => ({ name: target.name, eye: new Eye(target) }));
let looks = 0;
const timer = setInterval(() => {
  for (const { eye } of eyes) eye.look();
  if (looks === 0) process.stdout.write("{}\n");
  looks++;
}, PAUSE_MS);
process.stdin.on("end", () => {
  clearInterval(timer);
  for (const { eye } of eyes) eye.look();
  const versions = Object.fromEntries(eyes.map(({ name, eye }) => [name, eye.versions]));
  process.stdout.write(`${JSON.stringify({ looks, versions } satisfies Summary)}\n`);
});
process.stdin.resume();
