// Containers that do to their mounts what they can. What they see is their own affair; nothing of it may reach anything else.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { MountThread } from "../../src/mounts/mount-thread.ts";
import { identify } from "../../src/mounts/process-calls.ts";
import type { ReplaceOutcome } from "../../src/mounts/replace-mounts.ts";
import { mountsSeen } from "../support/mounts-seen.ts";
import { MountStand, PLACES } from "./mount-stand.ts";

const isRoot = process.getuid?.() === 0;
const place = `${PLACES}/a.conf`;

function startStand(mounts: Readonly<Record<string, string>> = { "a.conf": "a.conf" }) {
  return MountStand.start({ mounts, first: { "a.conf": "one", "deep/b": "one" } });
}

function reasonOf(outcome: ReplaceOutcome | undefined): string | undefined {
  return outcome?.kind === "behind" ? outcome.reason : outcome?.kind;
}

describe("a container", { skip: isRoot ? false : "mounts need root here" }, () => {
  it("that renames the directory of a mount finds it up to date at its new place", async () => {
    await using stand = await startStand();
    await using thread = new MountThread(systemClock);
    stand.inside("mv", PLACES, "/etc/moved");
    stand.swap({ "a.conf": "two" });
    const outcomes = await thread.replace(stand.request);
    assert.equal(reasonOf(outcomes?.get("a.conf")), "replaced");
    assert.equal(stand.inside("cat", "/etc/moved/a.conf"), "two");
  });

  it("that puts a link to elsewhere where the directory was has nothing replaced there", async () => {
    await using stand = await startStand();
    await using thread = new MountThread(systemClock);
    const script = `mv ${PLACES} /etc/moved && mkdir /tmp/trap && echo trap > /tmp/trap/a.conf && ln -s /tmp/trap ${PLACES}`;
    stand.inside("sh", "-c", script);
    stand.swap({ "a.conf": "two" });
    await thread.replace(stand.request);
    assert.equal(stand.inside("cat", "/tmp/trap/a.conf"), "trap\n");
    assert.equal(stand.mountsAt("/tmp/trap/a.conf"), 0);
    assert.equal(stand.inside("cat", "/etc/moved/a.conf"), "two");
  });

  it("that mounts something over the file keeps it, and finds the newest below it", async () => {
    await using stand = await startStand();
    await using thread = new MountThread(systemClock);
    stand.inside("sh", "-c", `echo mine > /tmp/mine; mount --bind /tmp/mine ${place}`);
    stand.swap({ "a.conf": "two" }, { keepsOld: true });
    const outcomes = await thread.replace(stand.request);
    assert.equal(reasonOf(outcomes?.get("a.conf")), "covered");
    assert.equal(stand.shows("a.conf"), "mine\n");
    assert.equal(stand.mountsAt(place), 2);
    stand.inside("umount", place);
    const again = await thread.replace(stand.request);
    assert.equal(reasonOf(again?.get("a.conf")), "replaced");
    assert.equal(stand.shows("a.conf"), "two");
  });

  it("that mounts something over the directory keeps it, and finds the newest below it", async () => {
    await using stand = await startStand();
    await using thread = new MountThread(systemClock);
    stand.inside("mount", "-t", "tmpfs", "tmpfs", "/etc");
    stand.swap({ "a.conf": "two" });
    const outcomes = await thread.replace(stand.request);
    assert.equal(reasonOf(outcomes?.get("a.conf")), "covered");
    stand.inside("umount", "/etc");
    await thread.replace(stand.request);
    assert.equal(stand.shows("a.conf"), "two");
  });

  it("that mounts something inside of a directory keeps both", async () => {
    await using stand = await startStand({ deep: "deep" });
    await using thread = new MountThread(systemClock);
    stand.inside("sh", "-c", `echo mine > /tmp/mine; mount --bind /tmp/mine ${PLACES}/deep/b`);
    stand.swap({ "deep/b": "two" }, { keepsOld: true });
    const outcomes = await thread.replace(stand.request);
    assert.equal(reasonOf(outcomes?.get("deep")), "nested");
    assert.equal(stand.shows("deep/b"), "mine\n");
  });

  it("that takes the mount away sees what is below, and gets nothing mounted elsewhere", async () => {
    await using stand = await startStand();
    await using thread = new MountThread(systemClock);
    stand.inside("umount", place);
    stand.swap({ "a.conf": "two" });
    // Mounts that are new may have the number of the one that is gone.
    stand.inside(
      "sh",
      "-c",
      "mkdir /tmp/x && for i in 1 2 3 4; do mount -t tmpfs tmpfs /tmp/x; done",
    );
    const before = stand.mountTable;
    const outcomes = await thread.replace(stand.request);
    assert.match(reasonOf(outcomes?.get("a.conf")) ?? "", /gone|covered|failed/);
    assert.equal(stand.shows("a.conf"), "hidden\n");
    assert.deepEqual(stand.mountTable, before);
  });

  it("that is gone gets no answer, and leaves our own mounts as they are", async () => {
    await using thread = new MountThread(systemClock);
    await using stand = await startStand();
    const own = mountsSeen([stand.directory]);
    stand.swap({ "a.conf": "two" });
    await stand.end();
    const { request } = stand;
    assert.equal(await thread.replace(request), undefined);
    // Its number is somebody else's now: of a process that has our own mounts.
    const self = identify("self");
    assert.ok(self !== undefined);
    assert.equal(await thread.replace({ ...request, process: self }), undefined);
    assert.deepEqual(mountsSeen([stand.directory]), own);
  });
});
