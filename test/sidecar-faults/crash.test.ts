// A sidecar that is killed at any system call between a change of its source and the app's answer: what is live then is old or new (of plain files each one), the next life
// makes it all old or all new, whatever its source says meanwhile, and the app knows what is live in the end. The same with calls that fail.

import assert from "node:assert/strict";
import { type ExecFileException, execFile } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { isErrno } from "../../src/base/errors.ts";
import { FakeClock } from "../../src/base/testing/fake-clock.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { type Built, buildC } from "../support/c-program.ts";
import { LONG, testSeed } from "../support/campaign.ts";
import { NEW, OLD } from "./crash-sets.ts";
import { Life, LifeApp, liveTexts, loadedTexts, type OutputKind, type Texts } from "./life.ts";

const FAULT_AT = join(import.meta.dirname, "../crash/fault-at.c");
const CHILD = join(import.meta.dirname, "crash-child.ts");
/** Every so-manieth call, beginning with one that the seed chooses. */
const STEP = LONG ? 1 : 24;
/** A process for each: one in the short test, a part of them in the long one. */
const FAILING_STEP = LONG ? 5 : 300;
const ABORTED = 128 + constants.signals.SIGABRT;
const HANG_MS = 120_000;
const MAX_STEPS = 20_000;
const { ENOSPC, EIO, EACCES, EMFILE } = constants.errno;
const ERRNOS = [ENOSPC, EIO, EACCES, EMFILE];
/**
 * What Node does in its handler of SIGCHLD, and what becomes of it: it takes its lock, or never hears of this one; it tells its loop, or aborts; it gives the lock back, or is as
 * good as dead (see fault-at.c).
 */
const HANDLER_FAULTS = ["failed read", "aborted after failed write", "killed write"];
const MAX_TRIES = 50;
const seed = testSeed();

let faultAt: Built;
before(async () => {
  faultAt = await buildC(FAULT_AT);
});

interface Scene {
  readonly directory: string;
  readonly kind: OutputKind;
  readonly app: LifeApp;
}

/** A run of the child under the tracer, with all the calls that it made, or what became of one of them. */
async function traced({ directory, kind, app }: Scene, fault: readonly string[]): Promise<string> {
  assert.ok(faultAt.ok);
  const { port } = app;
  await app[Symbol.asyncDispose](); // The child has one of its own, at the same address.
  const child = [process.execPath, CHILD, directory, kind, String(port)];
  let outcome: string;
  try {
    const { stdout } = await promisify(execFile)(faultAt.path, [...fault, ...child], {
      timeout: HANG_MS,
      killSignal: "SIGKILL",
    });
    outcome = stdout.trim();
  } catch (err) {
    const { code, killed, stdout = "" } = err as Partial<ExecFileException>;
    if (killed === true) {
      throw new Error(`fault-at ${fault.join(" ")}: it hangs, after "${stdout}"`, { cause: err });
    }
    // Node itself gives up when one of its own pipes or sockets fails in a way that it holds to be impossible: that is as good as a kill.
    if (code !== ABORTED) throw err;
    outcome = `aborted after ${stdout.trim()}`;
  }
  await listenAgain(app, port);
  return outcome;
}

/** One that was aborted is over when the tracer says so; the last of its threads lets go of the address a moment later. */
async function listenAgain(app: LifeApp, port: number): Promise<void> {
  for (const limit = AbortSignal.timeout(HANG_MS); ; ) {
    try {
      return await app.listen(port);
    } catch (err) {
      if (!isErrno(err, "EADDRINUSE") || limit.aborted) throw err;
      await sleep(10);
    }
  }
}

const isOld = (texts: Texts): boolean => JSON.stringify(texts) === JSON.stringify(OLD);
const isNew = (texts: Texts): boolean => JSON.stringify(texts) === JSON.stringify(NEW);

/** What SIGKILL has left; whether something of the new set is visible. */
function assertOldOrNew(root: string, kind: OutputKind): boolean {
  const left = liveTexts(join(root, "live"), kind);
  if (kind === "volume") {
    assert.ok(isOld(left) || isNew(left), "it is neither the old set nor the new one");
    return isNew(left);
  }
  for (const path of Object.keys({ ...OLD, ...NEW })) {
    const isKept = path in OLD && path in NEW;
    assert.ok(!isKept || path in left, `${path} is missing`);
    const text = left[path];
    assert.ok(text === undefined || text === OLD[path] || text === NEW[path], `${path} is torn`);
  }
  return Object.entries(left).some(([path, text]) => OLD[path] !== text);
}

/** The next life, whose source says this, or nothing at all. */
async function assertRecovers(
  { directory: root, kind, app }: Scene,
  says: Texts | undefined,
): Promise<void> {
  const wasNew = assertOldOrNew(root, kind);
  const clock = new FakeClock();
  app.root = root;
  app.told = 0;
  await using life = new Life({ root, kind, port: app.port, onStart: false, clock });
  if (says !== undefined) life.source.set(says);
  const live = (): Texts => liveTexts(join(root, "live"), kind);
  const isDone = (): boolean => {
    const now = live();
    const isWanted =
      says === undefined
        ? isOld(now) || isNew(now)
        : now === says || JSON.stringify(now) === JSON.stringify(says);
    return (
      isWanted &&
      JSON.stringify(loadedTexts(root)) === JSON.stringify(now) &&
      life.applied !== undefined
    );
  };
  for (let step = 0; !isDone(); step++) {
    const state = {
      live: live(),
      app: loadedTexts(root),
      problems: [...life.problems],
      applied: life.applied,
    };
    assert.ok(
      step < MAX_STEPS,
      `the app does not know what is live: ${JSON.stringify(state).slice(0, 2000)}`,
    );
    await clock.step(100);
    // The gate is a process, and needs time that is real.
    await sleep(1);
  }
  if (says === undefined && wasNew) assert.ok(isNew(live()), "it went back");
  assert.ok(app.told <= (says === undefined ? 1 : 2), `it was told ${app.told} times`);
  const left = readdirSync(join(root, "live")).filter(
    (name) => /new|tmp|prev/.test(name) && name !== "..driftless-files",
  );
  assert.deepEqual(left, [], "something is left over");
  assert.deepEqual(
    readdirSync(join(root, "state")).filter((name) => /\.new$|^candidate-/.test(name)),
    [],
  );
}

