// With real mounts: what is promised here is promised by the kernel.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { describe, it } from "node:test";
import { tempDir } from "../../base/testing/temp-dir.ts";
import type { MountEntry } from "../../mounts/mounts.ts";
import { SystemMounts } from "../../mounts/system-mounts.ts";
import { AgentPaths } from "../agent-paths.ts";
import { SubPathError, type SubPathRequest, SubPaths } from "./sub-paths.ts";

const skip = process.getuid?.() === 0 ? false : "mounting needs root";
const failedToMake = 'failed to create subPath directory for volumeMount "vol" of container "main"';
const failedToPrepare = 'failed to prepare subPath for volumeMount "vol" of container "main"';

class RecordingMounts extends SystemMounts {
  readonly unmounted: string[] = [];

  /** Called once, when it was looked what is mounted. */
  onLook: (() => void) | undefined;

  override below(path: string): readonly MountEntry[] {
    const found = super.below(path);
    const { onLook } = this;
    this.onLook = undefined;
    onLook?.();
    return found;
  }

  override unmount(target: string): void {
    this.unmounted.push(target);
    super.unmount(target);
  }
}

/** A volume, and the places where its parts are mounted. */
class World implements Disposable {
  readonly #dir = tempDir();
  readonly mounts = new RecordingMounts();
  readonly paths = new AgentPaths(this.#dir.join("data"));
  readonly subPaths = new SubPaths({ paths: this.paths, mounts: this.mounts });
  readonly root: string = this.at("volume");

  constructor() {
    mkdirSync(this.root);
  }

  at(...names: readonly string[]): string {
    return this.#dir.join(...names);
  }

  inVolume(...names: readonly string[]): string {
    return this.at("volume", ...names);
  }

  request(subPath: string, more: Partial<SubPathRequest> = {}): SubPathRequest {
    const of = { podUid: "u1", volume: "vol", container: "main", index: 0, root: this.root };
    return { ...of, subPath, isWrittenByAgent: false, ...more };
  }

  prepare(subPath: string, more: Partial<SubPathRequest> = {}): string {
    return this.subPaths.prepare(this.request(subPath, more)).hostPath;
  }

  get target(): string {
    return this.paths.subPath(this.request(""));
  }

  /** As the atomic writer lays it out, by a link that is swapped. */
  writeVersion(version: string, files: Readonly<Record<string, string>>): void {
    mkdirSync(this.inVolume(version));
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(this.inVolume(version, name), content);
      if (!existsSync(this.inVolume(name))) {
        rmSync(this.inVolume(name), { force: true });
        symlinkSync(`..data/${name}`, this.inVolume(name));
      }
    }
    symlinkSync(version, this.inVolume("..next"));
    renameSync(this.inVolume("..next"), this.inVolume("..data"));
  }

