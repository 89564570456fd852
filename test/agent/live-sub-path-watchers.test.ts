// G7: programs inside of a container that watch a file which is mounted with subPath hear of every last version.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { cannotRun } from "../runtime/live-runtime.ts";
import { LivePod, type LivePodOptions } from "./live-pod.ts";

const program = new URL("./live-watcher.ts", import.meta.url).pathname;
const path = "/etc/app/a.conf";
const BURSTS = 5;
const BURST = 4;

function watched(way: string, options: Partial<LivePodOptions> = {}): Promise<LivePod> {
  return LivePod.start({
    mounts: { [path]: "a" },
    first: { a: "first" },
    argv: [process.execPath, program, way, path],
    env: [["DRIFTLESS_LIVE_SUBPATHS", JSON.stringify([path])]],
    ...options,
  });
}

/** A watcher that does not hear of it hangs the test. */
async function said(pod: LivePod, text: string): Promise<void> {
  while (pod.output.trim().split("\n").at(-1) !== text) {
    assert.ok(!pod.hasEnded, pod.output);
    await sleep(5);
  }
}

async function changeOften(pod: LivePod): Promise<void> {
  await said(pod, "first");
  for (let burst = 1; burst <= BURSTS; burst++) {
    for (let i = 1; i <= BURST; i++) await pod.swap({ a: `${burst}.${i}` });
    await said(pod, `${burst}.${BURST}`);
  }
}

describe("G7 a watcher of a subPath mount", { skip: cannotRun }, () => {
  it("by the file sees every last version", async () => {
    await using pod = await watched("file");
    await changeOften(pod);
  });

  it("by the directory sees every last version", async () => {
    await using pod = await watched("directory");
    await changeOften(pod);
  });

  it("by the directory of a root that is read-only sees every last version", async () => {
    await using pod = await watched("directory", { isRootReadOnly: true });
    await changeOften(pod);
  });

  it("by the library sees every last version, and is not warned", async () => {
    await using pod = await watched("library");
    await changeOften(pod);
    assert.doesNotMatch(pod.output, /warning/);
  });

  it("leaves the file that the mount hides as it was", async () => {
    await using pod = await watched("directory");
    await changeOften(pod);
    // The watcher may look once more at this moment.
    pod.inside("umount", "--lazy", path);
    assert.equal(pod.inside("stat", "-c", "%s", path), "0\n");
  });
});
