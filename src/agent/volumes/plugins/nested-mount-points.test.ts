import { deepEqual, equal, throws } from "node:assert/strict";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { describe, it } from "node:test";
import type { Container, VolumeMount } from "../../../api/types.ts";
import { tempDir } from "../../../base/testing/temp-dir.ts";
import { makeMountPoints, nestedMountPoints } from "./nested-mount-points.ts";
import { modeOf, podWith } from "./testing/plugin-bench.ts";

/** The volume of interest is vol1; all others get names of their own. */
function container(...mounts: readonly string[]): Container {
  const volumeMounts = mounts.map((mount, i): VolumeMount => {
    const [mountPath = "", name = `other-${i}`] = mount.split("=");
    return { mountPath, name };
  });
  return { name: "c", volumeMounts } as Container;
}

describe("nestedMountPoints", () => {
  it("F9: finds none for a volume that is alone", () => {
    deepEqual(nestedMountPoints("vol1", podWith({ containers: [container("/dir=vol1")] })), []);
  });

  it("F10: finds a mount below the volume", () => {
    const pod = podWith({ containers: [container("/dir=vol1", "/dir/nested")] });
    deepEqual(nestedMountPoints("vol1", pod), ["nested"]);
  });

  it("F11: leaves out what is nested twice, in whatever order the mounts are", () => {
    const pod = podWith({
      containers: [
        container(
          "/dir/nested/double",
          "/ignore",
          "/dir/nested",
          "/ignore2",
          "/dir=vol1",
          "/dir/nested-vol",
          "/dir/nested.vol",
          "/dir/nested2/double",
          "/dir/nested2",
        ),
      ],
    });
    const expected = ["nested", "nested-vol", "nested.vol", "nested2"];
    deepEqual(nestedMountPoints("vol1", pod).toSorted(), expected);
  });

  it("F12: looks at each place where the volume is mounted", () => {
    const mounts = ["/dir=vol1", "/dir/nested", "/ignore", "/other=vol1", "/other/nested2"];
    const pod = podWith({ containers: [container(...mounts)] });
    deepEqual(nestedMountPoints("vol1", pod).toSorted(), ["nested", "nested2"]);
  });

  it("F13: looks at init containers, and takes no sibling for a child", () => {
    const pod = podWith({
      containers: [
        container(
          "/mnt=vol1",
          "/ignore",
          "/mnt/sub1/sub2/sub3",
          "/mnt/sub1/sub2/sub4",
          "/mnt/sub1/sub2/sub4/skip",
          "/mnt/sub1/sub2/sub4/skip2",
          "/mnt/sub1/sub2/sub6",
          "/mnt7",
        ),
      ],
      initContainers: [container("/mnt/dir=vol1", "/mnt/dir_ignore", "/ignore", "/mnt/dir/sub/")],
    });
    const expected = ["sub", "sub1/sub2/sub3", "sub1/sub2/sub4", "sub1/sub2/sub6"];
    deepEqual(nestedMountPoints("vol1", pod).toSorted(), expected);
  });

  it("F14: refuses a mount that leaves the container", () => {
    const mounts = ["foo/../../dir=vol1", "foo/../../dir/skip"];
    throws(
      () => nestedMountPoints("vol1", podWith({ containers: [container(...mounts)] })),
      new Error("invalid container mount point ../dir"),
    );
  });
});

describe("makeMountPoints", () => {
  it("makes what is missing and leaves what is there", () => {
    using dir = tempDir();
    mkdirSync(dir.join("a"), 0o700);
    makeMountPoints(dir.path, ["a/b/c", "d"]);
    equal(modeOf(dir.join("a")), "700");
    equal(modeOf(dir.join("a", "b", "c")), "755");
    equal(modeOf(dir.join("d")), "755");
  });

  it("does not go through a key's link", () => {
    using dir = tempDir();
    mkdirSync(dir.join("version"));
    symlinkSync("version", dir.join("key"));
    throws(
      () => makeMountPoints(dir.path, ["key/sub"]),
      /^Error: unable to create nested volume mountpoints: "key\/sub" is in the way of a key of this volume/,
    );
    equal(existsSync(dir.join("version", "sub")), false);
  });
});