/** The source says the new set still, the old one again, or nothing. */
const SAYINGS: readonly (Texts | undefined)[] = [NEW, OLD, undefined];

function saying(number: number): Texts | undefined {
  return SAYINGS[(number + seed) % SAYINGS.length];
}

async function assertAt(where: string, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (err) {
    throw new Error(`${where} (seed ${seed}): ${String(err)}`, { cause: err });
  }
}

interface FaultyCall {
  readonly number: number;
  /** Which calls are counted; all of them, or those of handlers of signals. */
  readonly where?: "" | "handler:";
}

/** One call fails, of a process that has the directory for itself. What became of it, and then of everything. */
async function assertGetsThere(
  { directory, kind, app }: Scene,
  { number, where = "" }: FaultyCall,
): Promise<string> {
  mkdirSync(directory);
  const errno = ERRNOS[number % ERRNOS.length];
  const fault = await traced({ directory, kind, app }, [String(errno), `${where}${number}`]);
  await assertAt(`errno ${errno} at call ${where}${number}, ${fault}`, async () => {
    assert.match(fault, /^(finished$|failed |aborted after failed |killed )/);
    if (!/^(aborted|killed)/.test(fault)) {
      assert.deepEqual(liveTexts(join(directory, "live"), kind), NEW);
      assert.deepEqual(loadedTexts(directory), NEW);
    }
    await assertRecovers({ directory, kind, app }, saying(number));
  });
  rmSync(directory, { recursive: true });
  return fault;
}

for (const kind of ["volume", "files"] as const) {
  describe(`a sidecar with ${kind}`, { timeout: LONG ? 1_800_000 : 240_000 }, () => {
    it("that is killed at any call shows the old set or the new one after its restart, and the app knows which", async (t) => {
      if (!faultAt.ok) return t.skip(faultAt.reason);
      using temp = tempDir();
      await using app = new LifeApp(kind);
      await app.listen();
      mkdirSync(temp.join("run"));
      mkdirSync(temp.join("copies"));
      const first = seed % STEP;
      const how = ["copy", temp.join("run"), temp.join("copies"), String(first), String(STEP)];
      const calls = (await traced({ directory: temp.join("run"), kind, app }, how))
        .split(" ")
        .slice(1);
      const numbers = readdirSync(temp.join("copies"))
        .map(Number)
        .toSorted((a, b) => a - b);
      t.diagnostic(`seed ${seed}: ${numbers.length} of ${calls.length} calls`);
      assert.ok(numbers.length > 5);
      const seen = new Set<boolean>();
      for (const number of numbers) {
        const directory = temp.join("copies", String(number));
        await assertAt(
          `killed at call ${number} of ${calls.length}, ${calls[number - 1]}`,
          async () => {
            seen.add(assertOldOrNew(directory, kind));
            await assertRecovers({ directory, kind, app }, saying(number));
          },
        );
        rmSync(directory, { recursive: true });
      }
      assert.equal(seen.size, 2, "kills before the switch and after it");
      return undefined;
    });

    it("of which any one call fails gets there nevertheless", async (t) => {
      if (!faultAt.ok) return t.skip(faultAt.reason);
      if (process.arch !== "x64") return t.skip("failing a call is implemented for x86-64 only");
      using temp = tempDir();
      await using app = new LifeApp(kind);
      await app.listen();
      for (let number = 1 + (seed % FAILING_STEP); ; number += FAILING_STEP) {
        const directory = temp.join(`run-${number}`);
        const fault = await assertGetsThere({ directory, kind, app }, { number });
        t.diagnostic(`call ${number}: ${fault}`);
        if (fault === "finished" || !LONG) break;
      }
      return undefined;
    });

    it("of which a call in the handler of a signal fails does not wait for its gate for ever", async (t) => {
      if (!faultAt.ok) return t.skip(faultAt.reason);
      if (process.arch !== "x64") return t.skip("failing a call is implemented for x86-64 only");
      using temp = tempDir();
      await using app = new LifeApp(kind);
      await app.listen();
      const faults: string[] = [];
      for (let tries = 0; faults.length < HANDLER_FAULTS.length; tries++) {
        assert.ok(tries < MAX_TRIES, `no signal has come to the main thread: ${faults.join()}`);
        const directory = temp.join(`run-${tries}`);
        const at = { number: faults.length + 1, where: "handler:" } as const;
        const fault = await assertGetsThere({ directory, kind, app }, at);
        // Another thread had the signal.
        if (fault !== "finished") faults.push(fault);
      }
      assert.deepEqual(faults, HANDLER_FAULTS);
      return undefined;
    });
  });
}
