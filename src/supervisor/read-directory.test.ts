import assert from "node:assert/strict";
import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { test } from "node:test";
import { tempDir } from "../base/testing/temp-dir.ts";
import { readDirectory } from "./read-directory.ts";

function texts(files: ReadonlyMap<string, Uint8Array>): Record<string, string> {
  return Object.fromEntries([...files].map(([name, data]) => [name, Buffer.from(data).toString()]));
}

test("readDirectory reads what ..data names, and watches the volume alone", () => {
  using dir = tempDir();
  dir.write({ "..v1/a": "1", "..v1/sub/b": "2" });
  symlinkSync("..v1", dir.join("..data"));
  symlinkSync("..data/a", dir.join("a"));
  const { files, watched, isVolume } = readDirectory(dir.path);
  assert.deepEqual(texts(files), { a: "1", "sub/b": "2" });
  assert.deepEqual([watched, isVolume], [[dir.path], true]);
});

test("readDirectory follows a volume to its next version", () => {
  using dir = tempDir();
  dir.write({ "..v1/a": "1", "..v2/a": "2" });
  symlinkSync("..v1", dir.join("..data"));
  symlinkSync("..v2", dir.join("..data_tmp"));
  renameSync(dir.join("..data_tmp"), dir.join("..data"));
  assert.deepEqual(texts(readDirectory(dir.path).files), { a: "2" });
});

test("readDirectory watches each directory of a plain one, and follows no links to directories", () => {
  using dir = tempDir();
  dir.write({ a: "1", "sub/b": "2" });
  symlinkSync(".", dir.join("loop"));
  const { files, watched } = readDirectory(dir.path);
  assert.deepEqual(texts(files), { a: "1", "sub/b": "2" });
  assert.deepEqual(watched, [dir.path, dir.join("sub")]);
});

test("readDirectory takes a single file, by its directory", () => {
  using dir = tempDir();
  dir.write({ "app.yaml": "x", other: "y" });
  const { files, watched } = readDirectory(dir.join("app.yaml"));
  assert.deepEqual(texts(files), { "app.yaml": "x" });
  assert.deepEqual(watched, [dir.path]);
});

test("readDirectory says that a place is not there, and that a volume is broken", () => {
  using dir = tempDir();
  assert.throws(() => readDirectory(dir.join("none")), { code: "ENOENT" });
  mkdirSync(dir.join("v"));
  symlinkSync("..gone", dir.join("v", "..data"));
  assert.throws(() => readDirectory(dir.join("v")), /changed during each/);
});

test("readDirectory watches beside a directory that is a link, as those in volumes are", () => {
  using dir = tempDir();
  dir.write({ "v/..1/sub/a": "1" });
  symlinkSync("..1", dir.join("v", "..data"));
  symlinkSync("..data/sub", dir.join("v", "sub"));
  const { files, watched } = readDirectory(dir.join("v", "sub"));
  assert.deepEqual([...files.keys()], ["a"]);
  assert.deepEqual(watched, [dir.join("v", "sub"), dir.join("v")]);
});

test("readDirectory leaves out only the volume's own names, not those of files further below", () => {
  using dir = tempDir();
  dir.write({ "..own": "", "sub/..name": "1" });
  assert.deepEqual([...readDirectory(dir.path).files.keys()], ["sub/..name"]);
});
