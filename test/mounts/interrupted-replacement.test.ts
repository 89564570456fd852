// The process that replaces mounts is killed after each of its steps. What the container sees is whole at any time, and whoever
// comes next finishes what was begun.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { MountThread } from "../../src/mounts/mount-thread.ts";
import { MountStand, PLACES } from "./mount-stand.ts";

const child = new URL("./replacing-child.ts", import.meta.url).pathname;
const isRoot = process.getuid?.() === 0;

/** Of replace-mounts.ts, with what is seen after it. */
const STEPS: readonly [step: number, seen: "old" | "new", mounts: number][] = [
  [2, "old", 1],
  [3, "old", 1],
  [4, "old", 1],
  [5, "old", 1],
  [6, "old", 2],
  [7, "old", 2],
  [8, "new", 1],
  [9, "new", 1],
  [10, "new", 1],
  [11, "new", 1],
  [12, "new", 1],
];

function replaceUntil(stand: MountStand, step: number): void {
  const { signal, stderr } = spawnSync(
    process.execPath,
    [child, JSON.stringify(stand.request), String(step)],
    { encoding: "utf8" },
  );
  assert.equal(signal, "SIGKILL", stderr);
}

function startStand(): Promise<MountStand> {
  return MountStand.start({
    mounts: { "a.conf": "a.conf", deep: "deep" },
    first: { "a.conf": "old", "deep/b": "old" },
  });
}

const fresh = { "a.conf": "new", "deep/b": "new" };
const newest = { "a.conf": "newest", "deep/b": "newest" };

describe("a replacement", { skip: isRoot ? false : "mounts need root here" }, () => {
  for (const [step, seen, mounts] of STEPS) {
    it(`that is killed after step ${step} is finished by the next`, async () => {
      await using stand = await startStand();
      await using thread = new MountThread(systemClock);
      const shown = (): readonly string[] => [stand.shows("a.conf"), stand.shows("deep/b")];
      stand.swap(fresh, { keepsOld: true });
      replaceUntil(stand, step);
      assert.deepEqual(shown(), [seen, seen]);
      assert.deepEqual(
        ["a.conf", "deep"].map((name) => stand.mountsAt(`${PLACES}/${name}`)),
        [mounts, mounts],
      );

      const outcomes = await thread.replace(stand.request);
      assert.ok([...(outcomes?.values() ?? [])].every(({ kind }) => kind !== "behind"));
      assert.deepEqual(shown(), ["new", "new"]);
      assert.deepEqual(
        ["a.conf", "deep"].map((name) => stand.mountsAt(`${PLACES}/${name}`)),
        [1, 1],
      );
      stand.swap(newest);
      await thread.replace(stand.request);
      assert.deepEqual(shown(), ["newest", "newest"]);
    });
  }

  it("that is killed in its middle, and then once more while it is finished, is finished by the third", async () => {
    await using stand = await startStand();
    await using thread = new MountThread(systemClock);
    stand.swap(fresh, { keepsOld: true });
    replaceUntil(stand, 6);
    stand.swap(newest, { keepsOld: true });
    replaceUntil(stand, 1);
    assert.equal(stand.shows("a.conf"), "new");
    await thread.replace(stand.request);
    assert.equal(stand.shows("a.conf"), "newest");
    assert.equal(stand.mountsAt(`${PLACES}/a.conf`), 1);
  });

  it("that is killed in its middle is finished also if the key is gone meanwhile", async () => {
    await using stand = await startStand();
    await using thread = new MountThread(systemClock);
    stand.swap(fresh, { keepsOld: true });
    replaceUntil(stand, 7);
    stand.swap({ other: "1" });
    const outcomes = await thread.replace(stand.request);
    assert.equal(outcomes?.get("a.conf")?.kind, "behind");
    assert.equal(stand.shows("a.conf"), "new");
    assert.equal(stand.mountsAt(`${PLACES}/a.conf`), 1);
    assert.equal(stand.inside("ls", `${PLACES}/deep`), "");
  });

  it("that is killed while it replaces the mount of our own leaves nothing there that the next does not take away", async () => {
    await using stand = await startStand();
    await using thread = new MountThread(systemClock);
    using own = stand.mountOwn("a.conf");
    stand.swap(fresh, { keepsOld: true });
    replaceUntil(stand, 11);
    assert.deepEqual([own.count, readFileSync(own.path, "utf8")], [2, "old"]);
    await thread.replace(stand.request);
    assert.deepEqual([own.count, readFileSync(own.path, "utf8")], [1, "new"]);
    stand.swap(newest);
    await thread.replace(stand.request);
    await thread[Symbol.asyncDispose]();
    assert.deepEqual([own.count, readFileSync(own.path, "utf8")], [1, "newest"]);
  });

  it("whose mount came above the old one, since the place was covered at that moment, takes it away again", async () => {
    await using stand = await startStand();
    await using thread = new MountThread(systemClock);
    stand.swap(fresh, { keepsOld: true });
    const place = `${PLACES}/a.conf`;
    stand.inside("sh", "-c", `echo between > /tmp/between; mount --bind /tmp/between ${place}`);
    stand.noteNext("a.conf");
    stand.inside("sh", "-c", `echo mine > /tmp/mine; mount --bind /tmp/mine ${place}`);
    const covered = await thread.replace(stand.request);
    assert.equal(covered?.get("a.conf")?.kind, "behind");
    assert.equal(stand.shows("a.conf"), "mine\n");
    stand.inside("umount", place);
    const outcomes = await thread.replace(stand.request);
    assert.equal(outcomes?.get("a.conf")?.kind, "replaced");
    assert.equal(stand.shows("a.conf"), "new");
    assert.equal(stand.mountsAt(place), 1);
  });
});
