import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, test } from "node:test";
import { type TempDir, tempDir } from "../../base/testing/temp-dir.ts";
import { call } from "../../mounts/libc.ts";
import { overlayMarks } from "../../mounts/xattr.ts";
import type { TarSource } from "./tar-writer.ts";
import { writeTar } from "./tar-writer.ts";
import { entry } from "./testing/archive-builder.ts";
import { UnpackBudget, unpackLayer } from "./unpack-layer.ts";

const skip = process.getuid?.() === 0 ? false : "only root can make owners, devices and marks";

async function unpack(
  directory: string,
  entries: readonly TarSource[],
  { maxBytes = 1e6, maxEntries = 1000 } = {},
): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const budget = new UnpackBudget({ maxBytes, maxEntries });
  await unpackLayer({ archive: writeTar(entries), directory, marks: overlayMarks, budget });
}

function attributesOf(path: string): string[] {
  const list = Buffer.alloc(1000);
  const prototype = "long llistxattr(const char *path, void *list, size_t size)";
  const size = call(prototype, [path, list, list.length], { syscall: "llistxattr" });
  return list.toString("latin1", 0, size).split("\0").slice(0, -1);
}

async function unpacked(dir: TempDir, entries: readonly TarSource[]): Promise<void> {
  await unpack(dir.join("layer"), entries);
}

