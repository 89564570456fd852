import assert from "node:assert/strict";
import { mkdirSync, utimesSync } from "node:fs";
import { describe, it } from "node:test";
import { type TempDir, tempDir } from "../src/base/testing/temp-dir.ts";
import { type DebianSystem, ensureDebianPackages } from "./debian.ts";

const strace = { command: "strace", package: "strace" };

/** A machine on which apt-get works from the `worksFrom`-th call on and brings `brings`. */
function machine(
  dir: TempDir,
  { worksFrom = 1, brings = ["strace"] }: { worksFrom?: number; brings?: string[] } = {},
): DebianSystem & { calls: string[]; commands: Set<string> } {
  const commands = new Set(["apt-get"]);
  const calls: string[] = [];
  return {
    commands,
    calls,
    hasCommand: (command) => commands.has(command),
    isRoot: true,
    lockPath: dir.join("lock"),
    async run(program, args) {
      calls.push([program, ...args].join(" "));
      await Promise.resolve();
      if (calls.length < worksFrom) {
        throw new Error("Reading lists\nE: Unable to locate package strace");
      }
      if (args.includes("install")) {
        for (const command of brings) {
          commands.add(command);
        }
      }
    },
  };
}

const installStrace =
  "apt-get -qq -o DPkg::Lock::Timeout=300 install -y --no-install-recommends strace";

describe("ensureDebianPackages", () => {
  it("does nothing when the command is there", async () => {
    using dir = tempDir();
    const system = machine(dir);
    system.commands.add("strace");

    assert.deepEqual(await ensureDebianPackages([strace], system), { ok: true });
    assert.deepEqual(system.calls, []);
  });

  it("installs what is missing, and only that", async () => {
    using dir = tempDir();
    const system = machine(dir);
    system.commands.add("gcc");

    const done = await ensureDebianPackages([{ command: "gcc", package: "gcc" }, strace], system);

    assert.deepEqual(done, { ok: true });
    assert.deepEqual(system.calls, [installStrace]);
  });

  it("updates the package lists once when the package is not found", async () => {
    using dir = tempDir();
    const system = machine(dir, { worksFrom: 2 });

    assert.deepEqual(await ensureDebianPackages([strace], system), { ok: true });
    assert.deepEqual(system.calls, [
      installStrace,
      "apt-get -qq -o DPkg::Lock::Timeout=300 update",
      installStrace,
    ]);
  });

  it("says why when apt-get fails", async () => {
    using dir = tempDir();
    const system = machine(dir, { worksFrom: 99 });

    assert.deepEqual(await ensureDebianPackages([strace], system), {
      ok: false,
      reason: "strace is not installed, and apt-get failed: E: Unable to locate package strace",
    });
  });

  it("says why when the package does not bring the command", async () => {
    using dir = tempDir();
    const system = machine(dir, { brings: [] });

    const done = await ensureDebianPackages([strace], system);

    assert.deepEqual(done, {
      ok: false,
      reason: "strace is not there even after installing the package",
    });
  });

  it("touches nothing without being root", async () => {
    using dir = tempDir();
    const system = { ...machine(dir), isRoot: false };

    const done = await ensureDebianPackages([strace, { command: "gcc", package: "gcc" }], system);

    assert.deepEqual(done, {
      ok: false,
      reason: "strace, gcc are not installed, and only root could install it",
    });
    assert.deepEqual(system.calls, []);
  });

  it("says so where there is no apt-get", async () => {
    using dir = tempDir();
    const system = machine(dir);
    system.commands.clear();

    const done = await ensureDebianPackages([strace], system);

    assert.match(done.ok ? "" : done.reason, /there is no apt-get/);
  });

  it("installs once when two ask at the same time", async () => {
    using dir = tempDir();
    const system = machine(dir);

    const both = await Promise.all([
      ensureDebianPackages([strace], system),
      ensureDebianPackages([strace], system),
    ]);

    assert.deepEqual(both, [{ ok: true }, { ok: true }]);
    assert.deepEqual(system.calls, [installStrace]);
  });

  it("does not wait for a lock whose owner was killed", async () => {
    using dir = tempDir();
    const system = machine(dir);
    mkdirSync(system.lockPath);
    utimesSync(system.lockPath, 1, 1);

    assert.deepEqual(await ensureDebianPackages([strace], system), { ok: true });
  });
});
