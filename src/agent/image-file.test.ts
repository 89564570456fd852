import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { describe, it } from "node:test";
import { tempDir } from "../base/testing/temp-dir.ts";
import { makeFifo } from "../mounts/system-calls.ts";
import { overlayMarks } from "../mounts/xattr.ts";
import type { Image } from "../runtime/image.ts";
import { imageFile } from "./image-file.ts";

const config = { entrypoint: [], cmd: [], env: [], user: "", workingDir: "", stopSignal: "" };

function imageOf(...layers: readonly string[]): Image {
  return { name: "app", id: "sha256:1", layers, config };
}

const isRoot = process.getuid?.() === 0;

describe("imageFile", { skip: process.platform === "linux" ? false : "Linux only" }, () => {
  it("reads the upmost layer that has the file, and follows its links inside the layer", async () => {
    using dir = tempDir();
    dir.write({
      "lower/etc/passwd": "lower",
      "lower/etc/group": "group",
      "upper/etc/real": "upper",
    });
    symlinkSync("/etc/real", dir.join("upper/etc/passwd"));
    const image = imageOf(dir.join("upper"), dir.join("lower"));
    assert.equal(await imageFile(image, "/etc/passwd"), "upper");
    assert.equal(await imageFile(image, "/etc/group"), "group");
    assert.equal(await imageFile(image, "/etc/shadow"), undefined);
  });

  it("does not wait for a pipe by this name", async () => {
    using dir = tempDir();
    dir.write({ "layer/etc/group": "" });
    makeFifo(dir.join("layer/etc/passwd"), 0o666);
    assert.equal(await imageFile(imageOf(dir.join("layer")), "/etc/passwd"), undefined);
  });

  it("finds no file that an upper layer took away", { skip: !isRoot && "needs root" }, async () => {
    using dir = tempDir();
    dir.write({ "lower/etc/passwd": "lower", "upper/etc/group": "" });
    overlayMarks.whiteout(Buffer.from(dir.join("upper/etc/passwd")));
    const image = imageOf(dir.join("upper"), dir.join("lower"));
    assert.equal(await imageFile(image, "/etc/passwd"), undefined);
  });

  it("opens no device of the machine", { skip: !isRoot && "needs root" }, async () => {
    using dir = tempDir();
    dir.write({ "layer/etc/group": "" });
    // A disk that does not exist: opening it fails with ENXIO, looking at it does not.
    const device = { kind: "block", major: 4095, minor: 4095 } as const;
    overlayMarks.makeNode(Buffer.from(dir.join("layer/etc/passwd")), device);
    const image = imageOf(dir.join("layer"), dir.path);
    dir.write({ "etc/passwd": "beneath" });
    assert.equal(await imageFile(image, "/etc/passwd"), "beneath");
  });
});
