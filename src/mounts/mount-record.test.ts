import assert from "node:assert/strict";
import { appendFileSync, statSync } from "node:fs";
import { describe, it } from "node:test";
import { tempDir } from "../base/testing/temp-dir.ts";
import { type MountNote, readRecord, writeRecord } from "./mount-record.ts";

function note(id: number): MountNote {
  return { shown: { id, file: { inode: `8:${id}`, isDirectory: false } }, version: `v${id}` };
}

describe("the record of a container's mounts", () => {
  it("is empty if there is none, and has the newest of what was written", () => {
    using dir = tempDir();
    const path = dir.join("record");
    assert.deepEqual(readRecord(path), new Map());
    writeRecord(
      path,
      new Map([
        ["/a", note(1)],
        ["/b", note(2)],
      ]),
      ["/a", "/b"],
    );
    writeRecord(path, new Map([["/a", note(3)]]), ["/a"]);
    assert.deepEqual(
      readRecord(path),
      new Map([
        ["/a", note(3)],
        ["/b", note(2)],
      ]),
    );
  });

  it("goes on after a line whose writer was killed", () => {
    using dir = tempDir();
    const path = dir.join("record");
    writeRecord(path, new Map([["/a", note(1)]]), ["/a"]);
    appendFileSync(path, '\n{"/a":{"shown":{"id"');
    assert.deepEqual(readRecord(path), new Map([["/a", note(1)]]));
    writeRecord(path, new Map([["/a", note(2)]]), ["/a"]);
    assert.deepEqual(readRecord(path), new Map([["/a", note(2)]]));
  });

  it("does not grow for ever", () => {
    using dir = tempDir();
    const path = dir.join("record");
    const record = new Map([
      ["/a", note(1)],
      ["/b", note(1)],
    ]);
    writeRecord(path, record, ["/b"]);
    for (let i = 0; i < 5000; i++) writeRecord(path, record.set("/a", note(i)), ["/a"]);
    assert.ok(statSync(path).size < 300_000);
    assert.deepEqual(
      readRecord(path),
      new Map([
        ["/a", note(4999)],
        ["/b", note(1)],
      ]),
    );
  });
});
