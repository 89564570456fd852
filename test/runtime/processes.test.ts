// Containers that see more processes than their own: the pod's, another container's, the machine's.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/base/clock.ts";
import { FakeClock } from "../../src/base/testing/fake-clock.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { identify, isAlive, type ProcessIdentity } from "../../src/mounts/process-calls.ts";
import type { ContainerSpec, ContainerStatus } from "../../src/runtime/runtime.ts";
import { cannotRun, LiveRuntime } from "./live-runtime.ts";
import { execSpec, Heard, runProgram } from "./run-program.ts";
import { hasBecome, processCount, processesWith, sleepMark } from "./running-processes.ts";

const sharing = "pod-with-shared-processes";
const inPod = { podUid: sharing, processes: "pod" } as const;

async function shareProcesses(live: LiveRuntime): Promise<void> {
  await live.runtime.makeSandbox({
    ...{ podUid: sharing, podName: "web", podNamespace: "default", hostname: "web-host" },
    hasSharedProcesses: true,
  });
}

function keeperOf(root: string): ProcessIdentity {
  const path = `${root}/runtime/sandboxes/${sharing}/process-keeper.json`;
  return (JSON.parse(readFileSync(path, "utf8")) as { keeper: ProcessIdentity }).keeper;
}

/** Leaves a daemon that nobody can find by its parents, its session or its terminal, and then does as told. */
function withDaemon(mark: string, rest: string): string {
  return `(setsid sh -c '(env -i /bin/sleep ${mark} &)' &); ${rest}`;
}

describe("containers that share the processes of their pod", { skip: cannotRun }, () => {
  it("see each other, and somebody else is process 1", async () => {
    await using live = await LiveRuntime.start();
    await shareProcesses(live);
    const mark = sleepMark();
    const first = await live.background(`echo up; exec sleep ${mark}`, inPod);
    await processCount(`sleep\0${mark}`, 1);
    const { output } = await live.sh(
      "ps -eo args | grep '[s]leep'; echo $$; cat /proc/1/comm; readlink /proc/self/ns/pid",
      { ...inPod, name: "other" },
    );
    const [one, two, own, keeper, namespace] = output.split("\n");
    assert.deepEqual([one, two, keeper], ["sleep 2147483647", `sleep ${mark}`, "sleep"]);
    assert.notEqual(own, "1");
    assert.notEqual(namespace, "");
    const seen = await runProgram({ runtime: live.runtime, id: first.id }, [
      ...["readlink", "/proc/self/ns/pid"],
    ]);
    assert.equal(seen.stdout.trim(), namespace);
    const alone = await live.sh("readlink /proc/self/ns/pid");
    assert.notEqual(alone.output.trim(), namespace);
  });

  it("change nothing of the machine by what the first process has open", async () => {
    await using live = await LiveRuntime.start();
    await shareProcesses(live);
    const { output } = await live.sh(
      'for file in fd/0 fd/1 exe; do chmod "$(stat -Lc %a /proc/1/$file)" /proc/1/$file 2>/dev/null && echo changed $file; done',
      inPod,
    );
    assert.equal(output, "");
  });

  it("do not become undead when their parents go", async () => {
    await using live = await LiveRuntime.start();
    await shareProcesses(live);
    await live.background("echo up; exec sleep 1000", inPod);
    const script = "for n in 1 2 3 4 5; do (setsid sh -c 'exit 1' &); done; echo done";
    await live.sh(script, { ...inPod, name: "other" });
    const keeper = keeperOf(live.root);
    for (;;) {
      const children = readFileSync(`/proc/${keeper.pid}/task/${keeper.pid}/children`, "utf8");
      if (children === "") break;
      await systemClock.sleep(5);
    }
  });

  for (const hasCgroups of [true, false]) {
    it(`end with all that they started, ${hasCgroups ? "with" : "without"} cgroups, and leave the others alone`, async () => {
      await using live = await LiveRuntime.with({ hasCgroups });
      await shareProcesses(live);
      const [mark, other] = [sleepMark(), sleepMark()];
      const stays = await live.background(`echo up; exec sleep ${other}`, inPod);
      const goes = await live.background(
        withDaemon(mark, `trap '' TERM; echo up; while :; do sleep 0.01; done`),
        { ...inPod, name: "goes" },
      );
      await processCount(`sleep\0${mark}`, 1);
      await live.runtime.stop(goes.id, { graceMs: 10 });
      assert.deepEqual(processesWith(`sleep\0${mark}`), []);
      const ended = live.runtime.list().find(({ id }) => id === goes.id);
      assert.deepEqual([ended?.end?.exitCode, ended?.end?.signal], [137, 9]);
      assert.ok(identify(stays.pid ?? 0));
      await live.runtime.stop(stays.id, { graceMs: 60_000 });
      assert.deepEqual(processesWith(`sleep\0${other}`), []);
    });
  }

  it("cannot come by the machine's files through process 1, nor has it rights to give", async () => {
    await using live = await LiveRuntime.start();
    await shareProcesses(live);
    const { pid } = keeperOf(live.root);
    assert.deepEqual(readdirSync(`/proc/${pid}/root/`), []);
    assert.deepEqual(readdirSync(`/proc/${pid}/cwd/`), []);
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    assert.match(status, /^CapPrm:\t0+$/m);
    assert.match(status, /^CapBnd:\t0+$/m);
    assert.match(status, /^NoNewPrivs:\t1$/m);
    assert.throws(() => rmSync(`/proc/${pid}/root/x`, { recursive: true }));
  });

  it("find it again after a restart of the runtime, and it goes with the sandbox", async () => {
    using dir = tempDir();
    const before = await LiveRuntime.start(dir.path);
    await shareProcesses(before);
    const keeper = keeperOf(dir.path);
    await before.leave();
    {
      await using live = await LiveRuntime.start(dir.path);
      await shareProcesses(live);
      assert.deepEqual(keeperOf(dir.path), keeper);
      assert.equal((await live.sh("cat /proc/1/comm", inPod)).output, "sleep\n");
    }
    assert.ok(!isAlive(keeper));
  });

  it("are not started without it, and are again when it was made again", async () => {
    await using live = await LiveRuntime.start();
    await shareProcesses(live);
    const { id } = await live.background("echo up; exec sleep 1000", inPod);
    process.kill(keeperOf(live.root).pid, "SIGKILL");
    assert.equal((await live.ended(id)).end?.exitCode, 137);
    await assert.rejects(live.sh("true", inPod), {
      name: "StartError",
      message: "cannot join the processes of the pod: they have ended",
    });
    await shareProcesses(live);
    assert.equal((await live.sh("exit 3", inPod)).exitCode, 3);
  });
});

