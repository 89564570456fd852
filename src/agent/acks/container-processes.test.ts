import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { describe, it } from "node:test";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { probeKernel } from "../../mounts/kernel-support.ts";
import { identify, type ProcessIdentity } from "../../mounts/process-calls.ts";
import { ContainerProcesses } from "./container-processes.ts";

const skip =
  process.platform !== "linux"
    ? "Linux only"
    : (probeKernel().missing.find(({ isNeeded }) => isNeeded)?.message ?? false);

const SLEEP = "sleep\x001000\x00";

/** A shell that is the first of a PID namespace, with a child; and both as the machine knows them. */
async function inNamespace(
  work: (first: ProcessIdentity, outer: ChildProcess) => void | Promise<void>,
): Promise<void> {
  const script = "sleep 1000 & echo $!; wait";
  // --kill-child: all of it ends with the outer one.
  const outer = spawn("unshare", ["--pid", "--fork", "--kill-child", "sh", "-c", script], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const [line] = (await once(outer.stdout, "data")) as [Buffer];
    assert.equal(line.toString(), "2\n");
    // From outside, the first in the namespace is the one that `unshare` has started.
    const outside = identify(outer.pid ?? 0);
    assert.ok(outside);
    const numbers = findChildren(outer.pid ?? 0);
    const first = identify(numbers[0] ?? 0);
    assert.ok(first);
    // The shell has said the number of its child, which may not be the other program yet.
    for (const [child = 0] = findChildren(first.pid); commandOf(child) !== SLEEP; ) {
      await stat("/proc");
    }
    await work(first, outer);
  } finally {
    const ended = once(outer, "exit");
    outer.kill("SIGKILL");
    await ended;
  }
}

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, "utf8");
}

function findChildren(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").filter(Boolean).map(Number);
}

describe("ContainerProcesses", { skip }, () => {
  it("finds processes of a container by the numbers that they have there", async () => {
    await inNamespace((first) => {
      const found = new ContainerProcesses(new FakeClock()).find(first, new Set([1, 2, 3]));
      assert.deepEqual(new Set(found.keys()), new Set([1, 2]));
      assert.deepEqual(found.get(1), first);
      assert.equal(commandOf(found.get(2)?.pid ?? 0), SLEEP);
    });
  });

  it("finds what came into the namespace from outside", async () => {
    await inNamespace(async (first) => {
      const guest = spawn(
        "nsenter",
        ["-t", String(first.pid), "-p", "sh", "-c", "echo $$; read x"],
        {
          stdio: ["pipe", "pipe", "ignore"],
        },
      );
      try {
        const [line] = (await once(guest.stdout, "data")) as [Buffer];
        const number = Number(line.toString());
        const wanted = new Set([number]);
        const processes = new ContainerProcesses(new FakeClock());
        const found = processes.find(first, wanted).get(number);
        assert.match(readFileSync(`/proc/${found?.pid}/cmdline`, "utf8"), /read x/);
      } finally {
        const ended = once(guest, "exit");
        guest.stdin.end("\n");
        await ended;
      }
    });
  });

  it("finds nothing of a container that is gone", () => {
    const gone = { pid: 4_194_303, startTicks: 1 };
    const processes = new ContainerProcesses(new FakeClock());
    assert.equal(processes.find(gone, new Set([1])).size, 0);
  });

  it("looks through the whole machine once a second, however many containers ask for what is not there", async () => {
    await inNamespace(async (first) => {
      const clock = new FakeClock();
      const processes = new ContainerProcesses(clock);
      assert.equal(processes.find(first, new Set([77])).size, 0);
      const guest = spawn("nsenter", [
        "-t",
        String(first.pid),
        "-p",
        "sh",
        "-c",
        "echo $$; read x",
      ]);
      try {
        const [line] = (await once(guest.stdout, "data")) as [Buffer];
        const wanted = new Set([Number(line.toString())]);
        assert.equal(processes.find(first, wanted).size, 0);
        await clock.step(1000);
        assert.equal(processes.find(first, wanted).size, 1);
      } finally {
        const ended = once(guest, "exit");
        guest.stdin.end("\n");
        await ended;
      }
    });
  });
});
