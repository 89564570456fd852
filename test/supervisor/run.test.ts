// `driftless run` with real programs: codes, signals, changes, gates, and the way back.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
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

for (const [script, code] of [
  ["exit 0", 0],
  ["exit 3", 3],
  ["kill -TERM $$", 143],
  ["kill -KILL $$", 137],
] as const) {
  test(`run ends with ${code} when its program does "${script}"`, async () => {
    await using run = RunProcess.start({ args: ["--", "sh", "-c", script] });
    assert.equal(await run.exit, code);
  });
}

test("run ends with 127 when there is no such program, and with 2 when it is called wrongly", async () => {
  await using none = RunProcess.start({ args: ["--", "/no/such/program"] });
  assert.equal(await none.exit, 127);
  await using wrong = RunProcess.start({ args: ["--on-change", "signal:NONE", "--", "true"] });
  assert.equal(await wrong.exit, 2);
});

test("run passes signals on, and ends with what the program makes of TERM", async () => {
  const names = ["HUP", "USR1", "USR2", "INT", "QUIT", "ALRM", "WINCH", "CONT"] as const;
  const rarer = ["VTALRM", "IO", "PWR", "URG", "TSTP", "TTIN", "TTOU"] as const;
  const signals = [...names, ...rarer].map((name) => `SIG${name}` as const);
  // By number: no shell knows all of the names.
  const traps = signals.map((name) => `trap 'echo ${name}' ${constants.signals[name]}`).join("; ");
  const script = `${traps}; trap 'exit 9' TERM; echo up; while :; do sleep 0.05; done`;
  await using run = RunProcess.start({ args: ["--", "sh", "-c", script] });
  await run.untilPrinted("up");
  for (const name of signals) {
    run.signal(name);
    await run.untilPrinted(name);
  }
  run.signal("SIGTERM");
  assert.equal(await run.exit, 9);
});

test("run gives its program nothing that is its own", async () => {
  await using run = RunProcess.start({ args: ["--", "env"] });
  assert.equal(await run.exit, 0);
  const ours = run.printed.filter((line) => line.startsWith("NODE_COMPILE_CACHE="));
  const given = process.env["NODE_COMPILE_CACHE"];
  assert.deepEqual(ours, given === undefined ? [] : [`NODE_COMPILE_CACHE=${given}`]);
});

test("run restarts its program with the new variables", async () => {
  using dir = tempDir();
  dir.write({ A: "1" });
  const args = [...quick, "--env-from", dir.path, "--", "sh", "-c", "echo A=$A; exec sleep 1000"];
  await using run = RunProcess.start({ args });
  await run.untilPrinted("A=1");
  put(dir, "A", "2");
  await run.untilPrinted("A=2");
  rmSync(dir.join("A"));
  await run.untilPrinted("A=");
  run.signal("SIGTERM");
  assert.equal(await run.exit, 143);
});

test("run follows a volume, keeps what it knew when that goes away, and follows the next one", async () => {
  using dir = tempDir();
  const publish = (version: string, volume = "v"): void => {
    dir.write({ [`${volume}/..${version}/A`]: version });
    symlinkSync(`..${version}`, dir.join(volume, "..data_tmp"));
    renameSync(dir.join(volume, "..data_tmp"), dir.join(volume, "..data"));
  };
  publish("1");
  const script = "echo A=$A; exec sleep 1000";
  await using run = RunProcess.start({
    args: [...quick, "--env-from", dir.join("v"), "--", "sh", "-c", script],
  });
  await run.untilPrinted("A=1");
  publish("2");
  await run.untilPrinted("A=2");
  // It goes and comes at one instant: without its "..data" it would be an empty directory.
  renameSync(dir.join("v"), dir.join("old"));
  await run.untilLogged("source cannot be read, what was known stays");
  publish("3", "new");
  renameSync(dir.join("new"), dir.join("v"));
  await run.untilPrinted("A=3");
  assert.deepEqual(run.printed, ["A=1", "A=2", "A=3"]);
});