  [Symbol.dispose](): void {
    for (const { path } of this.mounts.below(this.#dir.path)) this.mounts.unmount(path);
    this.#dir[Symbol.dispose]();
  }
}

describe("SubPaths.prepare", { skip }, () => {
  it("N: shows a directory of the volume", () => {
    using world = new World();
    mkdirSync(world.inVolume("a"));
    const path = world.prepare("a");
    writeFileSync(world.inVolume("a", "file"), "1");
    assert.equal(path, world.target);
    assert.equal(readFileSync(`${path}/file`, "utf8"), "1");
  });

  it("N: shows a file, also through links that stay in the volume", () => {
    using world = new World();
    writeFileSync(world.inVolume("file"), "content");
    mkdirSync(world.inVolume("dir"));
    symlinkSync("../file", world.inVolume("dir", "link"));
    symlinkSync("dir", world.inVolume("dirlink"));
    assert.equal(readFileSync(world.prepare("file"), "utf8"), "content");
    assert.equal(readFileSync(world.prepare("dirlink/link", { index: 1 }), "utf8"), "content");
  });

  it("N: shows a socket and a pipe", async () => {
    using world = new World();
    const server = createServer().listen(world.inVolume("socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    try {
      execFileSync("mkfifo", [world.inVolume("pipe")]);
      assert.ok(statSync(world.prepare("socket")).isSocket());
      assert.ok(statSync(world.prepare("pipe", { index: 1 })).isFIFO());
    } finally {
      server.close();
    }
  });

  it("shows the new version also if what it takes away is being replaced at this moment", () => {
    using world = new World();
    world.writeVersion("..v1", { file: "1" });
    const path = world.prepare("file", { isWrittenByAgent: true });
    world.writeVersion("..v2", { file: "2" });
    world.mounts.onLook = () =>
      world.mounts.bind(world.inVolume("..v1", "file"), path, { isReadOnly: false });
    world.prepare("file", { isWrittenByAgent: true });
    assert.equal(readFileSync(path, "utf8"), "2");
    assert.equal(world.mounts.below(path).length, 1);
  });

  it('N: shows the whole volume as "."', () => {
    using world = new World();
    writeFileSync(world.inVolume("file"), "1");
    assert.deepEqual(readdirSync(world.prepare(".")), ["file"]);
  });

  it("makes missing directories with the volume's own mode, at each level", () => {
    using world = new World();
    chmodSync(world.root, 0o2775);
    const umask = process.umask(0o077);
    try {
      world.prepare("a/b/c");
    } finally {
      process.umask(umask);
    }
    for (const made of ["a", "a/b", "a/b/c"]) {
      assert.equal((statSync(world.inVolume(made)).mode & 0o7777).toString(8), "2775", made);
    }
  });

  const escapes: readonly [
    what: string,
    make: (world: World) => void,
    subPath: string,
    message: string,
  ][] = [
    [
      "is a link to outside",
      (w) => symlinkSync(w.at("outside"), w.inVolume("x")),
      "x",
      failedToPrepare,
    ],
    [
      "is a relative link to outside",
      (w) => symlinkSync("../outside", w.inVolume("x")),
      "x",
      failedToPrepare,
    ],
    [
      "lies below a link to outside",
      (w) => symlinkSync(w.at("outside"), w.inVolume("x")),
      "x/secret",
      failedToPrepare,
    ],
    [
      "would be made below a link to outside",
      (w) => symlinkSync("../outside", w.inVolume("x")),
      "x/new",
      failedToMake,
    ],
    [
      "is a link to the root of all files",
      (w) => symlinkSync("/", w.inVolume("x")),
      "x/etc",
      failedToPrepare,
    ],
    ["is a link to nothing", (w) => symlinkSync("nowhere", w.inVolume("x")), "x", failedToMake],
    ["is a loop", (w) => symlinkSync("x", w.inVolume("x")), "x", failedToPrepare],
    ["goes through a file", (w) => writeFileSync(w.inVolume("x"), ""), "x/y", failedToPrepare],
  ];
  for (const [what, make, subPath, message] of escapes) {
    it(`N: refuses a path that ${what}, and leaves nothing behind`, () => {
      using world = new World();
      mkdirSync(world.at("outside"));
      writeFileSync(world.at("outside", "secret"), "s");
      make(world);
      assert.throws(
        () => world.prepare(subPath),
        (err: unknown) => {
          assert.ok(err instanceof SubPathError);
          assert.equal(err.message, message);
          return true;
        },
      );
      assert.equal(existsSync(world.target), false);
      assert.deepEqual(readdirSync(world.at("outside")), ["secret"]);
    });
  }

  it("N: uses again what is mounted already", () => {
    using world = new World();
    writeFileSync(world.inVolume("file"), "1");
    world.prepare("file");
    world.prepare("file");
    assert.deepEqual(world.mounts.unmounted, []);
    assert.equal(world.mounts.below(world.target).length, 1);
  });

  it("N: puts another file in the place of one that is in use, whose user keeps it", () => {
    using world = new World();
    world.writeVersion("..1", { key: "old" });
    const inUse = openSync(world.prepare("key", { isWrittenByAgent: true }), "r");
    try {
      world.writeVersion("..2", { key: "new" });
      assert.equal(readFileSync(world.target, "utf8"), "old");
      rmSync(world.inVolume("..1"), { recursive: true });
      world.prepare("key", { isWrittenByAgent: true });
      assert.equal(readFileSync(world.target, "utf8"), "new");
      assert.equal(readFileSync(inUse, "utf8"), "old");
      assert.equal(world.mounts.below(world.target).length, 1);
    } finally {
      closeSync(inUse);
    }
  });

  it("N: puts a directory in the place of a file, and on another device", () => {
    using world = new World();
    writeFileSync(world.inVolume("x"), "file");
    world.prepare("x");
    const other = world.at("other");
    mkdirSync(other);
    world.mounts.tmpfs(other, { sizeBytes: 65_536, mode: 0o755 });
    mkdirSync(`${other}/x`);
    writeFileSync(`${other}/x/in`, "1");
    assert.deepEqual(readdirSync(world.prepare("x", { root: other })), ["in"]);
    assert.equal(world.mounts.below(world.target).length, 1);
  });

  it("N: takes a place over where a former life made a directory but no mount", () => {
    using world = new World();
    mkdirSync(world.target, { recursive: true });
    writeFileSync(world.inVolume("file"), "1");
    assert.equal(readFileSync(world.prepare("file"), "utf8"), "1");
  });

  it("W7: makes nothing in a volume that the agent writes, and shows the key once it is there", () => {
    using world = new World();
    world.writeVersion("..1", { other: "o" });
    const request = world.request("key", { isWrittenByAgent: true });
    assert.deepEqual(world.subPaths.prepare(request), { hostPath: world.target, isAbsent: true });
    assert.deepEqual(readdirSync(world.target), []);
    assert.equal(statSync(world.target).mode & 0o777, 0o755);
    assert.deepEqual(readdirSync(world.root).toSorted(), ["..1", "..data", "other"]);

    world.writeVersion("..2", { key: "here" });
    assert.deepEqual(world.subPaths.prepare(request), { hostPath: world.target, isAbsent: false });
    assert.equal(readFileSync(world.target, "utf8"), "here");
  });

  it("W7: shows an empty directory again after the key has gone, not the old file", () => {
    using world = new World();
    world.writeVersion("..1", { key: "old" });
    const request = world.request("key", { isWrittenByAgent: true });
    world.subPaths.prepare(request);
    world.writeVersion("..2", {});
    assert.equal(world.subPaths.prepare(request).isAbsent, true);
    assert.deepEqual(readdirSync(world.target), []);
    assert.ok(lstatSync(world.inVolume("key")).isSymbolicLink());
  });
});

describe("SubPaths.clean", { skip }, () => {
  const of = { podUid: "u1", volume: "vol" };

  it("N: does nothing where nothing is", () => {
    using world = new World();
    world.subPaths.clean(of);
  });

  it("N: takes mounts, files and directories away, of all containers, and keeps the volume's content", () => {
    using world = new World();
    mkdirSync(world.inVolume("dir"));
    writeFileSync(world.inVolume("dir", "kept"), "1");
    writeFileSync(world.inVolume("file"), "1");
    world.prepare("dir");
    world.prepare("file", { index: 1 });
    world.prepare("dir", { container: "other" });
    world.prepare("absent", { container: "other", index: 1, isWrittenByAgent: true });
    world.subPaths.clean(of);
    assert.deepEqual(world.mounts.below(world.paths.pod("u1")), []);
    assert.deepEqual(readdirSync(world.paths.pod("u1")), []);
    assert.deepEqual(readdirSync(world.inVolume("dir")), ["kept"]);
  });

  it("N: leaves another volume's alone", () => {
    using world = new World();
    mkdirSync(world.inVolume("dir"));
    world.prepare("dir");
    const other = world.prepare("dir", { volume: "other" });
    world.subPaths.clean(of);
    assert.ok(world.mounts.at(other));
    assert.equal(existsSync(world.target), false);
  });

  it("N: unmounts what was mounted twice at a place", () => {
    using world = new World();
    mkdirSync(world.inVolume("dir"));
    const target = world.prepare("dir");
    world.mounts.bind(world.root, target, { isReadOnly: true });
    world.subPaths.clean(of);
    assert.equal(existsSync(target), false);
  });

  it("N: says that a file is where a container's directory should be, and cleans the others", () => {
    using world = new World();
    mkdirSync(world.inVolume("dir"));
    const target = world.prepare("dir");
    writeFileSync(`${world.paths.pod("u1")}/volume-subpaths/vol/file`, "");
    assert.throws(() => world.subPaths.clean(of), AggregateError);
    assert.equal(existsSync(target), false);
  });

  it("N: does not delete what it did not make", () => {
    using world = new World();
    mkdirSync(world.target, { recursive: true });
    writeFileSync(`${world.target}/precious`, "1");
    assert.throws(
      () => world.subPaths.clean(of),
      /Cannot take away the sub paths of volume "vol" of pod u1/,
    );
    assert.equal(readFileSync(`${world.target}/precious`, "utf8"), "1");
  });
});
