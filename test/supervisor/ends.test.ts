// How `driftless run` and its program end, and what happens when several things happen at a time.

import assert from "node:assert/strict";
import { chmodSync, existsSync, renameSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { groupLives } from "../../src/supervisor/process-group.ts";
import { RunProcess } from "./run-process.ts";

const quick = ["--min-wait", "1ms"];

/** Replaces a file at one instant. */
function put(dir: TempDir, name: string, text: string): void {
  writeFileSync(dir.join(`..${name}.new`), text);
  renameSync(dir.join(`..${name}.new`), dir.join(name));
}

test("run ends with 126 if its program cannot be started, and with 127 if something of it is not there", async () => {
  using dir = tempDir();
  dir.write({ plain: "#!/bin/sh\n", lost: "#!/no/such/interpreter\n", "folder/x": "" });
  chmodSync(dir.join("lost"), 0o755);
  const codeOf = async (name: string): Promise<number | null> => {
    await using run = RunProcess.start({ args: ["--", dir.join(name)] });
    const code = await run.exit;
    assert.ok(run.logged.some(({ message }) => message === "program cannot be started"));
    return code;
  };
  assert.deepEqual(await Promise.all(["plain", "folder", "lost"].map(codeOf)), [126, 126, 127]);
});

test("run ends with the signal's number if it has to end before there is anything to start", async () => {
  const codes = await Promise.all(
    (["SIGTERM", "SIGINT", "SIGHUP"] as const).map(async (signal) => {
      await using run = RunProcess.start({ args: ["--env-from", "/no/such/place", "--", "true"] });
      await run.untilLogged("source cannot be read, nothing is known of it yet");
      run.signal(signal);
      return await run.exit;
    }),
  );
  assert.deepEqual(codes, [143, 130, 129]);
});

test("run leaves its program alone when it is killed itself", async () => {
  using dir = tempDir();
  const alive = dir.join("alive");
  const script = `echo up; while :; do test -e ${dir.join("ask")} && touch ${alive}; sleep 0.05; done`;
  await using run = RunProcess.start({ args: ["--", "sh", "-c", script] });
  await run.untilPrinted("up");
  await run.untilStarted(1);
  const [pid = 0] = run.pids;
  try {
    run.signal("SIGKILL");
    // Whoever is left holds the pipes, so that there is no "close".
    dir.write({ ask: "" });
    await untilTrue(() => existsSync(alive));
  } finally {
    process.kill(pid, "SIGKILL");
  }
});

async function untilTrue(isTrue: () => boolean): Promise<void> {
  const untilMs = performance.now() + 60_000;
  while (!isTrue()) {
    assert.ok(performance.now() < untilMs, "waited in vain");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("run goes on with a restart when somebody kills the old program before its grace is over", async () => {
  using dir = tempDir();
  dir.write({ A: "1" });
  const script = `test $A = 1 && trap 'echo asked' TERM; echo A=$A; while :; do sleep 0.05; done`;
  const args = ["--env-from", dir.path, "--grace", "1h", "--", "sh", "-c", script];
  await using run = RunProcess.start({ args: [...quick, ...args] });
  await run.untilPrinted("A=1");
  put(dir, "A", "2");
  await run.untilPrinted("asked");
  // What is wanted changes on the way: nothing of it is lost.
  put(dir, "A", "3");
  await run.untilStarted(1);
  process.kill(run.pids[0] ?? 0, "SIGKILL");
  await run.untilPrinted("A=3");
  run.signal("SIGTERM");
  assert.equal(await run.exit, 143);
});

test("run makes few restarts of many changes, and the last one counts", async () => {
  using dir = tempDir();
  dir.write({ A: "0", B: "0" });
  const script = "echo $A $B; exec sleep 1000";
  await using run = RunProcess.start({ args: ["--env-from", dir.path, "--", "sh", "-c", script] });
  await run.untilPrinted("0 0");
  for (let n = 1; n <= 200; n++) {
    put(dir, "A", String(n));
    put(dir, "B", String(n));
  }
  await run.untilPrinted("200 200");
  assert.ok(run.printed.length <= 50, `${run.printed.length} starts`);
  put(dir, "A", "done");
  await run.untilPrinted("done 200");
  assert.deepEqual(run.printed.slice(-2), ["200 200", "done 200"]);
});

test("run ends what a program that ended by itself has left behind, before it starts it again", async () => {
  using state = tempDir();
  // The worker has what the next one needs.
  const script = `test -e ${state.join("x")} && { echo again; exec sleep 1000; }; touch ${state.join("x")}; (trap '' HUP; exec sleep 1000) & exit 1`;
  await using run = RunProcess.start({ args: ["--restart", "--", "sh", "-c", script] });
  await run.untilPrinted("again");
  await run.untilStarted(2);
  const [first = 0] = run.pids;
  assert.equal(groupLives(first), false);
});

test("run goes on when nobody reads its log any more, and its program's output stays in order", async () => {
  using dir = tempDir();
  dir.write({ A: "1" });
  // Node's own pipes are not blocking; a program that writes much must not notice.
  const script = "echo A=$A $(grep -c '^flags:.*[4567]...$' /proc/$$/fdinfo/1); exec sleep 1000";
  await using run = RunProcess.start({
    args: [...quick, "--env-from", dir.path, "--", "sh", "-c", script],
  });
  await run.untilPrinted("A=1 0");
  run.stopReadingLog();
  put(dir, "A", "2");
  await run.untilPrinted("A=2 0");
  put(dir, "A", "3");
  await run.untilPrinted("A=3 0");
  run.signal("SIGTERM");
  assert.equal(await run.exit, 143);
});

test("run asks its program to end by the signal that it is told to use", async () => {
  using dir = tempDir();
  dir.write({ A: "1" });
  const script = "trap 'echo asked; exit' USR2; echo A=$A; while :; do sleep 0.05; done";
  await using run = RunProcess.start({
    args: [...quick, "--env-from", dir.path, "--stop-signal", "usr2", "--", "sh", "-c", script],
  });
  await run.untilPrinted("A=1");
  put(dir, "A", "2");
  await run.untilPrinted("A=2");
  assert.deepEqual(run.printed, ["A=1", "asked", "A=2"]);
});