test("run waits for variables that are not there yet, and does not for optional ones", async () => {
  using dir = tempDir();
  const script = "echo A=$A; exec sleep 1000";
  const args = [...quick, "--env-from", dir.join("later"), "--", "sh", "-c", script];
  await using run = RunProcess.start({ args });
  await run.untilLogged("source cannot be read, nothing is known of it yet");
  assert.deepEqual(run.pids, []);
  dir.write({ "later/A": "1" });
  await run.untilPrinted("A=1");
  const optional = [...quick, "--env-from", `${dir.join("never")}?`, "--", "sh", "-c", "echo ok"];
  await using other = RunProcess.start({ args: optional });
  assert.equal(await other.exit, 0);
});

test("run ends with 1, and says what it waited for, when a misspelled source is not there in time", async () => {
  const args = ["--watch", "/no/such/place", "--start-timeout", "50ms", "--", "true"];
  await using run = RunProcess.start({ args });
  assert.equal(await run.exit, 1);
  assert.deepEqual(run.logged.at(-1)?.["missing"], ["/no/such/place is not there"]);
});

test("run kills a program that ignores TERM when its grace is over, with all that it has started", async () => {
  using dir = tempDir();
  dir.write({ A: "1" });
  const script = `trap "" TERM; echo A=$A; sleep 1000 & while :; do sleep 0.1; done`;
  await using run = RunProcess.start({
    args: [...quick, "--env-from", dir.path, "--grace", "300ms", "--", "sh", "-c", script],
  });
  await run.untilPrinted("A=1");
  put(dir, "A", "2");
  await run.untilPrinted("A=2");
  await run.untilStarted(2);
  const [first = 0] = run.pids;
  assert.equal(groupLives(first), false);
  run.signal("SIGTERM");
  assert.equal(await run.exit, 137);
});

test("run keeps its program when the gate says no, and goes on when it says yes", async () => {
  using dir = tempDir();
  dir.write({ A: "1" });
  const gate = `sh -c 'test "$A" != bad'`;
  const script = "echo A=$A; exec sleep 1000";
  await using run = RunProcess.start({
    args: [...quick, "--env-from", dir.path, "--gate", gate, "--", "sh", "-c", script],
  });
  await run.untilPrinted("A=1");
  put(dir, "A", "bad");
  await run.untilLogged("version refused, the last good one stays");
  const [pid = 0] = run.pids;
  assert.ok(process.kill(pid, 0));
  put(dir, "A", "3");
  await run.untilPrinted("A=3");
  assert.deepEqual(run.printed, ["A=1", "A=3"]);
});

test("run goes back to the last good variables when its program does not become ready", async () => {
  using dir = tempDir();
  using state = tempDir();
  dir.write({ A: "1" });
  const ready = `exec:sh -c 'test "$A" != bad && test -e ${state.join("up")}'`;
  const script = `echo A=$A; touch ${state.join("up")}; exec sleep 1000`;
  const args = ["--env-from", dir.path, "--ready", ready, "--ready-timeout", "3s"];
  await using run = RunProcess.start({ args: [...quick, ...args, "--", "sh", "-c", script] });
  await run.untilLogged("program is ready");
  put(dir, "A", "bad");
  await run.untilLogged("program is ready", 2);
  // Ready is sooner than printed: the file is there already.
  const good = (): readonly string[] => run.printed.filter((line) => line === "A=1");
  await run.until(() => good().length === 2);
  assert.equal(run.printed.at(-1), "A=1");
  assert.equal(run.pids.length, 3);
  assert.equal(run.logged.filter(({ reason }) => reason === "not-ready").length, 1);
});

test("run goes back to the last good files when its program reads its copies", async () => {
  using dir = tempDir();
  dir.write({ conf: "1" });
  const script = 'echo "read $(cat $0/conf)"; grep -q bad $0/conf && exit 1; exec sleep 1000';
  // However long it takes to read what is bad, it is never ready with it.
  const flags = ["--watch", dir.path, "--ready", "exec:grep -vq bad {snapshot}/conf"];
  await using run = RunProcess.start({
    args: [...quick, ...flags, "--", "sh", "-c", script, "{snapshot}"],
  });
  await run.untilLogged("program is ready");
  await run.untilPrinted("read 1");
  put(dir, "conf", "bad");
  await run.untilLogged("program is ready", 2);
  await run.until(({ printed }) => printed.length >= 3);
  assert.deepEqual(run.printed, ["read 1", "read bad", "read 1"]);
  put(dir, "conf", "3");
  await run.untilPrinted("read 3");
});

