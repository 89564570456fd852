// What `durable` means: after a power cut, the last version that was reported as written is there,
// whole. The cut is real as far as the file system can tell: it is mounted again from what had reached its disk.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { describe, it } from "node:test";
import type { Payload } from "../../src/files/payload.ts";
import { payloadOf, testWriter } from "../../src/files/testing/test-writer.ts";
import {
  assertExactly,
  differenceTo,
  readThroughData,
} from "../../src/files/testing/volume-checks.ts";
import { LONG } from "../support/campaign.ts";
import { type LoopDisk, loopDisk } from "../support/loop-disk.ts";

const ROUNDS = LONG ? 100 : 10;

function version(round: number): Payload {
  const files: Record<string, string> = { "app.yaml": `round ${round}\n`.repeat(100) };
  for (let i = 0; i <= round % 4; i++) files[`conf.d/${i}.conf`] = `${round} ${i}\n`.repeat(1000);
  if (round % 3 === 0) files[`only-${round}`] = "here";
  return payloadOf(files);
}

/** Rounds in which the version that was reported as written was not there after the cut. */
function lostRounds(disk: LoopDisk, durable: boolean): number {
  let lost = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const volume = `${disk.path}/volume-${durable}-${round}`;
    execFileSync("mkdir", [volume]);
    execFileSync("sync", ["-f", disk.path]); // The volume's directory itself is the caller's to sync.
    testWriter(volume, { durable }).write(version(round));
    testWriter(volume, { durable }).write(version(round + 1));

    disk.cutPower();
    disk.restorePower();

    if (!isWhole(volume, version(round + 1))) lost++;
    testWriter(volume, { durable }).write(version(round + 2), { verify: "deep" });
    assertExactly(volume, version(round + 2));
  }
  return lost;
}

function isWhole(volume: string, payload: Payload): boolean {
  if (!readdirSync(volume).includes("..data")) return false;
  try {
    return differenceTo(payload, readThroughData(volume)) === undefined;
  } catch {
    return false; // A file that `..data` promises is not there.
  }
}

describe("AtomicWriter and a power cut", () => {
  it("Z15 has the last durable version whole after every power cut", async (t) => {
    using disk = await loopDisk();
    if (!("path" in disk)) return t.skip(disk.reason);

    assert.equal(lostRounds(disk, true), 0);
    return undefined;
  });

  it("is able to fail: without durable the same cuts lose versions, and the next write heals them", async (t) => {
    using disk = await loopDisk();
    if (!("path" in disk)) return t.skip(disk.reason);

    const lost = lostRounds(disk, false);

    t.diagnostic(`${lost} of ${ROUNDS} versions lost without durable`);
    assert.ok(lost > 0);
    return undefined;
  });
});
