// Containers that try to get out, or to take everything. Each has small limits, the number of processes first: if the thing under test fails, the
// machine must live.

import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { isInUserNamespace } from "../../src/mounts/kernel-support.ts";
import type { ContainerMount, ContainerResources } from "../../src/runtime/runtime.ts";
import { cannotLimit, cgroupFile, placeOf } from "./container-cgroup.ts";
import { cannotRun, LiveRuntime, testResources, testSecurity } from "./live-runtime.ts";
import { runProgram } from "./run-program.ts";

const Mi = 1024 * 1024;
const nobody = { uid: 1000, gid: 1000, supplementalGroups: [] };
const isRootless =
  process.platform === "linux" && isInUserNamespace(readFileSync("/proc/self/uid_map", "utf8"));

const limits: ContainerResources = {
  ...testResources,
  pidsLimit: 40,
  memoryLimitBytes: 64 * Mi,
  milliCpuRequest: 10,
  milliCpuLimit: 300,
  oomScoreAdjust: 1000,
};

describe("a container that takes everything", { skip: cannotRun }, () => {
  let live: LiveRuntime;
  before(async () => {
    live = await LiveRuntime.start();
  });
  after(() => live[Symbol.asyncDispose]());

  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await systemClock.sleep(5);
  };

  it("of processes stays within its limit, others start and run, and it can be ended", {
    skip: cannotLimit("pids"),
  }, async () => {
    const bomb = "echo up; bomb() { bomb | bomb & }; while :; do bomb 2>/dev/null; done";
    const { id } = await live.background(bomb, { resources: limits });
    const place = placeOf(live.root, id);
    const isRefused = (): boolean => {
      const refusals = /^max (\d+)/m.exec(cgroupFile(place, "pids", "pids.events"))?.[1];
      return Number(refusals ?? 0) > 0;
    };
    await until(isRefused);
    assert.ok(Number(cgroupFile(place, "pids", "pids.current")) <= 40);
    const { output } = await live.sh("seq 1 3 | sort -r | head -1");
    assert.equal(output, "3\n");
    await live.runtime.stop(id, { graceMs: 0 });
    assert.equal(cgroupFile(place, "pids", "pids.current").trim(), "0");
  });

  it("of memory is killed, and its neighbour is not", { skip: cannotLimit("memory") }, async () => {
    const neighbour = await live.background("echo up; sleep 1000");
    const { status } = await live.sh("tail /dev/zero; tail /dev/zero", { resources: limits });
    assert.equal(status.end?.isOutOfMemory, true);
    const found = live.runtime.list().find(({ id }) => id === neighbour.id);
    assert.equal(found?.end, undefined);
    await live.runtime.stop(neighbour.id, { graceMs: 0 });
  });

  it("of time gets no more than its limit", { skip: cannotLimit("cpu") }, async () => {
    const resources = { ...limits, milliCpuLimit: 100 };
    const { id, pid } = await live.background("echo up; while :; do :; done", { resources });
    const place = placeOf(live.root, id);
    const throttled = (): number =>
      Number(/^nr_throttled (\d+)/m.exec(cgroupFile(place, "cpu", "cpu.stat"))?.[1] ?? 0);
    const begun = throttled();
    const startMs = systemClock.monotonicMs();
    const startTicks = ticksOf(pid);
    // Of the machine it may get less than its limit, if others want it too; never more.
    await until(() => throttled() >= begun + 10);
    const usedMs = 10 * (ticksOf(pid) - startTicks);
    const elapsedMs = systemClock.monotonicMs() - startMs;
    assert.ok(usedMs < 0.25 * elapsedMs, `${usedMs} ms of ${elapsedMs} ms`);
    await live.runtime.stop(id, { graceMs: 0 });
  });

  it("and ignores being asked to end is ended after its grace", async () => {
    const { id } = await live.background(
      "trap '' TERM INT HUP; echo up; while :; do sleep 1; done",
    );
    await live.runtime.stop(id, { graceMs: 100 });
    const end = live.runtime.list().find((status) => status.id === id)?.end;
    assert.equal(end?.exitCode, 137);
    assert.equal(end?.isOutOfMemory, false);
  });
});

function evil(hostPath: string): ContainerMount {
  return { hostPath, containerPath: "/evil", isReadOnly: true, propagation: "None" };
}

