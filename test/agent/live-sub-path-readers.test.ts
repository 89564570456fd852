// G7: readers inside of a container see one whole version or the next, and never an older one than the volume shows, however often it
// is swapped. And readers that are lied to notice it.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { appendFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { promisify } from "node:util";
import { cannotRun } from "../runtime/live-runtime.ts";
import { LONG } from "../support/campaign.ts";
import { LivePod, SHARED } from "./live-pod.ts";
import { OBJECT, Readers, readersArgv, stamped } from "./live-readers.ts";
import { stampedText } from "./stamped.ts";

const SWAPS = LONG ? 100_000 : 10_000;
const none = { missing: 0, underlying: 0, torn: 0, backwards: 0, stale: 0 };

describe("G7 readers of subPath mounts", { skip: cannotRun }, () => {
  it(`find nothing wrong in ${SWAPS} swaps`, async () => {
    const mounts = { "/etc/app/a": "a", "/etc/app/dir": "dir" };
    const paths = { "/etc/app/a": "a", "/etc/app/dir/b": "b" };
    await using pod = await LivePod.start({
      ...{ mounts, argv: readersArgv({ ...paths, "/etc/app//a": "a" }) },
      first: stamped(["a", "b"], 1),
      items: [
        { key: "a", path: "a" },
        { key: "b", path: "dir/b" },
      ],
    });
    const readers = new Readers(pod, 3);
    readers.floor(1);
    await readers.atWork();
    const table = pod.mountTable.length;
    const beganMs = performance.now();
    for (let generation = 2; generation <= SWAPS + 1; generation++) {
      await pod.swap(stamped(["a", "b"], generation));
      readers.floor(generation);
    }
    const ms = performance.now() - beganMs;
    const reports = await readers.reports();
    const reads = reports.reduce((sum, one) => sum + one.reads, 0);
    console.log(`${SWAPS} swaps in ${Math.round(ms)} ms, ${reads} reads`);
    for (const { faults, first, generations } of reports) {
      assert.deepEqual(faults, none, first);
      assert.ok(generations > SWAPS / 1000, `a reader saw only ${generations} versions`);
    }
    assert.equal(pod.mountTable.length, table);
    assert.deepEqual(pod.states, { "/etc/app/a": "live", "/etc/app/dir": "live" });
    assert.deepEqual(pod.events, []);
  });
});

/** Reads a file of the shared directory, or a mount that this test replaces in its own way. */
async function lied(
  path: string,
  lie: (pod: LivePod, readers: Readers) => Promise<void>,
): Promise<Readonly<Record<string, number>>> {
  await using pod = await LivePod.start({
    mounts: { "/etc/app/a": "a" },
    argv: readersArgv({ [path]: "a" }),
    first: stamped(["a"], 1),
    annotations: { "driftless.dev/live-subpath": "false" },
  });
  writeFileSync(join(pod.shared, "a"), stampedText({ object: OBJECT, key: "a", generation: 1 }));
  const readers = new Readers(pod, 1);
  readers.floor(1);
  await readers.atWork();
  await lie(pod, readers);
  const [report] = await readers.reports();
  return report?.faults ?? {};
}

describe("a reader of a subPath mount notices", { skip: cannotRun }, () => {
  const text = (generation: number): string =>
    stampedText({ object: OBJECT, key: "a", generation });

  it("what is below a mount that is taken away and mounted anew", async () => {
    const faults = await lied("/etc/app/a", async (pod, readers) => {
      const script = `until [ -e ${SHARED}/enough ]; do umount /etc/app/a; mount --bind ${SHARED}/a /etc/app/a; done`;
      const args = ["-t", String(pod.pid), "-m", "-p", "--root", "--wd", "--", "sh", "-c", script];
      const mounting = promisify(execFile)("nsenter", args);
      // However seldom it comes to read.
      await Promise.race([readers.atWork(), mounting]);
      writeFileSync(join(pod.shared, "enough"), "");
      await mounting;
    });
    assert.ok((faults["underlying"] ?? 0) > 0, JSON.stringify(faults));
  });

  it("a file that is written in place", async () => {
    const faults = await lied(`${SHARED}/a`, async (pod, readers) => {
      const path = join(pod.shared, "a");
      let isEnough = false;
      const reading = readers.atWork().finally(() => {
        isEnough = true;
      });
      for (let i = 0; !isEnough; i++) {
        const all = text(1 + i * 29);
        writeFileSync(path, all.slice(0, 50));
        appendFileSync(path, all.slice(50));
        if (i % 100 === 0) await turn();
      }
      await reading;
    });
    assert.ok((faults["torn"] ?? 0) + (faults["underlying"] ?? 0) > 0, JSON.stringify(faults));
  });

  it("a file that is missing", async () => {
    const faults = await lied(`${SHARED}/a`, async (pod) => {
      rmSync(join(pod.shared, "a"));
    });
    assert.ok((faults["missing"] ?? 0) > 0, JSON.stringify(faults));
  });

  it("a mount that is not replaced when the volume was", async () => {
    const faults = await lied("/etc/app/a", async (pod, readers) => {
      await pod.swap(stamped(["a"], 2));
      readers.floor(2);
    });
    assert.ok((faults["stale"] ?? 0) > 0, JSON.stringify(faults));
  });

  it("a file that goes back", async () => {
    const faults = await lied(`${SHARED}/a`, async (pod, readers) => {
      for (const generation of [5, 1]) {
        writeFileSync(join(pod.shared, "b"), text(generation));
        renameSync(join(pod.shared, "b"), join(pod.shared, "a"));
        await readers.atWork();
      }
    });
    assert.ok((faults["backwards"] ?? 0) > 0, JSON.stringify(faults));
  });
});
