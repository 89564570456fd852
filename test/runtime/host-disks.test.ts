// The machine's own root when it is more than one disk, and mounts that spread.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, it } from "node:test";
import { tempDir } from "../../src/base/testing/temp-dir.ts";
import { openNoLinks } from "../../src/mounts/safe-path.ts";
import { mountSetattr } from "../../src/mounts/system-calls.ts";
import { SystemMounts } from "../../src/mounts/system-mounts.ts";
import type { ContainerMount } from "../../src/runtime/runtime.ts";
import { cannotRun, LiveRuntime, testSecurity } from "./live-runtime.ts";

const mounts = new SystemMounts();

/** An overlay at `disk` below a directory of the test's own: as good as a disk. */
function otherDisk() {
  const dir = tempDir();
  dir.write({ "lower/f": "lower" });
  for (const name of ["upper", "work", "disk"]) mkdirSync(dir.join(name));
  const options = `lowerdir=${dir.join("lower")},upperdir=${dir.join("upper")},workdir=${dir.join("work")}`;
  execFileSync("mount", ["-t", "overlay", "overlay", "-o", options, dir.join("disk")]);
  return {
    path: dir.join("disk"),
    [Symbol.dispose]: () => {
      mounts.unmount(dir.join("disk"));
      dir[Symbol.dispose]();
    },
  };
}

const MS_SHARED = 1 << 20;

/** A tmpfs that passes on what is mounted on it. */
function sharedDirectory() {
  const dir = tempDir();
  mounts.tmpfs(dir.path, { sizeBytes: undefined, mode: 0o755 });
  using place = openNoLinks(dir.path);
  mountSetattr(place, { propagation: MS_SHARED, isRecursive: false });
  mkdirSync(dir.join("sub"));
  return {
    join: (name: string) => dir.join(name),
    path: dir.path,
    [Symbol.dispose]: () => {
      for (const { path } of mounts.below(dir.path)) mounts.unmount(path);
      dir[Symbol.dispose]();
    },
  };
}

describe("a container on the machine's root", { skip: cannotRun }, () => {
  it("sees other disks of the machine, and does not write to them", async () => {
    await using live = await LiveRuntime.start();
    using disk = otherDisk();
    const { output } = await live.sh(
      `cat ${disk.path}/f; (echo changed >${disk.path}/f) 2>/dev/null; touch ${disk.path}/new 2>/dev/null; true`,
    );
    assert.equal(output, "lower");
    assert.equal(readFileSync(`${disk.path}/f`, "utf8"), "lower");
    assert.ok(!existsSync(`${disk.path}/new`));
  });

  it("runs also when the runtime's directory is on an overlay, which cannot hold a writable layer", async () => {
    using disk = otherDisk();
    mkdirSync(`${disk.path}/data`);
    await using live = await LiveRuntime.start(`${disk.path}/data`);
    const { output } = await live.sh("echo x >/etc/mine; cat /etc/mine");
    assert.equal(output, "x\n");
  });
});

describe("mounts that are made later", { skip: cannotRun }, () => {
  const cases: readonly {
    readonly propagation: ContainerMount["propagation"];
    readonly does: string;
    readonly seenInContainer: string;
    readonly seenOnMachine: boolean;
  }[] = [
    {
      propagation: "None",
      does: "spread in no direction",
      seenInContainer: "no",
      seenOnMachine: false,
    },
    {
      propagation: "HostToContainer",
      does: "reach the container",
      seenInContainer: "yes",
      seenOnMachine: false,
    },
    {
      propagation: "Bidirectional",
      does: "reach the container and the machine",
      seenInContainer: "yes",
      seenOnMachine: true,
    },
  ];
  for (const { propagation, does, seenInContainer, seenOnMachine } of cases) {
    it(`${does} with ${propagation}`, async () => {
      await using live = await LiveRuntime.start();
      using shared = sharedDirectory();
      mkdirSync(shared.join("back"));
      const { id } = await live.background(
        `mount -t tmpfs tmpfs /v/back; echo up; until [ -e /dev/shm/go ]; do sleep 0.01; done; [ -e /v/sub/f ] && echo yes || echo no`,
        {
          mounts: [{ hostPath: shared.path, containerPath: "/v", isReadOnly: false, propagation }],
          security: { ...testSecurity, isPrivileged: true },
        },
      );
      mounts.tmpfs(shared.join("sub"), { sizeBytes: undefined, mode: 0o755 });
      execFileSync("touch", [shared.join("sub/f")]);
      await live.sh("touch /dev/shm/go");
      await live.ended(id);
      assert.equal(live.output.of(id), `up\n${seenInContainer}\n`);
      assert.equal(mounts.at(shared.join("back")) !== undefined, seenOnMachine);
    });
  }

  it("cannot spread from a directory that passes nothing on, and it is said", async () => {
    await using live = await LiveRuntime.start();
    using dir = tempDir();
    mounts.tmpfs(dir.path, { sizeBytes: undefined, mode: 0o755 });
    using _unmount = { [Symbol.dispose]: () => mounts.unmount(dir.path) };
    const mount = {
      hostPath: dir.path,
      containerPath: "/v",
      isReadOnly: false,
      propagation: "Bidirectional",
    } as const;
    await assert.rejects(live.sh("true", { mounts: [mount] }), /is not on a shared mount/);
    assert.ok(dir.path.startsWith(tmpdir()));
  });
});
