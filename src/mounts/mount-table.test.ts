import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseMountInfo } from "./mount-info.ts";
import { MountTable } from "./mount-table.ts";

function table(...mounts: readonly (readonly [id: number, parent: number, path: string])[]) {
  const lines = mounts.map(([id, parent, path]) => `${id} ${parent} 8:1 / ${path} rw - ext4 d rw`);
  return new MountTable(parseMountInfo(lines.join("\n")));
}

function isHidden(mounts: MountTable, id: number): boolean | undefined {
  const mount = mounts.get(id);
  return mount && mounts.isHidden(mount);
}

describe("MountTable", () => {
  it("knows what is mounted on a mount", () => {
    const mounts = table([1, 0, "/"], [2, 1, "/etc/a"], [3, 2, "/etc/a"]);
    assert.deepEqual(
      mounts.on(2).map(({ id }) => id),
      [3],
    );
    assert.deepEqual(mounts.on(3), []);
  });

  it("says that a mount is hidden by one over a directory above it, and not by those that it stands on", () => {
    const stacked = table([1, 0, "/"], [2, 1, "/etc"], [3, 2, "/etc"], [4, 3, "/etc/a"]);
    assert.equal(isHidden(stacked, 4), false);
    const covered = table([1, 0, "/"], [2, 1, "/etc/app/a"], [3, 1, "/etc"]);
    assert.equal(isHidden(covered, 2), true);
    const beside = table([1, 0, "/"], [2, 1, "/etc/app/a"], [3, 1, "/etc/ap"]);
    assert.equal(isHidden(beside, 2), false);
  });
});
