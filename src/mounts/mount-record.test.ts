import assert from "node:assert/strict";
import { appendFileSync, statSync } from "node:fs";
import { describe, it } from "node:test";
import { tempDir } from "../base/testing/temp-dir.ts";
import { type MountNote, type MountRecord, MountRecords } from "./mount-record.ts";

function note(id: number): MountNote {
  return { shown: { id, file: { inode: `8:${id}`, isDirectory: false } }, version: `v${id}` };
}

/** As whoever comes next reads it. */
function readAnew(path: string): MountRecord {
  return new MountRecords().read(path).record;
}

describe("the record of a container's mounts", () => {
  it("is empty if there is none, and has the newest of what was written", () => {
    using dir = tempDir();
    const path = dir.join("record");
    const records = new MountRecords();
    assert.deepEqual(records.read(path), { record: new Map(), isOfBefore: false });
    records.write(
      path,
      new Map([
        ["/a", note(1)],
        ["/b", note(2)],
      ]),
      ["/a", "/b"],
    );
    records.write(path, new Map([["/a", note(3)]]), ["/a"]);
    assert.deepEqual(
      readAnew(path),
      new Map([
        ["/a", note(3)],
        ["/b", note(2)],
      ]),
    );
  });

  it("goes on after a line whose writer was killed", () => {
    using dir = tempDir();
    const path = dir.join("record");
    new MountRecords().write(path, new Map([["/a", note(1)]]), ["/a"]);
    appendFileSync(path, '\n{"/a":{"shown":{"id"');
    const records = new MountRecords();
    const { record, isOfBefore } = records.read(path);
    assert.deepEqual([record, isOfBefore], [new Map([["/a", note(1)]]), true]);
    records.write(path, record.set("/a", note(2)), ["/a"]);
    assert.deepEqual(readAnew(path), new Map([["/a", note(2)]]));
  });

  it("is read once, and again when somebody else has changed it", () => {
    using dir = tempDir();
    const path = dir.join("record");
    const records = new MountRecords();
    const { record } = records.read(path);
    records.write(path, record.set("/a", note(1)), ["/a"]);
    assert.equal(records.read(path).record, record);
    new MountRecords().write(path, new Map([["/a", note(2)]]), ["/a"]);
    const again = records.read(path);
    assert.deepEqual([again.record, again.isOfBefore], [new Map([["/a", note(2)]]), true]);
  });

  it("counts as it is on the disk when it could not be written", () => {
    using dir = tempDir();
    const path = dir.join("missing", "record");
    const records = new MountRecords();
    const { record } = records.read(path);
    assert.throws(() => records.write(path, record.set("/a", note(1)), ["/a"]), /ENOENT/);
    assert.deepEqual(records.read(path).record, new Map());
  });

  it("of many mounts is not written anew with every change of all of them", () => {
    using dir = tempDir();
    const path = dir.join("record");
    const names = Array.from({ length: 1000 }, (_, i) => `/etc/app/${"x".repeat(200)}/key-${i}`);
    const records = new MountRecords();
    const { record } = records.read(path);
    const inodes = new Set<number>();
    for (let i = 0; i < 20; i++) {
      for (const name of names) record.set(name, note(i));
      records.write(path, record, names);
      inodes.add(statSync(path).ino);
    }
    assert.ok(inodes.size <= 4, `it was written anew ${inodes.size} times`);
    assert.equal(readAnew(path).get(names[999] ?? "")?.shown.id, 19);
  });

  it("does not grow for ever", () => {
    using dir = tempDir();
    const path = dir.join("record");
    const record = new Map([
      ["/a", note(1)],
      ["/b", note(1)],
    ]);
    const records = new MountRecords();
    records.write(path, record, ["/b"]);
    for (let i = 0; i < 5000; i++) records.write(path, record.set("/a", note(i)), ["/a"]);
    assert.ok(statSync(path).size < 300_000);
    assert.deepEqual(
      readAnew(path),
      new Map([
        ["/a", note(4999)],
        ["/b", note(1)],
      ]),
    );
  });
});
