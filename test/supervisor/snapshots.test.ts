// The copies that a program of `driftless run` reads: on a disk that fills up, and when run is killed.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { isErrno } from "../../src/base/errors.ts";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { tmpfs } from "../support/tmpfs.ts";
import { RunProcess } from "./run-process.ts";

const quick = ["--min-wait", "1ms"];

/** Replaces a file at one instant. */
function put(dir: TempDir, name: string, text: string): void {
  writeFileSync(dir.join(`..${name}.new`), text);
  renameSync(dir.join(`..${name}.new`), dir.join(name));
}

function fill(directory: string): void {
  for (let size = 1 << 20; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeFileSync(join(directory, "ballast"), Buffer.alloc(size), { flag: "a" });
    } catch (err) {
      if (!isErrno(err, "ENOSPC")) throw err;
    }
  }
}

test("run keeps the program and its copies as they are while the disk is full, and goes on afterwards", async (t: TestContext) => {
  using disk = tmpfs("size=256k,mode=700");
  if ("reason" in disk) return t.skip(disk.reason);
  using dir = tempDir();
  dir.write({ conf: "1" });
  const script = 'echo "read $(cat $0/conf)"; exec sleep 1000';
  const flags = ["--watch", dir.path, "--snapshot-dir", disk.path, "--gate", "test -d {snapshot}"];
  await using run = RunProcess.start({
    args: [...quick, ...flags, "--", "sh", "-c", script, "{snapshot}"],
  });
  await run.untilLogged("program is ready");
  fill(disk.path);
  put(dir, "conf", "2".repeat(20_000));
  await run.untilLogged("cannot copy the watched files, trying again", 2);
  assert.equal(run.logged.filter(({ reason }) => reason === "gate").length, 0);
  assert.equal(run.pids.length, 1);
  const [own = ""] = readdirSync(disk.path).filter((name) => name.startsWith("driftless-run-"));
  assert.equal(readFileSync(join(disk.path, own, "live", "conf"), "utf8"), "1");
  rmSync(join(disk.path, "ballast"));
  await run.untilPrinted(`read ${"2".repeat(20_000)}`);
  run.signal("SIGTERM");
  assert.equal(await run.exit, 143);
  assert.deepEqual(readdirSync(disk.path), []);
});

test("run removes what a killed one has left, and nothing of one that lives", async () => {
  using copies = tempDir();
  using dir = tempDir();
  dir.write({ conf: "1", other: "x" });
  const start = (): RunProcess =>
    RunProcess.start({
      args: [
        ...["--watch", dir.path, "--snapshot-dir", copies.path],
        ...["--", "sh", "-c", "cat $0/conf; echo; exec sleep 1000", "{snapshot}"],
      ],
    });
  await using killed = start();
  await killed.untilPrinted("1");
  const [left = ""] = readdirSync(copies.path);
  assert.equal(statSync(copies.join(left)).mode & 0o777, 0o700);
  await using living = start();
  await living.untilPrinted("1");
  killed.signal("SIGKILL");
  await killed.ended;
  assert.equal(readdirSync(copies.path).length, 2);
  await using next = start();
  await next.untilPrinted("1");
  assert.equal(readdirSync(copies.path).length, 2);
  assert.equal(readdirSync(copies.path).includes(left), false);
});

test("run gives each of several places its own directory in the copies, and its variable names them", async () => {
  using dir = tempDir();
  dir.write({ "one/conf": "1", "two/conf": "2", "three.conf": "3" });
  const places = ["one", "two", "three.conf"].flatMap((name) => ["--watch", dir.join(name)]);
  const script =
    "cat $0/one/conf $0/two/conf $0/three.conf/three.conf; test $DRIFTLESS_SNAPSHOT = $0";
  await using run = RunProcess.start({ args: [...places, "--", "sh", "-c", script, "{snapshot}"] });
  assert.equal(await run.exit, 0);
  assert.deepEqual(run.printed, ["123"]);
});