describe("a layer that is unpacked", { skip }, () => {
  test("has owners, modes, times and links", async () => {
    using dir = tempDir();
    await unpacked(dir, [
      entry({ name: "./" }),
      entry({ name: "bin/", mode: 0o1777, uid: 5, gid: 6, mtimeMs: 1_600_000_000_500 }),
      entry({ name: "bin/su", mode: 0o4755, uid: 70_000, gid: 3_000_000_000 }, "program"),
      entry({ name: "bin/also", type: "hardlink", linkName: "bin/su" }),
      entry({ name: "bin/link", type: "symlink", linkName: "/etc/passwd", uid: 9 }),
      entry({ name: "null", type: "character", major: 1, minor: 3, mode: 0o666 }),
      entry({ name: "disk", type: "block", major: 259, minor: 70_000 }),
      entry({ name: "pipe", type: "fifo", mode: 0o600 }),
    ]);
    const at = (name: string): string => dir.join("layer", name);
    const su = lstatSync(at("bin/su"));
    assert.deepEqual(
      [su.mode & 0o7777, su.uid, su.gid, su.nlink],
      [0o4755, 70_000, 3_000_000_000, 2],
    );
    assert.equal(su.mtimeMs, 1_700_000_000_000);
    assert.equal(readFileSync(at("bin/also"), "utf8"), "program");
    assert.equal(readlinkSync(at("bin/link")), "/etc/passwd");
    assert.equal(lstatSync(at("bin/link")).uid, 9);
    const bin = lstatSync(at("bin"));
    assert.deepEqual([bin.mode & 0o7777, bin.uid, bin.gid], [0o1777, 5, 6]);
    assert.equal(Math.floor(bin.mtimeMs), 1_600_000_000_500);
    const device = execFileSync("stat", ["-c", "%F %t %T", at("null"), at("disk"), at("pipe")]);
    assert.deepEqual(device.toString().trim().split("\n"), [
      "character special file 1 3",
      "block special file 103 11170",
      "fifo 0 0",
    ]);
  });

  test("hides files and directories of those below it in an overlay", async () => {
    using dir = tempDir();
    await unpack(dir.join("low"), [
      entry({ name: "etc/" }),
      entry({ name: "etc/gone" }, "1"),
      entry({ name: "etc/kept" }, "1"),
      entry({ name: "cleared/" }),
      entry({ name: "cleared/old" }, "1"),
      entry({ name: "remade/" }),
      entry({ name: "remade/old" }, "1"),
    ]);
    await unpack(dir.join("high"), [
      entry({ name: "etc/.wh.gone" }),
      entry({ name: "cleared/" }),
      entry({ name: "cleared/.wh..wh..opq" }),
      entry({ name: "cleared/new" }, "2"),
      entry({ name: ".wh.remade" }),
      entry({ name: "remade/" }),
      entry({ name: "remade/new" }, "2"),
      entry({ name: ".wh..wh.plnk" }),
    ]);
    mkdirSync(dir.join("merged"));
    const options = `lowerdir=${dir.join("high")}:${dir.join("low")}`;
    execFileSync("mount", ["-t", "overlay", "overlay", "-o", options, dir.join("merged")]);
    try {
      const names = (readdirSync(dir.join("merged"), { recursive: true }) as string[]).sort();
      assert.deepEqual(names, [
        "cleared",
        "cleared/new",
        "etc",
        "etc/kept",
        "remade",
        "remade/new",
      ]);
    } finally {
      execFileSync("umount", [dir.join("merged")]);
    }
  });

  test("keeps names that are no text, and names longer than a header has room for", async () => {
    using dir = tempDir();
    const long = `${"d".repeat(200)}/${"f".repeat(250)}`;
    await unpacked(dir, [entry({ name: "\xff\xfe" }, "1"), entry({ name: long }, "2")]);
    assert.deepEqual(readdirSync(dir.join("layer"), { encoding: "latin1" }).sort(), [
      "d".repeat(200),
      "\xff\xfe",
    ]);
    assert.equal(readFileSync(dir.join("layer", long), "utf8"), "2");
  });

  test("keeps file capabilities, and not the marks of an overlay that an archive may bring", async () => {
    using dir = tempDir();
    const capability = Buffer.from("0100000200200000000000000000000000000000", "hex");
    const attributes = new Map([
      ["security.capability", capability],
      ["trusted.overlay.redirect", Buffer.from("/etc")],
    ]);
    await unpacked(dir, [entry({ name: "ping", attributes }, "x")]);
    const path = dir.join("layer", "ping");
    assert.deepEqual(attributesOf(path), ["security.capability"]);
    const value = Buffer.alloc(100);
    const prototype =
      "long lgetxattr(const char *path, const char *name, void *value, size_t size)";
    const size = call(prototype, [path, "security.capability", value, 100], {
      syscall: "lgetxattr",
    });
    assert.deepEqual(value.subarray(0, size), capability);
  });

  test("has the last of several entries of one name", async () => {
    using dir = tempDir();
    await unpacked(dir, [
      entry({ name: "a/" }),
      entry({ name: "a/b" }, "1"),
      entry({ name: "a" }, "file now"),
      entry({ name: "b", type: "symlink", linkName: "a" }),
      entry({ name: "b" }, "2"),
    ]);
    assert.equal(readFileSync(dir.join("layer", "a"), "utf8"), "file now");
    assert.equal(readFileSync(dir.join("layer", "b"), "utf8"), "2");
  });

  test("follows its own links as if its root were the root", async () => {
    using dir = tempDir();
    await unpacked(dir, [
      entry({ name: "lib", type: "symlink", linkName: "/usr/lib" }),
      entry({ name: "lib/x.so" }, "1"),
    ]);
    assert.equal(readFileSync(dir.join("layer", "usr", "lib", "x.so"), "utf8"), "1");
  });
});

