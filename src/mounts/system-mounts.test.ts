import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statfsSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { type TempDir, tempDir } from "../base/testing/temp-dir.ts";
import { probeKernel } from "./kernel-support.ts";
import { SystemMounts } from "./system-mounts.ts";

const skip =
  process.platform === "linux" && probeKernel().canMount ? false : "this process may not mount";

function place(): TempDir & Disposable {
  const dir = tempDir();
  const mounts = new SystemMounts();
  return {
    ...dir,
    [Symbol.dispose]: () => {
      for (const { path } of mounts.below(dir.path)) mounts.unmount(path);
      dir[Symbol.dispose]();
    },
  };
}

describe("SystemMounts", { skip }, () => {
  const mounts = new SystemMounts();

  it("mounts a tmpfs of a size and mode, on which nothing is run", () => {
    using dir = place();
    mkdirSync(dir.join("t"));
    mounts.tmpfs(dir.join("t"), { sizeBytes: 65_536, mode: 0o1770 });
    const { bsize, blocks } = statfsSync(dir.join("t"));
    assert.equal(bsize * blocks, 65_536);
    assert.equal(statSync(dir.join("t")).mode & 0o7777, 0o1770);
    const entry = mounts.at(dir.join("t"));
    assert.equal(entry?.fsType, "tmpfs");
    assert.equal(entry?.root, "/");
    const line = readFileSync("/proc/self/mountinfo", "utf8")
      .split("\n")
      .find((text) => text.includes(dir.join("t")));
    assert.match(line ?? "", /nosuid,nodev,noexec/);
    assert.equal(line?.includes("noswap"), probeKernel().hasTmpfsNoSwap);
  });

  it("mounts a tmpfs for programs if it is asked to, and resizes it as one", () => {
    using dir = place();
    mounts.tmpfs(dir.path, { sizeBytes: 65_536, mode: 0o755, isExecutable: true });
    writeFileSync(dir.join("program"), "#!/bin/sh\n", { mode: 0o755 });
    execFileSync(dir.join("program"));
    mounts.resizeTmpfs(dir.path, { sizeBytes: 131_072, isExecutable: true });
    execFileSync(dir.join("program"));
  });

  it("resizes a tmpfs that is mounted, and keeps what is in it", () => {
    using dir = place();
    mounts.tmpfs(dir.path, { sizeBytes: 65_536, mode: 0o755 });
    dir.write({ f: "kept" });
    mounts.resizeTmpfs(dir.path, { sizeBytes: 131_072 });
    const { bsize, blocks } = statfsSync(dir.path);
    assert.equal(bsize * blocks, 131_072);
    assert.equal(readFileSync(dir.join("f"), "utf8"), "kept");
  });

  it("binds directories and files, read-only if asked for", () => {
    using dir = place();
    dir.write({ "a/f": "1", "b/.keep": "", file: "2", target: "" });
    mounts.bind(dir.join("a"), dir.join("b"), { isReadOnly: true });
    mounts.bind(dir.join("file"), dir.join("target"), { isReadOnly: false });
    assert.equal(readFileSync(dir.join("b/f"), "utf8"), "1");
    assert.throws(() => writeFileSync(dir.join("b/new"), ""), { code: "EROFS" });
    writeFileSync(dir.join("a/f"), "3");
    assert.equal(readFileSync(dir.join("b/f"), "utf8"), "3");
    writeFileSync(dir.join("target"), "4");
    assert.equal(readFileSync(dir.join("file"), "utf8"), "4");
    assert.equal(mounts.at(dir.join("b"))?.isReadOnly, true);
  });

  it("follows no link, neither in a source nor in a place", () => {
    using dir = place();
    dir.write({ "a/f": "", "b/f": "" });
    symlinkSync("a", dir.join("link"));
    assert.throws(() => mounts.bind(dir.join("link"), dir.join("b"), { isReadOnly: true }), {
      code: "ELOOP",
    });
    assert.throws(() => mounts.bind(dir.join("a"), dir.join("link"), { isReadOnly: true }), {
      code: "ELOOP",
    });
    assert.throws(() => mounts.tmpfs(dir.join("link"), { sizeBytes: undefined, mode: 0o755 }), {
      code: "ELOOP",
    });
    assert.deepEqual(mounts.below(dir.path), []);
  });

  it("unmounts the topmost, also while it is used, and nothing where nothing is", () => {
    using dir = place();
    dir.write({ "a/f": "lower", "m/.keep": "" });
    mounts.bind(dir.join("a"), dir.join("m"), { isReadOnly: true });
    mounts.tmpfs(dir.join("m"), { sizeBytes: undefined, mode: 0o755 });
    assert.equal(mounts.below(dir.path).length, 2);
    mounts.unmount(dir.join("m"));
    assert.equal(readFileSync(dir.join("m/f"), "utf8"), "lower");
    mounts.unmount(dir.join("m"));
    mounts.unmount(dir.join("m"));
    mounts.unmount(dir.join("missing"));
    assert.equal(mounts.at(dir.join("m")), undefined);
  });

  it("says what failed as Node does, with the place", () => {
    using dir = place();
    dir.write({ a: "" });
    assert.throws(() => mounts.bind(dir.join("missing"), dir.join("a"), { isReadOnly: true }), {
      code: "ENOENT",
      errno: -2,
      syscall: "openat2",
      path: dir.join("missing"),
      message: `ENOENT: no such file or directory, openat2 '${dir.join("missing")}'`,
    });
    assert.throws(() => mounts.tmpfs(dir.join("a"), { sizeBytes: undefined, mode: 0o755 }), {
      code: "ENOTDIR",
      path: dir.join("a"),
    });
  });
});
