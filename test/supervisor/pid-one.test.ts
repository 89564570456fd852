// As the first process of a container: in a PID namespace of its own, with its own /proc.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { getuid } from "node:process";
import { test } from "node:test";
import { RunProcess } from "./run-process.ts";

const prefix = ["unshare", "--fork", "--pid", "--mount-proc", "--kill-child"];
const skip = getuid?.() === 0 ? false : "needs root for a PID namespace";

/** Lines of `ps` for the dead that nobody has waited for. */
const zombies = "grep -l '^State:.Z' /proc/[0-9]*/status 2>/dev/null | wc -l";

test("run as PID 1 lets go of processes whose parents have ended", { skip }, async () => {
  // Twenty double forks: the one between ends at once, what it has started a little later.
  const forks =
    "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do (sleep 0.1 &); done";
  const wait = `n=1; for i in $(seq 600); do n=$(${zombies}); test $n = 0 && break; sleep 0.1; done`;
  const script = `echo parent $PPID; ${forks}; sleep 0.5; ${wait}; echo zombies $n; exit 5`;
  await using run = RunProcess.start({ prefix, args: ["--", "sh", "-c", script] });
  assert.equal(await run.exit, 5, JSON.stringify(run.logged));
  assert.deepEqual(run.printed, ["parent 1", "zombies 0"]);
});

test("run as PID 1 never takes the end of its own programs away from itself", {
  skip,
}, async () => {
  // Gate, readiness check and program all leave orphans behind, and all their codes count.
  const orphans = "(sleep 0.05 &); (sleep 0.05 &)";
  const args = [
    "--gate",
    `sh -c '${orphans}; exit 0'`,
    "--ready",
    `exec:sh -c '${orphans}; exit 0'`,
  ];
  const script = `${orphans}; sleep 1; exit 6`;
  for (let round = 0; round < 3; round++) {
    await using run = RunProcess.start({ prefix, args: [...args, "--", "sh", "-c", script] });
    assert.equal(await run.exit, 6, JSON.stringify(run.logged));
  }
});

test("run as PID 1 ends on TERM though its program ignores it, when its grace is over", {
  skip,
}, async () => {
  const script = `trap "" TERM; echo up; while :; do sleep 0.1; done`;
  await using run = RunProcess.start({
    prefix: ["unshare", "--fork", "--pid", "--mount-proc"],
    args: ["--grace", "300ms", "--", "sh", "-c", `${script}`],
  });
  await run.untilPrinted("up");
  // unshare passes no signals on: the first process in there is its only child.
  process.kill(childOf(run.pid), "SIGTERM");
  assert.equal(await run.exit, 137);
});

test("run as PID 1 ends on a TERM that came while it was still being loaded", {
  skip,
}, async () => {
  const hook = `import { registerHooks } from "node:module";
    registerHooks({ load(url, context, next) {
      if (url.endsWith("/cmd/main.ts")) process.kill(process.pid, "SIGTERM");
      return next(url, context);
    } });`;
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` };
  await using run = RunProcess.start({ prefix, env, args: ["--", "sleep", "20"] });
  assert.equal(await run.exit, 143, JSON.stringify(run.logged));
});

function childOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return Number(children.trim());
}