/** Hundredths of a second that the process ran. */
function ticksOf(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

describe("a container that wants to get out", { skip: cannotRun }, () => {
  let live: LiveRuntime;
  before(async () => {
    live = await LiveRuntime.start();
  });
  after(() => live[Symbol.asyncDispose]());

  const attempts: readonly (readonly [name: string, script: string])[] = [
    ["mounts something", "mount -t tmpfs none /mnt"],
    ["mounts a part of itself elsewhere", "mount --bind /etc /mnt"],
    ["makes /proc/sys writable", "mount -o remount,rw /proc/sys"],
    ["unmounts what hides the kernel's files", "umount /proc/kcore || umount /proc/keys"],
    ["makes a mount namespace", "unshare -m true"],
    ["joins the machine's namespaces", "nsenter -t 1 -m -u true"],
    ["changes settings of the kernel", "echo 1 >/proc/sys/kernel/panic"],
    ["asks the machine to restart", "echo b >/proc/sysrq-trigger"],
    ["sets the clock", "date -s '2001-01-01'"],
    ["writes to cgroups", "mkdir /sys/fs/cgroup/mine"],
    ["raises its own rights over memory", "echo -1000 >/proc/self/oom_score_adj"],
  ];
  for (const [name, script] of attempts) {
    it(`is refused as root: ${name}`, async () => {
      const { exitCode, output } = await live.sh(`{ ${script}; } 2>&1`, { resources: limits });
      assert.notEqual(exitCode, 0, output);
      assert.notEqual(exitCode, 127, output);
    });
  }

  it("would succeed with all rights, if it were these attempts that are wrong", async () => {
    const scripts = attempts.slice(0, 2).map(([, script]) => script);
    const security = { ...testSecurity, isPrivileged: true };
    const { exitCode, output } = await live.sh(`{ ${scripts.join(" && ")}; } 2>&1`, { security });
    assert.equal(exitCode, 0, output);
  });

  it("finds only itself behind /proc/1/root, and no process of others", async () => {
    const secret = live.root;
    const { output } = await live.sh(
      `ls -A /proc/1/root${secret} | wc -l; ls -A /proc/1/cwd${secret} | wc -l; for p in /proc/[0-9]*; do ls -A $p/root${secret} 2>/dev/null; done | grep -c runtime; kill -0 ${process.pid} 2>&1 | grep -c 'No such process'`,
    );
    assert.equal(output, "0\n0\n0\n1\n");
  });

  it("has no way to write to the program that started it", async () => {
    // Sets the times that are there: harmless if it were allowed.
    const script = `
      const fs = require("node:fs");
      const { atime, mtime, mode } = fs.statSync("/proc/self/exe");
      for (const attempt of [
        () => fs.utimesSync("/proc/self/exe", atime, mtime),
        () => fs.chmodSync("/proc/self/exe", mode & 0o7777),
      ]) {
        try { attempt(); console.log("changed"); } catch (err) { console.log(err.code); }
      }`;
    const { id } = await live.runtime.start(live.spec({ argv: ["/proc/self/exe", "-e", script] }));
    await live.ended(id);
    assert.equal(live.output.of(id), "EROFS\nEROFS\n");
  });

  it("has no such way by a script either, whose interpreter is what runs it", async () => {
    using layer = tempDir();
    const text = `#!/proc/self/exe\ntry { require("node:fs").utimesSync("/proc/self/exe", 1, 1); console.log("changed"); } catch (err) { console.log(err.code); }\n`;
    layer.write({ "program.cjs": text });
    chmodSync(layer.join("program.cjs"), 0o755);
    const argv = ["/evil/program.cjs"];
    const { id } = await live.runtime.start(live.spec({ argv, mounts: [evil(layer.path)] }));
    await live.ended(id);
    assert.equal(live.output.of(id), "EROFS\n");
  });

  /** In a PID namespace of its own, the launcher is 1, and these are its threads. */
  const threads = [2, 3, 4, 5];
  const behind = (thread: number, path: string): string => `/proc/self/task/${thread}/root${path}`;

  it("is not started in a directory of the machine that it finds behind its launcher", async () => {
    using outside = tempDir();
    const starts = threads.map((thread) =>
      live.sh("touch escaped", {
        name: `thread-${thread}`,
        workingDir: behind(thread, outside.path),
      }),
    );
    const ends = await Promise.allSettled(starts);
    assert.deepEqual(readdirSync(outside.path), []);
    assert.ok(ends.every(({ status }) => status === "rejected"));
  });

  it("is no program of the machine that it finds behind its launcher", async () => {
    copyFileSync("/bin/sh", join(live.root, "hidden-sh"));
    using layer = tempDir();
    const starts = threads.flatMap((thread) => {
      const program = behind(thread, join(live.root, "hidden-sh"));
      const name = `program-${thread}.sh`;
      layer.write({ [name]: `#!${program}\necho interpreted\n` });
      chmodSync(layer.join(name), 0o755);
      return [[program, "-c", "echo started"], [`/evil/${name}`]].map(async (argv) => {
        const spec = live.spec({ argv, name: `argv-${thread}`, mounts: [evil(layer.path)] });
        const { id } = await live.runtime.start(spec);
        await live.ended(id);
        return live.output.of(id);
      });
    });
    const ends = await Promise.allSettled(starts);
    assert.deepEqual(
      ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : [])),
      [],
    );
  });

  /** Waits for programs that are started in the container, and makes a link from `path` to what their launchers' threads see. */
  const planter = (path: string, target: string): string => `
    const fs = require("node:fs");
    fs.rmSync("${path}", { recursive: true, force: true });
    console.log("up");
    for (let planted; ; ) {
      for (const pid of fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name) && name !== "1" && name !== planted)) {
        try {
          const thread = fs.readdirSync("/proc/" + pid + "/task").find((name) => name !== pid);
          if (thread === undefined) continue;
          fs.symlinkSync("/proc/" + pid + "/task/" + thread + "/root${target}", "/planted");
          fs.renameSync("/planted", "${path}");
          planted = pid;
        } catch {}
      }
    }`;

  it("gets no program that is run in it into a directory of the machine", async () => {
    using outside = tempDir();
    const script = planter("/w", outside.path);
    const argv = [process.execPath, "-e", script];
    const { id } = await live.runtime.start(live.spec({ argv, workingDir: "/w", name: "planter" }));
    for (let attempt = 0; attempt < 4; attempt++) {
      const argvOfProgram = ["touch", "escaped"];
      await runProgram({ runtime: live.runtime, id }, argvOfProgram).catch(() => undefined);
    }
    assert.deepEqual(readdirSync(outside.path), []);
    await live.runtime.stop(id, { graceMs: 0 });
  });

  it("gets no program of the machine run in it", async () => {
    copyFileSync("/bin/sh", join(live.root, "hidden-sh"));
    const script = planter("/program", join(live.root, "hidden-sh"));
    const argv = [process.execPath, "-e", script];
    const { id } = await live.runtime.start(live.spec({ argv, name: "planter" }));
    for (let attempt = 0; attempt < 4; attempt++) {
      const where = { runtime: live.runtime, id };
      const outcome = await runProgram(where, ["/program", "-c", "echo started"]).then(
        (ran) => JSON.stringify(ran),
        (err: Error) => err.message,
      );
      assert.match(outcome, /no such file/);
    }
    await live.runtime.stop(id, { graceMs: 0 });
  });

  it("does not own the machine's /dev/null, and cannot change it, by what is run in it", async () => {
    const before = statSync("/dev/null");
    const { id } = await live.background("echo up; sleep 1000", { user: nobody });
    const { id: rootId } = await live.background("echo up; sleep 1000", { name: "root" });
    try {
      await runProgram({ runtime: live.runtime, id }, ["true"]);
      assert.equal(statSync("/dev/null").uid, before.uid);
      const mode = (before.mode & 0o7777).toString(8);
      const change = ["chmod", mode, "/proc/self/fd/0"];
      const { exitCode } = await runProgram({ runtime: live.runtime, id: rootId }, change);
      assert.notEqual(exitCode, 0);
    } finally {
      if (!isRootless) chownSync("/dev/null", before.uid, before.gid);
    }
    for (const one of [id, rootId]) await live.runtime.stop(one, { graceMs: 0 });
  });

  it("gains nothing from programs with a set-user bit if it is not to", async (t) => {
    if (isRootless || !existsSync("/usr/bin/id")) {
      t.skip("needs a file of the machine's root");
      return;
    }
    using layer = tempDir();
    copyFileSync("/usr/bin/id", layer.join("root-id"));
    chmodSync(layer.path, 0o755);
    chmodSync(layer.join("root-id"), 0o4755);
    const mounts = [evil(layer.path)];
    const euid = async (isWithoutNewPrivileges: boolean): Promise<string> => {
      const security = { ...testSecurity, isWithoutNewPrivileges };
      return (await live.sh("/evil/root-id -u", { mounts, security, user: nobody })).output;
    };
    assert.equal(await euid(false), "0\n");
    assert.equal(await euid(true), "1000\n");
  });

  it("cannot trace its neighbour of the same user, which it does not even see", async () => {
    const neighbour = await live.background("echo up; sleep 1000", { user: nobody });
    const { output } = await live.sh(
      `ls -d /proc/[0-9]* | wc -l; cat /proc/${neighbour.pid}/environ 2>&1 | grep -c 'No such'`,
      { user: nobody },
    );
    const [seen, hidden] = output.trim().split("\n");
    assert.ok(Number(seen) <= 3, seen);
    assert.equal(hidden, "1");
    await live.runtime.stop(neighbour.id, { graceMs: 0 });
  });
});