describe("a container with the machine's processes", { skip: cannotRun }, () => {
  it("sees them, and ends with its own and no others", async () => {
    await using live = await LiveRuntime.with({ hasCgroups: false });
    const mark = sleepMark();
    const { id, pid } = await live.background(withDaemon(mark, `echo $$; exec sleep 1000`), {
      processes: "host",
    });
    assert.equal(live.output.of(id), `${pid}\n`);
    const us = await runProgram({ runtime: live.runtime, id }, [
      ...["sh", "-c", `tr '\\0' ' ' </proc/${process.pid}/cmdline; echo; echo $$`],
    ]);
    assert.match(us.stdout, /processes\.test\.ts/);
    await processCount(`sleep\0${mark}`, 1);
    await live.runtime.stop(id, { graceMs: 60_000 });
    assert.deepEqual(processesWith(`sleep\0${mark}`), []);
    assert.equal(live.runtime.list()[0]?.end?.signal, 15);
  });

  it("takes a session along that is cut, with its daemons", async () => {
    await using live = await LiveRuntime.start();
    const { id } = await live.background("echo up; exec sleep 1000", { processes: "host" });
    const mark = sleepMark();
    const session = await live.runtime.exec(
      id,
      execSpec(["sh", "-c", withDaemon(mark, "echo up; exec sleep 1000")]),
    );
    await new Heard(session.stdout).until(/up/);
    await processCount(`sleep\0${mark}`, 1);
    await session[Symbol.asyncDispose]();
    assert.deepEqual(processesWith(`sleep\0${mark}`), []);
  });
});

describe("a container with the processes of another", { skip: cannotRun }, () => {
  it("sees that one as process 1, and ends with it", async () => {
    await using live = await LiveRuntime.start();
    const target = await live.background("echo up; exec sleep 1000");
    await hasBecome(target.pid, ["sleep", "1000"]);
    const debug = await live.background("tr '\\0' ' ' </proc/1/cmdline; exec sleep 1000", {
      name: "debug",
      processes: { of: target.id },
    });
    assert.equal(live.output.of(debug.id), "sleep 1000 ");
    await live.runtime.stop(target.id, { graceMs: 0 });
    assert.equal((await live.ended(debug.id)).end?.exitCode, 137);
  });

  it("ends with all that it started while the other one goes on", async () => {
    await using live = await LiveRuntime.with({ hasCgroups: false });
    const target = await live.background("echo up; exec sleep 1000");
    const mark = sleepMark();
    const debug = await live.background(withDaemon(mark, "echo up; exec sleep 1000"), {
      name: "debug",
      processes: { of: target.id },
    });
    await processCount(`sleep\0${mark}`, 1);
    await live.runtime.stop(debug.id, { graceMs: 60_000 });
    assert.deepEqual(processesWith(`sleep\0${mark}`), []);
    assert.ok(identify(target.pid ?? 0));
  });

  it("is not started when that one has ended", async () => {
    await using live = await LiveRuntime.start();
    const { status } = await live.sh("true");
    await assert.rejects(live.sh("true", { name: "debug", processes: { of: status.id } }), {
      name: "StartError",
      message: `cannot join the processes of container ${status.id}: they have ended`,
    });
  });
});

