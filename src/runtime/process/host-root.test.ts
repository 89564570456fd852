import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseMountInfo } from "../../mounts/mount-info.ts";
import { otherDisks } from "./host-root.ts";

const mounts = parseMountInfo(`\
1 0 8:1 / / rw - ext4 /dev/sda1 rw
2 1 0:5 / /proc rw - proc proc rw
3 1 0:6 / /run rw - tmpfs tmpfs rw
4 7 8:3 / /var/lib/big rw - xfs /dev/sdb1 rw
5 1 8:1 /run/netns /run/netns rw - ext4 /dev/sda1 rw
6 1 8:1 /srv/data /mnt/data rw - ext4 /dev/sda1 rw
7 1 8:2 / /var rw - ext4 /dev/sda2 rw
8 7 8:1 /etc/x /var/lib/agent/pods/1/sub/0 rw - ext4 /dev/sda1 rw
9 7 8:4 / /var/lib/agent rw - ext4 /dev/sdc rw
10 1 8:5 / /covered rw - ext4 /dev/sdd rw
11 10 8:6 / /covered rw - ext4 /dev/sde rw
`);

describe("otherDisks", () => {
  it("lists disks below the root, what is above first, and neither the kernel's nor what is hidden", () => {
    const disks = otherDisks(mounts, ["/var/lib/agent"]);
    assert.deepEqual(
      disks.map(({ id, path }) => `${id} ${path}`),
      ["7 /var", "11 /covered", "6 /mnt/data", "4 /var/lib/big"],
    );
  });
});
