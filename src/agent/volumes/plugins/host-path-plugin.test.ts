import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { describe, it } from "node:test";
import type { Volume } from "../../../api/types.ts";
import { tempDir } from "../../../base/testing/temp-dir.ts";
import { HostPathPlugin } from "./host-path-plugin.ts";
import { podWith, toMount } from "./testing/plugin-bench.ts";

const plugin = new HostPathPlugin();

async function setUp(path: string, type?: string): Promise<string> {
  const volume: Volume = { name: "host", hostPath: { path, type } };
  const content = await plugin.setUp(toMount(plugin, volume, podWith()));
  equal(content.isReadOnly, false);
  return content.path;
}

describe("a hostPath volume", () => {
  it("is not looked at and not made without a type", async () => {
    using dir = tempDir();
    equal(await setUp(dir.join("none")), dir.join("none"));
    equal(await setUp(dir.join("none"), ""), dir.join("none"));
    deepEqual(existsSync(dir.join("none")), false);
  });

  it("is made with the directories above it for DirectoryOrCreate", async () => {
    using dir = tempDir();
    await setUp(dir.join("a", "b"), "DirectoryOrCreate");
    ok(statSync(dir.join("a", "b")).isDirectory());
    await setUp(dir.join("a", "b"), "DirectoryOrCreate");
  });

  it("is made for FileOrCreate, but not the directories above it", async () => {
    using dir = tempDir();
    await setUp(dir.join("file"), "FileOrCreate");
    equal(statSync(dir.join("file")).size, 0);
    writeFileSync(dir.join("file"), "content");
    await setUp(dir.join("file"), "FileOrCreate");
    equal(statSync(dir.join("file")).size, 7);
    await rejects(setUp(dir.join("none", "file"), "FileOrCreate"), /ENOENT/);
  });

  it("passes if it is what the pod takes it for, also behind a link", async () => {
    using dir = tempDir();
    mkdirSync(dir.join("dir"));
    writeFileSync(dir.join("file"), "");
    symlinkSync("dir", dir.join("link"));
    await setUp(dir.join("dir"), "Directory");
    await setUp(dir.join("link"), "Directory");
    await setUp(dir.join("file"), "File");
    await setUp("/dev/null", "CharDevice");
  });

  it("passes if it is a socket and should be one", async () => {
    using dir = tempDir();
    const server = createServer().listen(dir.join("socket"));
    try {
      await once(server, "listening");
      await setUp(dir.join("socket"), "Socket");
      await rejects(
        setUp(dir.join("socket"), "File"),
        new Error(`hostPath type check failed: ${dir.join("socket")} is not a file, it's a Socket`),
      );
    } finally {
      server.close();
    }
  });

  const others: readonly [type: string, path: string, text: string][] = [
    ["Directory", "file", "FILE is not a directory, it's a File"],
    ["DirectoryOrCreate", "file", "FILE is not a directory, it's a File"],
    ["File", "dir", "FILE is not a file, it's a Directory"],
    ["FileOrCreate", "dir", "FILE is not a file, it's a Directory"],
    ["Socket", "file", "FILE is not a socket file, it's a File"],
    ["CharDevice", "file", "FILE is not a character device, it's a File"],
    ["BlockDevice", "file", "FILE is not a block device, it's a File"],
  ];
  for (const [type, name, text] of others) {
    it(`is refused if it is something else than ${type}`, async () => {
      using dir = tempDir();
      mkdirSync(dir.join("dir"));
      writeFileSync(dir.join("file"), "");
      const said = text.replace("FILE", dir.join(name));
      await rejects(setUp(dir.join(name), type), new Error(`hostPath type check failed: ${said}`));
    });
  }

  it("is refused if it should be there and is not", async () => {
    using dir = tempDir();
    const path = dir.join("none");
    await rejects(
      setUp(path, "Directory"),
      new Error(
        `hostPath type check failed, ${path} is not a directory, unable to determine its type: path "${path}" does not exist`,
      ),
    );
  });

  it("is refused for a type that does not exist, and for a path that goes back", async () => {
    await rejects(setUp("/tmp", "Tape"), new Error("Tape is an invalid volume type"));
    await rejects(setUp("/tmp", "constructor"), new Error("constructor is an invalid volume type"));
    await rejects(
      setUp("/tmp/../etc"),
      new Error("invalid HostPath `/tmp/../etc`: must not contain '..'"),
    );
  });

  it("stays when the pod goes", async () => {
    using dir = tempDir();
    await setUp(dir.path, "Directory");
    await plugin.tearDown();
    ok(existsSync(dir.path));
  });
});
