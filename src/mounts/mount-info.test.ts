import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mountOf, mountsBelow, parseMountInfo, readMountInfo, topmostAt } from "./mount-info.ts";

const text = `\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard
30 27 0:30 / /data rw,nosuid shared:5 master:2 - tmpfs tmpfs rw,size=4k
32 31 0:32 / /data/v ro,relatime - tmpfs second rw
31 30 254:0 /var/a\\040b\\134c /data/v rw,relatime - ext4 /dev/vda rw
33 27 254:0 /x//deleted /data2 ro - ext4 /dev/vda rw
`;

describe("parseMountInfo", () => {
  const mounts = parseMountInfo(text);

  it("reads lines with and without tags", () => {
    assert.deepEqual(mounts[2], {
      id: 30,
      parentId: 27,
      device: "0:30",
      root: "/",
      path: "/data",
      isReadOnly: false,
      tags: ["shared:5", "master:2"],
      fsType: "tmpfs",
      source: "tmpfs",
      superOptions: "rw,size=4k",
    });
    assert.deepEqual(mounts[0]?.tags, []);
  });

  it("reads octal escapes", () => {
    assert.equal(mounts[4]?.root, "/var/a b\\c");
  });

  it("reads a mount as read-only by its own options, not by its file system's", () => {
    assert.equal(mounts[3]?.isReadOnly, true);
  });

  it("refuses a line that is none", () => {
    assert.throws(
      () => parseMountInfo("22 27 0:21 / /proc rw\n"),
      /Cannot read a line of mountinfo/,
    );
  });

  it("finds the topmost mount by who stands on whom, not by the order of lines", () => {
    assert.equal(topmostAt(mounts, "/data/v")?.id, 32);
    assert.equal(topmostAt(mounts, "/nothing"), undefined);
  });

  it("lists what is below a path, in the order in which it can be unmounted", () => {
    assert.deepEqual(
      mountsBelow(mounts, "/data").map(({ id }) => id),
      [32, 31, 30],
    );
  });

  it("finds the mount that shows a path", () => {
    assert.equal(mountOf(mounts, "/data/v/deep")?.id, 32);
    assert.equal(mountOf(mounts, "/database")?.id, 27);
    assert.equal(mountOf(mounts, "/")?.id, 27);
  });
});

describe("readMountInfo", {
  skip: process.platform === "linux" ? false : "there is no /proc",
}, () => {
  it("reads those of this process, and of another one by its number", () => {
    // Others may mount something between the two.
    const root = topmostAt(readMountInfo(), "/");
    assert.ok(root);
    assert.deepEqual(topmostAt(readMountInfo(process.pid), "/"), root);
  });
});
