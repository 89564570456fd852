import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { tempDir } from "../base/testing/temp-dir.ts";
import { LockedError, lockAgent } from "./agent-lock.ts";

describe("the lock of a data directory", () => {
  it("is refused while somebody has it, by naming who, and can be taken when it was given back", () => {
    using dir = tempDir();
    const file = join(dir.path, "run", "agent.lock");
    {
      using _lock = lockAgent(file, process.pid);
      assert.throws(
        () => lockAgent(file, 4712),
        (err) =>
          err instanceof LockedError && err.pid === process.pid && err.message.includes(dir.path),
      );
    }
    using _lock = lockAgent(file, 4712);
  });

  it("does not take a process for its holder that got the number of a former one", () => {
    using dir = tempDir();
    const file = join(dir.path, "run", "agent.lock");
    using _lock = lockAgent(file, process.ppid);
    assert.throws(
      () => lockAgent(file, process.pid),
      (err) => err instanceof LockedError && err.pid === undefined,
    );
  });

  it("is free when the process that had it was killed", async () => {
    using dir = tempDir();
    const file = join(dir.path, "run", "agent.lock");
    mkdirSync(join(dir.path, "run"));
    writeFileSync(file, "");
    const child = spawn("flock", ["--no-fork", file, "sh", "-c", "echo locked; exec sleep 60"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    try {
      await once(child.stdout, "data");
      assert.throws(() => lockAgent(file, 1), LockedError);
    } finally {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }
    using _lock = lockAgent(file, 1);
  });
});
