import assert from "node:assert/strict";
import { renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { type FileListener, systemEnvironment } from "../src/environment.js";
import { OncePerTurn } from "../src/once-per-turn.js";
import { eventually, open, passMs, temporaryDirectory } from "./situation.ts";
import { VolumeWriter } from "./volume-writer.ts";

type Texts = Readonly<Record<string, string>>;

/** A watch whose events come from the test alone, and which counts how often it reads. */
async function situation(t: TestContext) {
  const volume = new VolumeWriter(join(temporaryDirectory(t), "config"));
  volume.write({ key: "0" });
  const listeners = new Map<string, FileListener>();
  let reads = 0;
  const { watch, errors } = await open<Texts>(t, volume.directory, {
    environment: {
      watch: (path, listener) => {
        listeners.set(path, listener);
        return () => {};
      },
      // Asked once per snapshot; there is no debounce here.
      now: () => {
        reads += 1;
        return systemEnvironment.now();
      },
    },
  });
  reads = 0;
  const event = (name = "..data") => listeners.get(volume.directory)?.event(name);
  return { volume, watch, errors, event, reads: () => reads };
}

describe("a storm of swaps", () => {
  it("of which all events come at once causes one read, not one per event", async (t) => {
    const { volume, watch, event, reads } = await situation(t);
    volume.write({ key: "last" });
    for (let n = 0; n < 1000; n += 1) event();
    await eventually("it is current", () => watch.current["key"] === "last");
    await passMs(5);
    assert.equal(reads(), 1);
  });

  it("that goes on during its events causes at most one read per turn", async (t) => {
    const { volume, watch, event, reads } = await situation(t);
    for (let n = 1; n <= 1000; n += 1) {
      // A new link each time, so that each event has something to tell.
      symlinkSync("..elsewhere", join(volume.directory, "..data_tmp"));
      renameSync(join(volume.directory, "..data_tmp"), join(volume.directory, "..data"));
      if (n === 1 || n === 1000) volume.write({ key: String(n) });
      event();
    }
    assert.ok(reads() <= 1, `${reads()} reads in one turn`);
    await eventually("the last is current", () => watch.current["key"] === "1000");
    await passMs(5);
    assert.ok(reads() <= 3, `${reads()} reads`);
  });

  it("is not read again when the link is as it was at the last read", async (t) => {
    const { volume, watch, event, reads } = await situation(t);
    event();
    await passMs(1);
    assert.equal(reads(), 0);
    volume.write({ key: "1" });
    event();
    await eventually("1 is current", () => watch.current["key"] === "1");
    event();
    await passMs(1);
    assert.equal(reads(), 1);
  });

  it("reacts to a single swap within the event, without waiting for anything", async (t) => {
    const { volume, event, reads } = await situation(t);
    volume.write({ key: "1" });
    event();
    assert.equal(reads(), 1);
  });

  it("lets timers run while it lasts", async (t) => {
    const volume = new VolumeWriter(join(temporaryDirectory(t), "config"));
    volume.write({ key: "0" });
    const { watch } = await open<Texts>(t, volume.directory);
    let isOver = false;
    let turns = 0;
    const writing = (async () => {
      for (let n = 1; !isOver; n += 1) {
        for (let burst = 0; burst < 20; burst += 1) volume.write({ key: `${n}.${burst}` });
        turns += 1;
        await new Promise<void>((resolve) => systemEnvironment.soon(resolve));
      }
    })();
    for (let ticks = 0; ticks < 10; ticks += 1) await passMs(1);
    isOver = true;
    await writing;
    assert.ok(turns > 0);
    const last = `${turns}.19`;
    await eventually("the last is current", () => watch.current["key"] === last);
  });

  it("still finds another event among those of ..data", async (t) => {
    const { volume, watch, event } = await situation(t);
    const successor = new VolumeWriter(`${volume.directory}-new`);
    successor.write({ key: "successor" });
    event();
    event("config");
    renameSync(volume.directory, `${volume.directory}-old`);
    renameSync(successor.directory, volume.directory);
    event();
    await eventually("the successor is current", () => watch.current["key"] === "successor");
  });
});

describe("OncePerTurn", () => {
  it("runs at once, and once more in the next turn when it was hit again", () => {
    const turns: (() => void)[] = [];
    let runs = 0;
    const once = new OncePerTurn({ soon: (run) => void turns.push(run) }, () => {
      runs += 1;
    });
    const nextTurn = () => turns.shift()?.();
    once.hit();
    assert.equal(runs, 1);
    once.hit();
    once.hit();
    assert.equal(runs, 1);
    nextTurn();
    assert.equal(runs, 2);
    once.hit();
    assert.equal(runs, 2, "the second run has used up its turn as well");
    nextTurn();
    assert.equal(runs, 3);
    nextTurn();
    assert.equal(runs, 3);
    assert.equal(turns.length, 0);
    once.hit();
    assert.equal(runs, 4);
  });
});
