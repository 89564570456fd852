// How containers live and end: asked to, killed, with and without somebody who watches.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { systemClock } from "../../src/base/clock.ts";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { readMountInfo } from "../../src/mounts/mount-info.ts";
import {
  identify,
  isAlive,
  type ProcessIdentity,
  signalProcess,
} from "../../src/mounts/process-calls.ts";
import { SystemMounts } from "../../src/mounts/system-mounts.ts";
import type { ContainerStatus } from "../../src/runtime/runtime.ts";
import { removeCgroupsOf } from "../support/agent-cgroups.ts";
import { cannotRun, hostImage, LiveRuntime } from "./live-runtime.ts";

const agentChild = fileURLToPath(import.meta.resolve("./agent-child.ts"));

/** Starts a container from another process, which is killed when the container runs. */
async function startAndDie(root: string, script: string): Promise<ContainerStatus> {
  const agent = spawn(process.execPath, [agentChild, root, script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface(agent.stdout), "line")) as [string];
  agent.kill("SIGKILL");
  await once(agent, "exit");
  return JSON.parse(line) as ContainerStatus;
}

/** What a test may leave behind of a directory that it shares between runtimes. */
function removeRest(path: string): AsyncDisposable {
  const mounts = new SystemMounts();
  return {
    [Symbol.asyncDispose]: async () => {
      await removeCgroupsOf(path);
      for (const mount of mounts.below(path)) mounts.unmount(mount.path);
    },
  };
}

function processesWith(text: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
    } catch {
      return false;
    }
  });
}

function identityOf({ pid }: ContainerStatus): ProcessIdentity {
  const identity = identify(pid ?? 0);
  assert.ok(identity, "the container does not run");
  return identity;
}

function stateOf(live: LiveRuntime, id: string): { shim: ProcessIdentity; bootId: string } {
  const path = join(live.root, "runtime/containers", id, "state.json");
  return JSON.parse(readFileSync(path, "utf8")) as { shim: ProcessIdentity; bootId: string };
}

describe("stopping a container", { skip: cannotRun }, () => {
  it("gives it time to end by itself", async () => {
    await using live = await LiveRuntime.start();
    const { id } = await live.background(
      "trap 'echo bye; exit 3' TERM; echo up; while :; do sleep 0.01; done",
    );
    await live.runtime.stop(id, { graceMs: 60_000 });
    const [status] = live.runtime.list();
    assert.equal(status?.end?.exitCode, 3);
    assert.equal(live.output.of(id), "up\nbye\n");
  });

  it("sends the signal that the image names", async () => {
    await using live = await LiveRuntime.start();
    const image = { ...hostImage, config: { ...hostImage.config, stopSignal: "SIGUSR1" } };
    const { id } = await live.background(
      "trap 'exit 4' USR1; echo up; while :; do sleep 0.01; done",
      { image },
    );
    await live.runtime.stop(id, { graceMs: 60_000 });
    assert.equal(live.runtime.list()[0]?.end?.exitCode, 4);
  });

  it("kills it when the time is over, with all processes that it started", async () => {
    await using live = await LiveRuntime.start();
    const mark = `10${process.pid}.5`;
    const { id } = await live.background(
      `trap '' TERM; (setsid sleep ${mark} &); sleep ${mark} & echo up; while :; do wait; done`,
    );
    assert.ok(processesWith(mark).length > 0);
    await live.runtime.stop(id, { graceMs: 20 });
    assert.deepEqual(live.runtime.list()[0]?.end?.exitCode, 137);
    assert.equal(live.runtime.list()[0]?.end?.signal, 9);
    assert.deepEqual(processesWith(`sleep\0${mark}`), []);
  });

  it("succeeds although its pipes cannot be removed", async () => {
    await using live = await LiveRuntime.start();
    const { id } = await live.background("echo up; exec sleep 1000");
    const pipe = join(live.root, "runtime/containers", id, "stdout");
    rmSync(pipe);
    // Stands for a disk that refuses.
    mkdirSync(join(pipe, "in-the-way"), { recursive: true });
    await live.runtime.stop(id, { graceMs: 0 });
    assert.equal((await live.ended(id)).end?.exitCode, 137);
  });

  it("reaches one whose first thread has ended while others run", async () => {
    await using live = await LiveRuntime.start();
    const libc = join(import.meta.dirname, "../../src/mounts/libc.ts");
    // The system's exit, 60 or 93, ends one thread only.
    const script = `import { call } from ${JSON.stringify(libc)};
      const number = process.arch === "x64" ? 60 : 93;
      call("long syscall(long number, int code)", [number, 0], { syscall: "exit" });`;
    const argv = [process.execPath, "--input-type=module", "-e", script];
    const { id, pid } = await live.runtime.start(live.spec({ argv }));
    while (!/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))) {
      await systemClock.sleep(5);
    }
    await live.runtime.stop(id, { graceMs: 0 });
    assert.equal((await live.ended(id)).end?.exitCode, 137);
  });

  it("of one that has ended does nothing", async () => {
    await using live = await LiveRuntime.start();
    const { status } = await live.sh("exit 5");
    await live.runtime.stop(status.id, { graceMs: 60_000 });
    assert.equal(live.runtime.list()[0]?.end?.exitCode, 5);
  });
});

