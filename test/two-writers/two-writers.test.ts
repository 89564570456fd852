// Z16. One volume has one writer; but when two run by mistake, the volume must never go bad.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { payloadOf, testWriter } from "../../src/files/testing/test-writer.ts";
import { assertExactly } from "../../src/files/testing/volume-checks.ts";
import { WriteError } from "../../src/files/write-error.ts";
import { selfDescribing } from "../crash/scenarios.ts";
import { LONG } from "../support/campaign.ts";

const WRITER = fileURLToPath(new URL("writer-child.ts", import.meta.url));
const READER = fileURLToPath(new URL("../crash/reader-child.ts", import.meta.url));
const SNAPSHOTS = LONG ? 500_000 : 20_000;

function start(
  program: string,
  ...args: string[]
): { child: ChildProcess; stop(): Promise<unknown> } {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  let printed = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  const closed = new Promise((resolve) => child.once("close", resolve));
  return {
    child,
    async stop() {
      child.stdin?.end();
      await closed;
      return JSON.parse(printed) as unknown;
    },
  };
}

interface Seen {
  readonly whole: number;
  readonly bad: readonly string[];
}

interface Endings {
  readonly written: number;
  readonly refused: number;
  readonly other: readonly string[];
}

describe("two writers on one volume", () => {
  it("are told of each other, and never take a version from a reader", async (t) => {
    using temp = tempDir();
    const volume = temp.join("volume");
    mkdirSync(volume);
    testWriter(volume).write(selfDescribing(0));
    let snapshots = 0;
    const writers = [start(WRITER, volume, "1000000"), start(WRITER, volume, "2000000")];
    const bad: string[] = [];

    while (snapshots < SNAPSHOTS) {
      const reader = start(READER, volume);
      await new Promise((resolve) => setTimeout(resolve, 500));
      const seen = (await reader.stop()) as Seen;
      snapshots += seen.whole;
      bad.push(...seen.bad);
    }
    const endings = (await Promise.all(writers.map((writer) => writer.stop()))) as Endings[];

    t.diagnostic(`${snapshots} snapshots; ${JSON.stringify(endings)}`);
    assert.deepEqual(bad, []);
    assert.deepEqual(
      endings.flatMap((ending) => ending.other),
      [],
    );
    assert.ok(
      endings.every((ending) => ending.written > 0),
      "both wrote",
    );
    assert.ok(
      endings.some((ending) => ending.refused > 0),
      "and at least one was refused",
    );
    const last = payloadOf({ after: "all" });
    testWriter(volume).write(last);
    assertExactly(volume, last);
  });

  for (const keepPreviousMs of [0, 60_000]) {
    it(`names the process in its way, and takes over when that one is dead, with ${keepPreviousMs} ms of grace`, async () => {
      using temp = tempDir();
      const stopped = start(READER, temp.path);
      assert.ok(stopped.child.pid);
      const self = await identityOf(stopped.child.pid);
      const name = "..2030_01_01_00_00_00.1";
      const { createVersion } = await import("../../src/files/version-directory.ts");
      const payload = payloadOf({ a: "1" });
      createVersion({
        directory: temp.path,
        name,
        payload,
        writer: self,
        fsGroup: undefined,
        durable: false,
      });

      assert.throws(
        () => testWriter(temp.path, { keepPreviousMs }).write(payload),
        (err) =>
          err instanceof WriteError &&
          err.message.includes(`process ${self.pid} is writing this volume too`),
      );
      await stopped.stop();

      testWriter(temp.path).write(payload);
      assertExactly(temp.path, payload);
    });
  }

  it("is refused by the name alone when the other one has made no more than its directory", async () => {
    using temp = tempDir();
    const other = start(READER, temp.path);
    assert.ok(other.child.pid);
    await identityOf(other.child.pid);
    await new Promise((resolve) => setTimeout(resolve, 100)); // So that it is older than the directory.
    mkdirSync(temp.join(`..2030_01_01_00_00_00.${(other.child.pid % 2 ** 22) * 1024}`));
    symlinkSync(
      `..2030_01_01_00_00_00.${(other.child.pid % 2 ** 22) * 1024}`,
      temp.join("..data_tmp"),
    );

    assert.throws(
      () => testWriter(temp.path).write(payloadOf({ a: "1" })),
      /is writing this volume too/,
    );
    await other.stop();

    testWriter(temp.path).write(payloadOf({ a: "1" }));
    assertExactly(temp.path, payloadOf({ a: "1" }));
  });
});

async function identityOf(
  pid: number,
): Promise<{ bootId: string; pid: number; startTicks: number }> {
  const { readFile } = await import("node:fs/promises");
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const bootId = await readFile("/proc/sys/kernel/random/boot_id", "utf8");
  const startTicks = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
  return { bootId: bootId.trim(), pid, startTicks };
}
