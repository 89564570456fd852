import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeMounts } from "./fake-mounts.ts";

describe("FakeMounts", () => {
  it("remembers what is mounted where, the topmost first", () => {
    const mounts = new FakeMounts();
    mounts.tmpfs("/v", { sizeBytes: 4096, mode: 0o755 });
    mounts.bind("/a", "/v", { isReadOnly: true });
    mounts.bind("/b", "/v/deep", { isReadOnly: false });
    assert.equal(mounts.at("/v")?.source, "/a");
    assert.equal(mounts.at("/v")?.isReadOnly, true);
    assert.deepEqual(
      mounts.below("/v").map(({ path, fsType }) => `${path} ${fsType}`),
      ["/v/deep ext4", "/v ext4", "/v tmpfs"],
    );
    mounts.unmount("/v");
    assert.equal(mounts.at("/v")?.fsType, "tmpfs");
    mounts.unmount("/nothing");
    assert.deepEqual(mounts.calls.at(-1), "unmount /nothing");
  });

  it("resizes a tmpfs and refuses to resize anything else", () => {
    const mounts = new FakeMounts();
    mounts.tmpfs("/v", { sizeBytes: undefined, mode: 0o755 });
    mounts.resizeTmpfs("/v", { sizeBytes: 100 });
    assert.equal(mounts.at("/v")?.tmpfs?.sizeBytes, 100);
    assert.throws(() => mounts.resizeTmpfs("/w", { sizeBytes: 100 }), {
      code: "EINVAL",
      path: "/w",
    });
  });
});
