import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { MountThread } from "../../src/mounts/mount-thread.ts";
import { MountStand } from "./mount-stand.ts";

const isRoot = process.getuid?.() === 0;

describe("MountThread", { skip: isRoot ? false : "mounts need root here" }, () => {
  it("replaces a file and a directory, and leaves the mount table as it was", async () => {
    await using thread = new MountThread(systemClock);
    await using stand = await MountStand.start({
      mounts: { "a.conf": "a.conf", deep: "deep" },
      first: { "a.conf": "one", "deep/b": "one" },
    });
    const before = stand.mountTable.length;
    assert.deepEqual(
      await thread.replace(stand.request),
      new Map([
        ["a.conf", { kind: "same", isEmpty: false }],
        ["deep", { kind: "same", isEmpty: false }],
      ]),
    );
    stand.swap({ "a.conf": "two", "deep/b": "two" });
    const outcomes = await thread.replace(stand.request);
    assert.deepEqual(
      [...(outcomes?.values() ?? [])].map(({ kind }) => kind),
      ["replaced", "replaced"],
    );
    assert.deepEqual([stand.shows("a.conf"), stand.shows("deep/b")], ["two", "two"]);
    assert.equal(stand.mountTable.length, before);
    assert.throws(() => stand.inside("sh", "-c", "echo x > /etc/app/a.conf"), /Read-only/);
  });
});
