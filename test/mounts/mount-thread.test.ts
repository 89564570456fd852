import assert from "node:assert/strict";
import { closeSync, constants, openSync } from "node:fs";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../src/base/clock.ts";
import { isErrno } from "../../src/base/errors.ts";
import { FakeClock } from "../../src/base/testing/fake-clock.ts";
import { MountThread } from "../../src/mounts/mount-thread.ts";
import { makeFifo } from "../../src/mounts/system-calls.ts";
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

  it("gives up one that hangs, and serves those who wait behind it with another thread", async () => {
    const clock = new FakeClock();
    await using thread = new MountThread(clock);
    await using stand = await MountStand.start({
      mounts: { "a.conf": "a.conf" },
      first: { "a.conf": "one" },
    });
    stand.swap({ "a.conf": "two" });
    const fifo = `${stand.directory}/fifo`;
    makeFifo(fifo, 0o600);
    const hanging = thread.replace({ ...stand.request, record: fifo });
    const behind = thread.replace(stand.request);
    using _writer = await writerWhoSaysNothing(fifo);
    void clock.step(30_000);
    await assert.rejects(hanging, /did not answer/);
    assert.equal((await behind)?.get("a.conf")?.kind, "replaced");
    assert.equal(stand.shows("a.conf"), "two");
  });
});

/** Settles when somebody reads, who then waits for as long as this is there. */
async function writerWhoSaysNothing(fifo: string): Promise<Disposable> {
  for (;;) {
    try {
      const fd = openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
      return { [Symbol.dispose]: () => closeSync(fd) };
    } catch (err) {
      if (!isErrno(err, "ENXIO")) throw err;
      await sleep(5);
    }
  }
}