describe("removing", { skip: cannotRun }, () => {
  it("is refused while the container runs, and then takes all its files", async () => {
    await using live = await LiveRuntime.start();
    const { id } = await live.background("echo up; mkdir -p /var/deep; exec sleep 1000");
    await assert.rejects(live.runtime.remove(id), /still runs/);
    await live.runtime.stop(id, { graceMs: 0 });
    await live.runtime.remove(id);
    assert.deepEqual(readdirSync(join(live.root, "runtime/containers")), []);
    await live.runtime.remove(id);
  });

  it("takes files with paths longer than the kernel takes, too", async () => {
    await using live = await LiveRuntime.start();
    const script = `for (let i = 0; i < 60; i++) { fs.mkdirSync("d".repeat(100)); process.chdir("d".repeat(100)); }`;
    const { id } = await live.runtime.start(
      live.spec({ argv: [process.execPath, "-e", script], workingDir: "/deep" }),
    );
    assert.equal((await live.ended(id)).end?.exitCode, 0);
    await live.runtime.remove(id);
    assert.deepEqual(readdirSync(join(live.root, "runtime/containers")), []);
  });

  it("leaves nothing behind after thirty containers at once", async () => {
    let root: string;
    let pids: readonly (number | undefined)[];
    {
      await using live = await LiveRuntime.start();
      root = live.root;
      const ends = await Promise.all(
        Array.from({ length: 30 }, (_, n) => live.sh(`echo ${n}; exit ${n}`)),
      );
      assert.deepEqual(
        ends.map(({ exitCode, output }) => ({ exitCode, output })),
        Array.from({ length: 30 }, (_, n) => ({ exitCode: n, output: `${n}\n` })),
      );
      pids = ends.map(({ status }) => stateOf(live, status.id).shim.pid);
      for (const { status } of ends) await live.runtime.remove(status.id);
      assert.deepEqual(readdirSync(join(root, "runtime/containers")), []);
    }
    // Other tests mount other things at the same time.
    assert.deepEqual(
      readMountInfo().filter((mount) => JSON.stringify(mount).includes(root)),
      [],
    );
    assert.ok(!existsSync(root));
    assert.deepEqual(
      pids.filter((pid) => pid !== undefined && identify(pid)),
      [],
    );
  });
});