const agentChild = fileURLToPath(import.meta.resolve("./agent-child.ts"));

async function startAndDie(
  root: string,
  script: string,
  processes: ContainerSpec["processes"],
): Promise<ContainerStatus> {
  const agent = spawn(process.execPath, [agentChild, root, script, JSON.stringify(processes)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface(agent.stdout), "line")) as [string];
  agent.kill("SIGKILL");
  await once(agent, "exit");
  return JSON.parse(line) as ContainerStatus;
}

describe("adoption of containers", { skip: cannotRun }, () => {
  it("finds one with the machine's processes, runs programs in it with its environment, and ends it with all that it started", async () => {
    using dir = tempDir();
    const mark = sleepMark();
    const script = withDaemon(mark, "echo up; exec sleep 1000");
    const { id } = await startAndDie(dir.path, script, "host");
    await using live = await LiveRuntime.start(dir.path);
    const { stdout } = await runProgram({ runtime: live.runtime, id }, ["sh", "-c", "echo $PATH"]);
    assert.equal(stdout, "/usr/local/bin:/usr/bin:/bin\n");
    await live.runtime.stop(id, { graceMs: 60_000 });
    assert.deepEqual(processesWith(`sleep\0${mark}`), []);
  });

  it("ends what one left behind that ended while nobody watched", async () => {
    using dir = tempDir();
    const mark = sleepMark();
    const script = withDaemon(mark, "echo up; exec sleep 1000");
    const { id, pid } = await startAndDie(dir.path, script, "host");
    await processCount(`sleep\0${mark}`, 1);
    process.kill(pid ?? 0, "SIGKILL");
    await using live = await LiveRuntime.start(dir.path);
    assert.equal((await live.ended(id)).end?.exitCode, 137);
    assert.deepEqual(processesWith(`sleep\0${mark}`), []);
  });

  it("takes one whose pipe is gone for ended, and finds the others", async () => {
    using dir = tempDir();
    const broken = await startAndDie(dir.path, "echo up; exec sleep 1000", "own");
    const whole = await startAndDie(dir.path, "echo up; exec sleep 1000", "own");
    rmSync(dir.join("runtime/containers", broken.id, "alive"));
    await using live = await LiveRuntime.start(dir.path);
    const ends = new Map(live.runtime.list().map(({ id, end }) => [id, end]));
    assert.equal(ends.get(broken.id)?.isUnknown, true);
    assert.equal(ends.get(whole.id), undefined);
    assert.equal(identify(broken.pid ?? 0), undefined);
  });
});

describe("a launcher that hangs", { skip: cannotRun }, () => {
  it("is ended after two minutes, and nothing of the container is left", async () => {
    const clock = new FakeClock();
    await using live = await LiveRuntime.with({ clock });
    // It has no instructions before it hangs, and so cannot have become the program by then.
    const { promise: isStopped, resolve: hasStopped } = Promise.withResolvers<void>();
    const follow = live.output.follow.bind(live.output);
    live.output.follow = (of) => isStopped.then(() => follow(of));
    const starting = assert.rejects(live.runtime.start(live.spec({ argv: ["sleep", "1000"] })), {
      name: "StartError",
      message: "the launcher did not start the program in time",
    });
    const pid = await launcherOf(live.root);
    process.kill(pid, "SIGSTOP");
    hasStopped();
    while (identify(pid)) {
      await clock.step(1000);
      await systemClock.sleep(5);
    }
    const stepping = stepUntil(clock, starting);
    await starting;
    await stepping;
    assert.deepEqual(readdirSync(`${live.root}/runtime/containers`), []);
  });
});

async function stepUntil(clock: FakeClock, settled: Promise<void>): Promise<void> {
  let isSettled = false;
  void settled.finally(() => {
    isSettled = true;
  });
  while (!isSettled) {
    await clock.step(10);
    await systemClock.sleep(1);
  }
}

/** Settles when the launcher of the only container has said who it is. */
async function launcherOf(root: string): Promise<number> {
  for (;;) {
    const [id] = readdirSync(`${root}/runtime/containers`);
    try {
      const init = readFileSync(`${root}/runtime/containers/${id}/init.json`, "utf8");
      return (JSON.parse(init) as ProcessIdentity).pid;
    } catch {
      await systemClock.sleep(0);
    }
  }
}