describe("a hostile layer", { skip }, () => {
  const cases: readonly (readonly [
    what: string,
    entries: (outside: string) => readonly TarSource[],
  ])[] = [
    ["names something above it", () => [entry({ name: "../victim" }, "bad")]],
    ["names something above it, deeper", () => [entry({ name: "a/../../victim" }, "bad")]],
    ["hides something above it", () => [entry({ name: "a/.wh..." })]],
    [
      "links to a file outside",
      (outside) => [entry({ name: "x", type: "hardlink", linkName: `..${outside}/victim` })],
    ],
    [
      "links to a file that it does not have",
      (outside) => [entry({ name: "x", type: "hardlink", linkName: `${outside}/victim` })],
    ],
  ];
  for (const [what, entries] of cases) {
    test(`${what}, and is refused`, async () => {
      using dir = tempDir();
      writeFileSync(dir.join("victim"), "good");
      await assert.rejects(unpacked(dir, entries(dir.path)), /Cannot unpack/);
      assert.equal(readFileSync(dir.join("victim"), "utf8"), "good");
      assert.deepEqual(readdirSync(dir.path).sort(), ["layer", "victim"]);
    });
  }

  const escapes: readonly (readonly [
    what: string,
    entries: (outside: string) => readonly TarSource[],
  ])[] = [
    [
      "writes through an absolute link",
      (outside) => [
        entry({ name: "l", type: "symlink", linkName: outside }),
        entry({ name: "l/victim" }, "bad"),
      ],
    ],
    [
      "writes through a relative link",
      () => [
        entry({ name: "l", type: "symlink", linkName: ".." }),
        entry({ name: "l/victim" }, "bad"),
      ],
    ],
    [
      "writes over a link",
      (outside) => [
        entry({ name: "v", type: "symlink", linkName: `${outside}/victim` }),
        entry({ name: "v" }, "bad"),
      ],
    ],
    [
      "changes the mode of what a link points to",
      (outside) => [
        entry({ name: "v", type: "symlink", linkName: outside }),
        entry({ name: "v/", mode: 0o777, uid: 1 }),
      ],
    ],
    [
      "links to a link and writes to that",
      (outside) => [
        entry({ name: "l", type: "symlink", linkName: `${outside}/victim` }),
        entry({ name: "h", type: "hardlink", linkName: "l" }),
        entry({ name: "h" }, "bad"),
      ],
    ],
    ["has an absolute name", (outside) => [entry({ name: `${outside}/victim` }, "bad")]],
    [
      "puts an opaque mark through a link",
      (outside) => [
        entry({ name: "l", type: "symlink", linkName: outside }),
        entry({ name: "l/.wh..wh..opq" }),
      ],
    ],
  ];
  for (const [what, entries] of escapes) {
    test(`that ${what} stays inside`, async () => {
      using dir = tempDir();
      writeFileSync(dir.join("victim"), "good");
      const before = lstatSync(dir.path);
      await unpacked(dir, entries(dir.path));
      assert.equal(readFileSync(dir.join("victim"), "utf8"), "good");
      assert.deepEqual(readdirSync(dir.path).sort(), ["layer", "victim"]);
      const after = lstatSync(dir.path);
      assert.deepEqual([after.mode, after.uid], [before.mode, before.uid]);
      assert.deepEqual(attributesOf(dir.path), []);
    });
  }

  test("with links in a circle is refused", async () => {
    using dir = tempDir();
    const circle = [
      entry({ name: "a", type: "symlink", linkName: "b" }),
      entry({ name: "b", type: "symlink", linkName: "a" }),
      entry({ name: "a/x" }, "1"),
    ];
    await assert.rejects(unpacked(dir, circle), /too many links/);
  });

  test("that replaces the root of the layer is refused", async () => {
    using dir = tempDir();
    await assert.rejects(unpacked(dir, [entry({ name: "./", type: "symlink", linkName: "/" })]));
    assert.ok(existsSync(dir.join("layer")));
  });

  test("that is larger than allowed is refused before it is written", async () => {
    using dir = tempDir();
    const large = entry({ name: "zeros" }, "\0".repeat(5000));
    await assert.rejects(
      unpack(dir.join("layer"), [large], { maxBytes: 4999 }),
      /larger than an image may be/,
    );
    assert.equal(existsSync(dir.join("layer", "zeros")), false);
  });

  test("with more entries than allowed is refused", async () => {
    using dir = tempDir();
    const many = Array.from({ length: 11 }, (_, i) => entry({ name: `f${i}` }));
    await assert.rejects(
      unpack(dir.join("layer"), many, { maxEntries: 10 }),
      /larger than an image may be/,
    );
  });
});