test("run sends a signal for changed files, and not before the program listens for it", async () => {
  using dir = tempDir();
  dir.write({ conf: "1" });
  const read = 'echo "read $(cat $0/conf)"';
  // The handler comes late: until then the signal would kill.
  const script = `echo up; sleep 1; trap '${read}' HUP; ${read}; while :; do sleep 0.05; done`;
  using copies = tempDir();
  const args = ["--watch", dir.path, "--on-change", "signal:HUP", "--snapshot-dir", copies.path];
  await using run = RunProcess.start({
    args: [...quick, ...args, "--", "sh", "-c", script, "{snapshot}"],
  });
  await run.untilPrinted("up");
  put(dir, "conf", "2");
  await run.untilLogged("program was told of changed files");
  await run.untilPrinted("read 2");
  put(dir, "conf", "3");
  await run.untilPrinted("read 3");
  assert.equal(run.pids.length, 1);
  run.signal("SIGTERM");
  await run.exit;
  assert.deepEqual(readdirSync(copies.path), []);
});

test("run runs a command for changed files", async () => {
  using dir = tempDir();
  using out = tempDir();
  dir.write({ conf: "1" });
  // The first try fails.
  const action = `exec:sh -c 'test -e ${out.join("tried")} || { touch ${out.join("tried")}; exit 1; }; echo $DRIFTLESS_CHILD_PID > ${out.join("seen")}'`;
  await using run = RunProcess.start({
    args: [...quick, "--watch", dir.path, "--on-change", action, "--", "sleep", "1000"],
  });
  await run.until(({ pids }) => pids.length === 1);
  put(dir, "conf", "2");
  await run.untilLogged("program was told of changed files");
  assert.equal(readFileSync(out.join("seen"), "utf8"), `${run.pids.join()}\n`);
  assert.equal(run.logged.filter(({ message }) => message.includes("could not be told")).length, 1);
});

test("run starts the new program before the old one ends, and keeps the old one if the new one is not ready", async () => {
  using dir = tempDir();
  using state = tempDir();
  dir.write({ A: "1" });
  const up = state.join("up");
  const script = `trap 'echo end $A; exit' TERM; echo start $A; touch ${up}$$; while :; do sleep 0.05; done`;
  const ready = `exec:sh -c 'test "$A" != bad && test -e ${up}$DRIFTLESS_CHILD_PID'`;
  const args = ["--overlap", "--env-from", dir.path, "--ready", ready, "--ready-timeout", "3s"];
  await using run = RunProcess.start({ args: [...quick, ...args, "--", "sh", "-c", script] });
  await run.untilLogged("program is ready");
  put(dir, "A", "bad");
  await run.untilLogged("version refused, the last good one stays");
  put(dir, "A", "3");
  await run.untilPrinted("end 1");
  const [, bad = 0] = run.pids;
  assert.equal(groupLives(bad), false);
  // Who is late may not even have begun.
  const others = run.printed.filter((line) => !line.endsWith("bad"));
  assert.deepEqual(others, ["start 1", "start 3", "end 1"]);
  run.signal("SIGTERM");
  await run.untilPrinted("end 3");
  assert.equal(await run.exit, 0);
});

test("run starts its program again after a crash if it is asked to", async () => {
  using state = tempDir();
  const script = `test -e ${state.join("x")} && { echo again; exec sleep 1000; }; touch ${state.join("x")}; exit 1`;
  await using run = RunProcess.start({ args: ["--restart", "--", "sh", "-c", script] });
  await run.untilPrinted("again");
});

test("run never logs the values of variables", async () => {
  using dir = tempDir();
  dir.write({ PASSWORD: "hunter-two", BROKEN: "hunter-two\0" });
  const gate = `sh -c 'test "$PASSWORD" = hunter-two'`;
  await using run = RunProcess.start({
    args: [...quick, "--env-from", dir.path, "--gate", gate, "--", "sleep", "1000"],
  });
  await run.until(({ pids }) => pids.length === 1);
  put(dir, "PASSWORD", "hunter-three");
  await run.untilLogged("version refused, the last good one stays");
  assert.doesNotMatch(JSON.stringify(run.logged), /hunter/);
});
