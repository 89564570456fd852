import { equal, ok, rejects } from "node:assert/strict";
import { once } from "node:events";
import { statSync, symlinkSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { describe, it } from "node:test";
import { systemClock } from "../../base/clock.ts";
import { FakeClock } from "../../base/testing/fake-clock.ts";
import { tempDir } from "../../base/testing/temp-dir.ts";
import { DirectoryTakenError, lockDirectory } from "./directory-lock.ts";

describe("lockDirectory", () => {
  it("is had by one at a time, by whatever name, and let go", async () => {
    using dir = tempDir();
    const directory = dir.join("a/b");
    const lock = await lockDirectory({ directory, mode: 0o700, pid: 41, clock: systemClock });
    equal(statSync(directory).mode & 0o777, 0o700);
    symlinkSync(directory, dir.join("link"));
    await rejects(
      lockDirectory({ directory: dir.join("link"), pid: 42, clock: systemClock }),
      (err) => err instanceof DirectoryTakenError && err.message.includes("link: process 41."),
    );
    await using _other = await lockDirectory({ directory: dir.path, pid: 43, clock: systemClock });
    await lock[Symbol.asyncDispose]();
    await using _again = await lockDirectory({ directory, pid: 44, clock: systemClock });
  });

  it("does not wait for ever for one who has it and says nothing", async () => {
    using dir = tempDir();
    const { dev, ino } = statSync(dir.path, { bigint: true });
    const held: Socket[] = [];
    const silent = createServer((socket) => void held.push(socket));
    silent.listen({ path: `\0driftless-sidecar-${dev}-${ino}` });
    await once(silent, "listening");
    const clock = new FakeClock();
    const taken = lockDirectory({ directory: dir.path, pid: 1, clock });
    const said = rejects(taken, /it does not say which process it is/);
    while (held.length === 0) await systemClock.sleep(1);
    await clock.step(10_000);
    await said;
    for (const socket of held) socket.destroy();
    silent.close();
    await once(silent, "close");
    ok(clock.waiting === 0, "a timer is left");
  });

  it("is let go although somebody who asked who has it stays on the line", async () => {
    using dir = tempDir();
    const lock = await lockDirectory({ directory: dir.path, pid: 41, clock: systemClock });
    const { dev, ino } = statSync(dir.path, { bigint: true });
    const asking = connect({
      path: `\0driftless-sidecar-${dev}-${ino}`,
      allowHalfOpen: true,
    });
    try {
      const [answer] = (await once(asking, "data")) as [Buffer];
      ok(answer.toString().startsWith("41 "));
      await lock[Symbol.asyncDispose]();
    } finally {
      asking.destroy();
    }
  });
});
