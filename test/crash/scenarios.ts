// Writes during which the crash test kills the writer: one for every path through AtomicWriter.

import { mkdirSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { seededRandom } from "../../src/base/testing/seeded-random.ts";
import type { AtomicWriterOptions } from "../../src/files/atomic-writer.ts";
import { Payload } from "../../src/files/payload.ts";
import { payloadOf } from "../../src/files/testing/test-writer.ts";

export interface Scenario {
  readonly name: string;
  /** Written in order before the write under test. */
  readonly before: readonly Payload[];
  /** Changes the volume behind the writer's back, between `before` and `write`. */
  readonly disturb?: (directory: string) => void;
  /** The write under test. */
  readonly write: Payload;
  readonly deep?: boolean;
  readonly options?: Partial<AtomicWriterOptions>;
  /** Names that are not the writer's and stay. */
  readonly foreign?: readonly string[];
}

const NESTED = { "conf.d/a.conf": "a", "conf.d/b.conf": "b", "deep/er/est/key": "x", top: "t" };
const MANY = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`key-${i}`, `value ${i}`]));
const BIG = Buffer.alloc(300_000, "big ");

const leftovers = (directory: string): void => {
  mkdirSync(`${directory}/..2020_01_01_00_00_00.1/sub`, { recursive: true });
  writeFileSync(`${directory}/..2020_01_01_00_00_00.1/sub/half`, "half");
  symlinkSync("..2020_01_01_00_00_00.1", `${directory}/..data_tmp`);
  symlinkSync("..data/gone", `${directory}/gone`);
};

/** The way of a key that is blocked by something that is replaced. */
const foreignAtNames = (directory: string): void => {
  writeFileSync(`${directory}/new`, "foreign");
  symlinkSync("/etc/passwd", `${directory}/other`);
};

function ownedBy(uid: number): Payload {
  return Payload.from([["token", { data: Buffer.from("t"), mode: 0o600, uid }]]);
}

