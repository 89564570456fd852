// G7: a privileged container of our own runtime that does to its mounts what it can. What it sees is its own affair; nothing of it reaches
// anything else, people are told, and it follows again when it has put things right.

import assert from "node:assert/strict";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { cannotRun } from "../runtime/live-runtime.ts";
import { mountsSeen } from "../support/mounts-seen.ts";
import { LivePod, SHARED } from "./live-pod.ts";

const path = "/etc/app/a.conf";

/** It runs what it finds in the directory that it shares with the test: with its own rights, not with ours. */
const obedient = `while :; do
  if [ -e ${SHARED}/do ]; then
    sh -e ${SHARED}/do > ${SHARED}/said 2>&1 && echo done >> ${SHARED}/said
    rm ${SHARED}/do
  fi
  sleep 0.01
done`;

function start(): Promise<LivePod> {
  return LivePod.start({
    mounts: { [path]: "a" },
    first: { a: "one" },
    argv: ["sh", "-c", obedient],
    isPrivileged: true,
  });
}

async function does(pod: LivePod, script: string): Promise<void> {
  const order = join(pod.shared, "do");
  writeFileSync(`${order}.tmp`, script);
  rmSync(join(pod.shared, "said"), { force: true });
  renameSync(`${order}.tmp`, order);
  while (existsSync(order)) {
    assert.ok(!pod.hasEnded, pod.output);
    await sleep(5);
  }
  assert.match(readFileSync(join(pod.shared, "said"), "utf8"), /done\n$/);
}

describe("G7 a privileged container", { skip: cannotRun }, () => {
  it("that mounts something over the file keeps it, is told of, and follows again when it is undone", async () => {
    await using pod = await start();
    await using neighbour = await LivePod.start({ mounts: { [path]: "a" }, first: { a: "one" } });
    const before = mountsSeen(pod.directories);
    await does(pod, `echo mine > /tmp/mine.$$; mount --bind /tmp/mine.$$ ${path}; rm /tmp/mine.$$`);
    await pod.swap({ a: "two" });
    await pod.refresh();
    assert.equal(pod.shows(path), "mine\n");
    assert.deepEqual(pod.states, { [path]: "behind covered" });
    assert.deepEqual(
      pod.events.map(({ reason, message }) => [
        reason,
        /something is mounted over it/.test(message),
      ]),
      [["SubPathNotReplaced", true]],
    );
    await neighbour.swap({ a: "two" });
    assert.equal(neighbour.shows(path), "two");
    await does(pod, `umount ${path}`);
    await pod.refresh();
    assert.equal(pod.shows(path), "two");
    assert.deepEqual(pod.states, { [path]: "live" });
    assert.deepEqual(mountsSeen(pod.directories), before);
  });

  it("that renames the directory and puts a trap in its place has nothing mounted in the trap", async () => {
    await using pod = await start();
    const before = mountsSeen(pod.directories);
    await does(
      pod,
      `mv /etc/app /etc/moved; mkdir ${SHARED}/trap; echo trap > ${SHARED}/trap/a.conf; mkdir /etc/app; mount --bind ${SHARED}/trap /etc/app`,
    );
    await pod.swap({ a: "two" });
    assert.equal(pod.shows(path), "trap\n");
    assert.equal(readFileSync(join(pod.shared, "trap", "a.conf"), "utf8"), "trap\n");
    assert.equal(pod.shows("/etc/moved/a.conf"), "two");
    await does(pod, "umount /etc/app; rmdir /etc/app; mv /etc/moved /etc/app");
    await pod.swap({ a: "three" });
    assert.equal(pod.shows(path), "three");
    assert.deepEqual(pod.states, { [path]: "live" });
    assert.deepEqual(mountsSeen(pod.directories), before);
  });

  it("that puts a link to elsewhere in place of the directory, and covers what it has renamed, has nothing replaced", async () => {
    await using pod = await start();
    const before = mountsSeen(pod.directories);
    await does(
      pod,
      `mv /etc/app /etc/moved; mkdir ${SHARED}/trap; echo trap > ${SHARED}/trap/a.conf; ln -s ${SHARED}/trap /etc/app; mount -t tmpfs tmpfs /etc/moved`,
    );
    await pod.swap({ a: "two" });
    assert.deepEqual(pod.states, { [path]: "behind covered" });
    assert.equal(readFileSync(join(pod.shared, "trap", "a.conf"), "utf8"), "trap\n");
    assert.equal(pod.inside("ls", "/etc/moved"), "");
    await does(pod, "umount /etc/moved; rm /etc/app; mv /etc/moved /etc/app");
    await pod.refresh();
    assert.equal(pod.shows(path), "two");
    assert.deepEqual(pod.states, { [path]: "live" });
    assert.deepEqual(mountsSeen(pod.directories), before);
  });

  it("that moves the mount elsewhere, or takes it away, gets nothing mounted where it was", async () => {
    await using pod = await start();
    const before = mountsSeen(pod.directories);
    await does(pod, `touch /tmp/elsewhere; mount --move ${path} /tmp/elsewhere`);
    await pod.swap({ a: "two" });
    assert.equal(pod.shows("/tmp/elsewhere"), "two");
    assert.equal(pod.shows(path), "");
    await does(pod, "umount /tmp/elsewhere; rm /tmp/elsewhere");
    await pod.swap({ a: "three" });
    assert.equal(pod.shows(path), "");
    assert.deepEqual(pod.states, { [path]: "behind gone" });
    await pod.restartContainer();
    assert.equal(pod.shows(path), "three");
    assert.deepEqual(mountsSeen(pod.directories), before);
  });
});
