// What `durable` means: after a power cut, the last version that was reported as written is there,
// whole. The cut is real as far as the file system can tell: an ext4 on a loop device is shut down
// without a flush, and mounted again.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, truncateSync, writeFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import type { Payload } from "../../src/files/payload.ts";
import { payloadOf, testWriter } from "../../src/files/testing/test-writer.ts";
import {
  assertExactly,
  differenceTo,
  readThroughData,
} from "../../src/files/testing/volume-checks.ts";
import { ensureDebianPackages } from "../../tools/debian.ts";
import { type Built, buildC } from "../support/c-program.ts";
import { LONG } from "../support/campaign.ts";

const ROUNDS = LONG ? 100 : 10;

let cut: Built;

before(async () => {
  const mkfs = await ensureDebianPackages([{ command: "mkfs.ext4", package: "e2fsprogs" }]);
  cut = mkfs.ok
    ? await buildC(fileURLToPath(new URL("../support/fs-shutdown.c", import.meta.url)))
    : mkfs;
});

interface Disk extends Disposable {
  readonly path: string;
  /** Loses what was not synced, and mounts what is left. */
  cutPower(): void;
}

function loopDisk(shutdown: string): Disk | { readonly reason: string; [Symbol.dispose](): void } {
  const temp = tempDir();
  const image = temp.join("image");
  const umount = (): void => {
    execFileSync("umount", [temp.join("mount")]);
  };
  // A mount namespace that another process made meanwhile has a copy of our mount, and while it lives a
  // new mount is the same dead file system again.
  const mount = (triesLeft = 200): void => {
    execFileSync("mount", ["-o", "loop", image, temp.join("mount")], { stdio: "pipe" });
    if (isAlive(temp.join("mount")) || triesLeft === 0) return;
    umount();
    execFileSync("sleep", ["0.1"]);
    mount(triesLeft - 1);
  };
  try {
    temp.write({ "mount/.keep": "" });
    writeFileSync(image, "");
    truncateSync(image, 32 * 1024 * 1024);
    execFileSync("mkfs.ext4", ["-q", image]);
    mount();
  } catch (err) {
    temp[Symbol.dispose]();
    return {
      reason: `cannot mount a loop device: ${String(err)}`,
      [Symbol.dispose]: () => undefined,
    };
  }
  return {
    path: temp.join("mount"),
    cutPower() {
      execFileSync(shutdown, [temp.join("mount")]);
      umount();
      mount();
    },
    [Symbol.dispose]() {
      umount();
      temp[Symbol.dispose]();
    },
  };
}

function isAlive(directory: string): boolean {
  try {
    writeFileSync(`${directory}/.alive`, "");
    return true;
  } catch {
    return false; // Shut down: every write is EIO.
  }
}

function version(round: number): Payload {
  const files: Record<string, string> = { "app.yaml": `round ${round}\n`.repeat(100) };
  for (let i = 0; i <= round % 4; i++) files[`conf.d/${i}.conf`] = `${round} ${i}\n`.repeat(1000);
  if (round % 3 === 0) files[`only-${round}`] = "here";
  return payloadOf(files);
}

/** Rounds in which the version that was reported as written was not there after the cut. */
function lostRounds(disk: Disk, durable: boolean): number {
  let lost = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const volume = `${disk.path}/volume-${durable}-${round}`;
    execFileSync("mkdir", [volume]);
    execFileSync("sync", ["-f", disk.path]); // The volume's directory itself is the caller's to sync.
    testWriter(volume, { durable }).write(version(round));
    testWriter(volume, { durable }).write(version(round + 1));

    disk.cutPower();

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
  it("Z15 has the last durable version whole after every power cut", (t) => {
    if (!cut.ok) return t.skip(cut.reason);
    using disk = loopDisk(cut.path);
    if (!("path" in disk)) return t.skip(disk.reason);

    assert.equal(lostRounds(disk, true), 0);
    return undefined;
  });

  it("is able to fail: without durable the same cuts lose versions, and the next write heals them", (t) => {
    if (!cut.ok) return t.skip(cut.reason);
    using disk = loopDisk(cut.path);
    if (!("path" in disk)) return t.skip(disk.reason);

    const lost = lostRounds(disk, false);

    t.diagnostic(`${lost} of ${ROUNDS} versions lost without durable`);
    assert.ok(lost > 0);
    return undefined;
  });
});