export const scenarios: readonly Scenario[] = [
  { name: "first write", before: [], write: payloadOf({ a: "1", b: "2" }) },
  { name: "first write, nested", before: [], write: payloadOf(NESTED) },
  { name: "first write, empty", before: [], write: payloadOf({}) },
  {
    name: "first write, over foreign names",
    before: [],
    disturb: foreignAtNames,
    write: payloadOf({ new: "1", other: "2" }),
  },
  {
    name: "content",
    before: [payloadOf({ a: "1", b: "2" })],
    write: payloadOf({ a: "3", b: "4" }),
  },
  {
    name: "content, nested",
    before: [payloadOf(NESTED)],
    write: payloadOf({ ...NESTED, top: "T", "conf.d/a.conf": "A" }),
  },
  {
    name: "content, many keys",
    before: [payloadOf(MANY)],
    write: payloadOf({ ...MANY, "key-3": "changed" }),
  },
  { name: "content, big file", before: [payloadOf({ a: "1" })], write: payloadOf({ a: BIG }) },
  {
    name: "keys added",
    before: [payloadOf({ a: "1" })],
    write: payloadOf({ a: "2", b: "2", "c/d": "2" }),
  },
  {
    name: "keys removed",
    before: [payloadOf({ a: "1", b: "1", "c/d": "1" })],
    write: payloadOf({ a: "2" }),
  },
  {
    name: "keys swapped for others",
    before: [payloadOf({ a: "1", b: "1" })],
    write: payloadOf({ c: "2", d: "2" }),
  },
  { name: "all keys removed", before: [payloadOf(MANY)], write: payloadOf({}) },
  {
    name: "file to directory",
    before: [payloadOf({ a: "1" })],
    write: payloadOf({ "a/b": "2", "a/c/d": "2" }),
  },
  {
    name: "directory to file",
    before: [payloadOf({ "a/b": "1", "a/c/d": "1" })],
    write: payloadOf({ a: "2" }),
  },
  {
    name: "mode alone",
    before: [payloadOf({ a: ["1", 0o644] })],
    write: payloadOf({ a: ["1", 0o600] }),
  },
  {
    name: "group",
    before: [payloadOf(NESTED)],
    write: payloadOf({ ...NESTED, top: "2" }),
    options: { fsGroup: 4242 },
  },
  {
    name: "durable",
    before: [payloadOf(NESTED)],
    write: payloadOf({ ...NESTED, top: "2", more: "2" }),
    options: { durable: true },
  },
  {
    name: "group, with new keys over foreign names",
    before: [payloadOf({ a: "1" })],
    disturb: foreignAtNames,
    write: payloadOf({ a: "2", "b/c": "2", new: "2", other: "2" }),
    options: { fsGroup: 4242 },
  },
  {
    name: "durable first write",
    before: [],
    write: payloadOf(NESTED),
    options: { durable: true },
  },
  {
    name: "owners",
    before: [ownedBy(1001)],
    write: ownedBy(1002),
  },
  {
    name: "grace time",
    before: [payloadOf({ a: "1", b: "1" }), payloadOf({ a: "2", b: "2" })],
    write: payloadOf({ a: "3", c: "3" }),
    options: { keepPreviousMs: 3_600_000 },
  },
  {
    name: "links that are wrong, and nothing else",
    before: [payloadOf({ a: "1", b: "1" })],
    disturb: (directory) => {
      unlinkSync(`${directory}/a`);
      symlinkSync("/etc/passwd", `${directory}/a`);
      unlinkSync(`${directory}/b`);
    },
    write: payloadOf({ a: "1", b: "1" }),
  },
  {
    name: "after a crash, same content",
    before: [payloadOf({ a: "1" })],
    disturb: leftovers,
    write: payloadOf({ a: "1" }),
  },
  {
    name: "after a crash, new content",
    before: [payloadOf({ a: "1" })],
    disturb: leftovers,
    write: payloadOf({ a: "2", gone: "2" }),
  },
  {
    name: "deep verification of tampered content",
    before: [payloadOf({ a: "1", b: "2" })],
    deep: true,
    disturb: (directory) => writeFileSync(`${directory}/..data/a`, "X"),
    write: payloadOf({ a: "1", b: "2" }),
  },
  {
    name: "key over a foreign file",
    before: [payloadOf({ a: "1" })],
    disturb: foreignAtNames,
    write: payloadOf({ a: "2", new: "2", other: "2" }),
  },
  {
    name: "beside a foreign directory",
    before: [payloadOf({ a: "1" })],
    disturb: (directory) => mkdirSync(`${directory}/nested/deeper`, { recursive: true }),
    write: payloadOf({ b: "2" }),
    foreign: ["nested"],
  },
];

/** By its name, or `random SEED`. */
export function scenarioNamed(name: string): Scenario {
  const found = scenarios.find((each) => each.name === name);
  if (found !== undefined) return found;
  const seed = /^random (\d+)$/.exec(name)?.[1];
  if (seed === undefined) throw new Error(`no scenario ${name}`);
  const random = seededRandom(Number(seed));
  const options: Partial<AtomicWriterOptions> = {
    durable: random.next() < 0.1,
    keepPreviousMs: random.next() < 0.1 ? 60_000 : 0,
  };
  return { name, before: [], write: selfDescribing(Number(seed)), options };
}

const POOL = ["a", "b", "c", "a/x", "a/y/z", "b/x", "conf.d/1", "conf.d/2", "long-name.yaml"];

/**
 * A payload that a reader can check without knowing it: every file begins with the number, and
 * `manifest` lists all paths.
 */
export function selfDescribing(number: number): Payload {
  const random = seededRandom(number);
  const paths: string[] = [];
  for (const path of POOL) {
    const clashes = paths.some(
      (each) => path.startsWith(`${each}/`) || each.startsWith(`${path}/`),
    );
    if (!clashes && random.next() < 0.5) paths.push(path);
  }
  const content = (path: string): string =>
    `${number}\n${path} `.repeat(1 + Math.floor(random.next() * 200));
  const files = Object.fromEntries(paths.map((path) => [path, content(path)]));
  return payloadOf({ ...files, manifest: `${number}\n${paths.join("\n")}` });
}