describe("a runtime that is started again", { skip: cannotRun }, () => {
  it("G3 finds a container that runs, with its output and, later, its exit code", async () => {
    using dir = tempDir();
    await using _rest = removeRest(dir.path);
    const started = await startAndDie(
      dir.path,
      "echo up; until [ -e /dev/shm/go ]; do sleep 0.01; done; echo more; exit 6",
    );
    await using live = await LiveRuntime.start(dir.path);
    assert.deepEqual(live.runtime.list(), [{ ...started, end: undefined }]);
    const other = await live.sh("touch /dev/shm/go");
    assert.equal(other.exitCode, 0);
    const { end } = await live.ended(started.id);
    assert.equal(end?.exitCode, 6);
    assert.equal(end?.isUnknown, false);
    assert.equal(live.output.of(started.id), "more\n");
  });

  it("G3 knows how a container ended while nobody watched, again and again", async () => {
    using dir = tempDir();
    await using _rest = removeRest(dir.path);
    const { pid } = await startAndDie(dir.path, "echo up; exec sleep 1000");
    process.kill(pid ?? 0, "SIGKILL");
    for (let attempt = 0; attempt < 2; attempt++) {
      const live = await LiveRuntime.start(dir.path);
      const [status] = live.runtime.list();
      assert.ok(status);
      const { end } = await live.ended(status.id);
      assert.deepEqual(
        { ...end, finishedAtMs: 0 },
        { exitCode: 137, signal: 9, isUnknown: false, isOutOfMemory: false, finishedAtMs: 0 },
      );
      await live.leave();
    }
    await using live = await LiveRuntime.start(dir.path);
    assert.equal(live.runtime.list().length, 1);
  });

  it("ends a container whose shim was killed meanwhile, and says that it does not know how it went", async () => {
    using dir = tempDir();
    await using _rest = removeRest(dir.path);
    const started = await startAndDie(dir.path, "echo up; exec sleep 1000");
    const init = identityOf(started);
    const state = JSON.parse(
      readFileSync(dir.join("runtime/containers", started.id, "state.json"), "utf8"),
    ) as { shim: ProcessIdentity };
    process.kill(state.shim.pid, "SIGKILL");
    while (isAlive(state.shim)) await new Promise((resolve) => setTimeout(resolve, 1));
    await using live = await LiveRuntime.start(dir.path);
    const [status] = live.runtime.list();
    assert.equal(status?.end?.exitCode, 137);
    assert.equal(status?.end?.isUnknown, true);
    assert.ok(!isAlive(init));
  });

  it("touches no process after a restart of the machine, and says that it does not know how containers ended", async () => {
    using dir = tempDir();
    await using _rest = removeRest(dir.path);
    const started = await startAndDie(dir.path, "echo up; exec sleep 1000");
    const init = identityOf(started);
    const directory = dir.join("runtime/containers", started.id);
    const path = join(directory, "state.json");
    const state = JSON.parse(readFileSync(path, "utf8")) as {
      shim: ProcessIdentity;
      bootId: string;
    };
    process.kill(state.shim.pid, "SIGKILL");
    while (isAlive(state.shim)) await new Promise((resolve) => setTimeout(resolve, 1));
    writeFileSync(path, JSON.stringify({ ...state, bootId: "another" }));
    try {
      await using live = await LiveRuntime.start(dir.path);
      assert.equal(live.runtime.list()[0]?.end?.isUnknown, true);
      assert.ok(isAlive(init));
    } finally {
      // With the container its cgroup goes, and who is in it.
      signalProcess(init, constants.signals.SIGKILL);
    }
  });

  it("removes what was only half made, with its processes", async () => {
    using dir = tempDir();
    await using _rest = removeRest(dir.path);
    mkdirSync(dir.join("runtime/containers/empty"), { recursive: true });
    const started = await startAndDie(dir.path, "echo up; exec sleep 1000");
    const init = identityOf(started);
    writeFileSync(
      dir.join("runtime/containers", started.id, "failure"),
      "the launcher ended before it started the program",
    );
    await using live = await LiveRuntime.start(dir.path);
    assert.deepEqual(live.runtime.list(), []);
    assert.deepEqual(readdirSync(dir.join("runtime/containers")), []);
    assert.ok(!isAlive(init));
  });

  it("does not have to end what never got its instructions: that ends by itself", async () => {
    using dir = tempDir();
    const child = fileURLToPath(import.meta.resolve("./abandoning-child.ts"));
    const { stdout } = await promisify(execFile)(process.execPath, [child, dir.join("container")]);
    const shim = JSON.parse(stdout) as ProcessIdentity;
    while (isAlive(shim)) await new Promise((resolve) => setTimeout(resolve, 5));
    // It runs a program by a descriptor of the runtime's, which may be gone by then.
    const why = /the runtime went away|the launcher was not started/;
    assert.match(readFileSync(dir.join("container/failure"), "utf8"), why);
  });

  it("takes no other process for the container's that got its number", async () => {
    using dir = tempDir();
    await using _rest = removeRest(dir.path);
    const bystander = spawn("sleep", ["1000"]);
    try {
      const started = await startAndDie(dir.path, "echo up; exec sleep 1000");
      process.kill(started.pid ?? 0, "SIGKILL");
      const file = dir.join("runtime/containers", started.id, "init.json");
      const real = JSON.parse(readFileSync(file, "utf8")) as ProcessIdentity;
      writeFileSync(file, JSON.stringify({ ...real, pid: bystander.pid }));
      await using live = await LiveRuntime.start(dir.path);
      assert.equal((await live.ended(started.id)).end?.exitCode, 137);
      assert.ok(identify(bystander.pid ?? 0));
    } finally {
      bystander.kill("SIGKILL");
    }
  });
});

describe("a container whose shim is killed", { skip: cannotRun }, () => {
  it("is ended and reported at once", async () => {
    await using live = await LiveRuntime.start();
    const started = await live.background("echo up; exec sleep 1000");
    const init = identityOf(started);
    const ended = live.ended(started.id);
    process.kill(stateOf(live, started.id).shim.pid, "SIGKILL");
    const { end } = await ended;
    assert.equal(end?.exitCode, 137);
    assert.equal(end?.isUnknown, true);
    assert.ok(!isAlive(init));
  });
});

describe("a log keeper that refuses", { skip: cannotRun }, () => {
  it("keeps the container from starting, and nothing of it is left", async () => {
    await using live = await LiveRuntime.start();
    live.output.follow = () => Promise.reject(new Error("the disk is full"));
    await assert.rejects(live.runtime.start(live.spec({ argv: ["sleep", "1000"] })), {
      name: "StartError",
      message: "the disk is full",
    });
    assert.deepEqual(readdirSync(join(live.root, "runtime/containers")), []);
    assert.deepEqual(
      processesWith("driftless default/web/main").filter((pid) => {
        try {
          return readlinkSync(`/proc/${pid}/cwd`).includes(live.root);
        } catch {
          return false; // One of another test, which ended meanwhile.
        }
      }),
      [],
    );
  });
});
