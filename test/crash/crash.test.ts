// G4, at the level of the disk: a writer that is killed at any system call leaves a version that is
// wholly the old or wholly the new one, and the next write ends in exactly the wanted tree.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readlinkSync, rmSync, statSync } from "node:fs";
import { constants } from "node:os";
import { before, describe, it, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import type { Payload } from "../../src/files/payload.ts";
import { currentProcess } from "../../src/files/process-identity.ts";
import { payloadOf, testWriter } from "../../src/files/testing/test-writer.ts";
import {
  assertExactly,
  assertShows,
  differenceTo,
  readThroughData,
  type SeenFile,
} from "../../src/files/testing/volume-checks.ts";
import { type Built, buildC } from "../support/c-program.ts";
import { LONG, testSeed } from "../support/campaign.ts";
import { tmpfs } from "../support/tmpfs.ts";
import { type Scenario, scenarioNamed, scenarios, selfDescribing } from "./scenarios.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
/** Who wrote what was there before: a process that is no more, as after a restart. */
const DEAD = { ...currentProcess(), pid: 4_194_303, startTicks: 1 };
const NEXT = payloadOf({ a: "next", "c/d": "next", z: "next" });
const RANDOM_CRASHES = LONG ? 2_000 : 200;
const MIN_CRASH_POINTS = 2_000;
/** A process for each call that fails: all of them only in the long test. */
const FAILING_STEP = LONG ? 1 : 8;
/** Where a volume is recovered at every call on tmpfs, a part of them is enough on a slow disk. */
const DISK_STEP = LONG ? 1 : 4;
const { ENOSPC, EACCES, EROFS, EMFILE, EIO } = constants.errno;
const ERRNOS = [ENOSPC, EACCES, EROFS, EMFILE, EIO];

/** Thousands of processes run the same sources: compiling them once makes this twice as fast. */
const cache = tempDir();
process.on("exit", () => cache[Symbol.dispose]());
const env = { ...process.env, NODE_COMPILE_CACHE: cache.path };

let faultAt: Built;
let points = 0;
let crashPoints = 0;

before(async () => {
  faultAt = await buildC(`${HERE}/fault-at.c`);
});

interface Ending {
  /** What the tracer did: `calls …`, `killed NAME`, `failed NAME`, `finished`. */
  readonly fault: string;
  /** How the write ended, unless it was killed. */
  readonly write:
    | { readonly outcome: string; readonly path?: string; readonly message?: string }
    | undefined;
}

/** Runs one write of the scenario in a process of its own, under the tracer. */
async function runWrite(directory: string, scenario: string, fault: string[]): Promise<Ending> {
  assert.ok(faultAt.ok);
  const child = [process.execPath, `${HERE}/crash-child.ts`, directory, scenario];
  const { stdout, stderr } = await promisify(execFile)(faultAt.path, [...fault, ...child], { env });
  const write = stderr === "" ? undefined : (JSON.parse(stderr) as Ending["write"]);
  return { fault: stdout.trim(), write };
}

/** The calls of a write that nothing disturbs, which must end in exactly the wanted tree. */
async function callsOf(root: string, scenario: Scenario): Promise<string[]> {
  const directory = `${root}/undisturbed`;
  prepare(directory, scenario);
  const { fault } = await runWrite(directory, scenario.name, ["list"]);
  const foreign = scenario.foreign ?? [];
  const versions = 1 + (scenario.options?.keepPreviousMs ? scenario.before.length : 0);
  assertExactly(directory, scenario.write, { foreign, versions, ...fsGroupOf(scenario) });
  return fault.split(" ").slice(1);
}

interface Before {
  /** What readers saw; undefined before the first write. */
  readonly old: readonly SeenFile[] | undefined;
  /** Names in the volume's root. */
  readonly root: readonly string[];
}

function prepare(directory: string, scenario: Scenario): Before {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  const writer = testWriter(directory, { ...scenario.options, self: DEAD });
  for (const payload of scenario.before) writer.write(payload);
  scenario.disturb?.(directory);
  const old = scenario.before.length === 0 ? undefined : readThroughData(directory);
  return { old, root: readdirSync(directory) };
}

/** What is visible is the old version or the new one, whole, also through the links of keys in both. */
function assertOldOrNew(directory: string, { old, root }: Before, scenario: Scenario): void {
  const visible = readdirSync(directory).includes("..data")
    ? readThroughData(directory)
    : undefined;
  if (visible === undefined) {
    assert.equal(old, undefined, "a volume that had a version has one");
    return;
  }
  const isNew = differenceTo(scenario.write, visible, fsGroupOf(scenario)) === undefined;
  const isOld = old !== undefined && sameFiles(old, visible);
  assert.ok(isNew || isOld, "the visible version is wholly the old or wholly the new one");
  for (const name of scenario.write.names) {
    const inBoth =
      root.includes(name) &&
      old?.some((file) => file.path === name) &&
      visible.some((file) => file.path === name);
    if (inBoth) assert.ok(statSync(`${directory}/${name}`).isFile(), `${name} can be read`);
  }
}

function sameFiles(a: readonly SeenFile[], b: readonly SeenFile[]): boolean {
  const text = (files: readonly SeenFile[]): string =>
    files
      .map(
        (file) => `${file.path} ${file.mode} ${file.uid} ${file.gid} ${file.data.toString("hex")}`,
      )
      .join();
  return text(a) === text(b);
}

function fsGroupOf(scenario: Scenario): { fsGroup?: number } {
  const fsGroup = scenario.options?.fsGroup;
  return fsGroup === undefined ? {} : { fsGroup };
}

/** The next write, by another process, ends in exactly the wanted tree. */
function assertRecovers(directory: string, scenario: Scenario, next: Payload): void {
  const verify = scenario.deep ? ({ verify: "deep" } as const) : {};
  const foreign = (scenario.foreign ?? []).concat(strangersOf(scenario, next));
  if (scenario.options?.keepPreviousMs) {
    testWriter(directory, scenario.options).write(next, verify);
    assertShows(directory, next, fsGroupOf(scenario));
  }
  testWriter(directory, { ...scenario.options, keepPreviousMs: 0 }).write(next, verify);
  assertExactly(directory, next, { foreign, ...fsGroupOf(scenario) });
}

/** Foreign files at the names of keys stay when the next payload has no such keys and they were not replaced yet. */
function strangersOf(scenario: Scenario, next: Payload): string[] {
  if (!scenario.name.includes("foreign")) return [];
  return ["new", "other"].filter((name) => !next.names.has(name));
}

interface EveryCall {
  readonly root: string;
  /** Every call, or every so-manieth, beginning with one that the seed chooses. */
  readonly step: number;
  readonly fault: (index: number) => string;
  readonly check: (directory: string, before: Before, ending: Ending) => void;
}

/** Tries a fault at the calls of a write, each in a volume and a process of its own. */
async function everywhere(
  t: TestContext,
  scenario: Scenario,
  { root, step, fault, check }: EveryCall,
): Promise<void> {
  const calls = await callsOf(root, scenario);
  const first = testSeed() % step;
  const tried = calls.map((_, index) => index).filter((index) => index % step === first);
  await inPairs(tried.length, async (at) => {
    const index = tried[at] ?? 0;
    const directory = `${root}/at-${index}`;
    const before = prepare(directory, scenario);

    const ending = await runWrite(directory, scenario.name, [fault(index), String(index + 1)]);

    assertAt(`${fault(index)} at call ${index + 1} of ${calls.length} (${ending.fault})`, () => {
      assert.match(ending.fault, /^(killed|failed) /, "the call was reached");
      check(directory, before, ending);
      assertRecovers(directory, scenario, index % 2 === 0 ? scenario.write : NEXT);
    });
    rmSync(directory, { recursive: true });
  });
  t.diagnostic(`${tried.length} of ${calls.length} calls`);
  points += tried.length;
}

/**
 * The same for kills, a hundred times as fast: one run that is stopped at each call, where the volume is copied as SIGKILL would have
 * left it. When the copies are looked at the writer is gone.
 */
async function killedEverywhere(
  t: TestContext,
  scenario: Scenario,
  { root, step }: Pick<EveryCall, "root" | "step">,
): Promise<void> {
  const directory = `${root}/stopped`;
  const copies = `${root}/copies`;
  const before = prepare(directory, scenario);
  mkdirSync(copies);
  const first = testSeed() % step;
  const how = ["copy", directory, copies, String(first), String(step)];
  const { fault } = await runWrite(directory, scenario.name, how);
  const calls = fault.split(" ").slice(1);
  const tried = calls
    .map((call, index) => ({ call, index }))
    .filter(({ index }) => index % step === first);
  assert.equal(readdirSync(copies).length, tried.length);
  for (const { call, index } of tried) {
    const copy = `${copies}/${index + 1}`;
    assertAt(`killed at call ${index + 1} of ${calls.length} (${call})`, () => {
      assertOldOrNew(copy, before, scenario);
      assertRecovers(copy, scenario, index % 2 === 0 ? scenario.write : NEXT);
    });
    rmSync(copy, { recursive: true });
  }
  t.diagnostic(`${tried.length} of ${calls.length} calls`);
  points += tried.length;
}

function assertAt(where: string, check: () => void): void {
  try {
    check();
  } catch (err) {
    throw new Error(`${where}: ${String(err)}`, { cause: err });
  }
}

/** A write that failed left the old version, and no entry in the root that was not there before. */
function assertFailedOrDone(
  directory: string,
  ending: Ending,
  { before, scenario }: { before: Before; scenario: Scenario },
): void {
  const { old } = before;
  assert.ok(ending.write, "the write said how it ended");
  const hasVersion = readdirSync(directory).includes("..data");
  if (ending.write.outcome !== "failed") {
    const differs = differenceTo(scenario.write, readThroughData(directory), fsGroupOf(scenario));
    assert.equal(differs, undefined, `a write that succeeded is visible: ${differs}`);
    return;
  }
  assert.ok(ending.write.message?.startsWith(`Cannot write "${directory}`), ending.write.message);
  assert.ok(
    old === undefined ? !hasVersion : hasVersion && sameFiles(old, readThroughData(directory)),
    `the old version is visible and whole: ${ending.write.message}`,
  );
  const root = readdirSync(directory);
  // A repair that failed half-way leaves the links that it had mended.
  const mended = (name: string): boolean => old?.some((file) => file.path === name) ?? false;
  const added = root.filter((name) => !before.root.includes(name) && !mended(name));
  assert.deepEqual(added, [], `nothing is left of the failed write: ${ending.write.message}`);
  // What a crash had left may be gone, and what stood at the name of a key before the one that failed.
  const mayGo = ending.write.path === "other" ? /^\.\.|^gone$|^new$/ : /^\.\.|^gone$/;
  const lost = before.root.filter((name) => !mayGo.test(name) && !root.includes(name));
  assert.deepEqual(lost, [], `nothing of others is gone: ${ending.write.message}`);
  // The root itself has no name in the volume; these calls are never about it.
  if (/write|fchmod|fchown|mkdir|symlink|rename/.test(ending.fault)) {
    assert.notEqual(ending.write.path, "", `the file is named: ${ending.write.message}`);
  }
}

/** Two at a time: the tests run on two cores. */
async function inPairs(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all([worker(), worker()]);
}

for (const kind of ["disk", "tmpfs"] as const) {
  describe(`G4 a writer killed at every system call, on ${kind}`, () => {
    for (const scenario of scenarios) {
      it(`recovers: ${scenario.name}`, async (t) => {
        if (!faultAt.ok) return t.skip(faultAt.reason);
        using mount = kind === "tmpfs" ? tmpfs("size=32m") : tempDir();
        if (!("path" in mount)) return t.skip(mount.reason);
        const pointsBefore = points;
        const step = kind === "tmpfs" ? 1 : DISK_STEP;
        await killedEverywhere(t, scenario, { root: mount.path, step });
        if (LONG) {
          await everywhere(t, scenario, {
            root: mount.path,
            step: 1,
            fault: () => "kill",
            check: (directory, before) => assertOldOrNew(directory, before, scenario),
          });
        }
        crashPoints += points - pointsBefore;
        return undefined;
      });
    }
  });
}

describe("G4 a writer of which any one system call fails", () => {
  for (const scenario of scenarios) {
    it(`keeps the old version or shows the new one: ${scenario.name}`, async (t) => {
      if (!faultAt.ok) return t.skip(faultAt.reason);
      if (process.arch !== "x64") return t.skip("failing a call is implemented for x86-64 only");
      using temp = tempDir();
      for (const round of LONG ? [0, 1] : [0]) {
        await everywhere(t, scenario, {
          root: temp.path,
          step: FAILING_STEP,
          fault: (index) => String(ERRNOS[(index + round) % ERRNOS.length]),
          check: (directory, before, ending) =>
            assertFailedOrDone(directory, ending, { before, scenario }),
        });
      }
      return undefined;
    });
  }
});

describe("G4 random writes with crashes under a reader", () => {
  it("shows the reader whole versions only, and recovers every time", async (t) => {
    if (!faultAt.ok) return t.skip(faultAt.reason);
    const seed = testSeed();
    t.diagnostic(`seed ${seed}: repeat with npm test -- crash --seed ${seed}`);
    using temp = tempDir();
    const directory = temp.join("volume");
    mkdirSync(directory);
    testWriter(directory).write(selfDescribing(seed));
    const reader = spawn(process.execPath, [`${HERE}/reader-child.ts`, directory], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    let printed = "";
    reader.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });

    try {
      for (let round = 0; round < RANDOM_CRASHES; round++) {
        const number = seed + round + 1;
        const scenario = scenarioNamed(`random ${number}`);
        const at = String(1 + ((number * 7919) % 70));
        const { fault } = await runWrite(directory, scenario.name, ["kill", at]);
        if (fault.startsWith("killed")) crashPoints++;
        const visible = readThroughData(directory);
        assert.ok(visible.length > 0, `seed ${seed}, round ${round}: a version is visible`);
        // Every third crash is followed by a write, the others by the next crash.
        if (round % 3 === 0) assertRecovers(directory, scenario, selfDescribing(number));
        if (round % 500 === 499) t.diagnostic(`${round + 1} random crashes`);
      }
    } finally {
      reader.stdin.end();
    }
    await new Promise((resolve) => reader.once("close", resolve));

    const seen = JSON.parse(printed) as { whole: number; versions: number; bad: string[] };
    t.diagnostic(`the reader saw ${seen.whole} whole snapshots of ${seen.versions} versions`);
    assert.deepEqual(seen.bad, []);
    assert.ok(seen.versions > 10, "the reader saw versions change");
    assert.ok(readlinkSync(`${directory}/..data`).startsWith(".."));
    return undefined;
  });
});

describe("the crash test", () => {
  it(`tried at least ${MIN_CRASH_POINTS} crash points`, (t) => {
    if (!faultAt.ok) return t.skip(faultAt.reason);
    t.diagnostic(`${crashPoints} crash points`);
    assert.ok(crashPoints >= MIN_CRASH_POINTS, `${crashPoints} crash points`);
    return undefined;
  });
});
