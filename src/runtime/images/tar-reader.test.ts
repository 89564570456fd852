import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import * as fc from "fast-check";
import { tempDir } from "../../base/testing/temp-dir.ts";
import type { TarHeader } from "./tar-format.ts";
import { readTar, TarError } from "./tar-reader.ts";
import { entry, tarOf } from "./testing/archive-builder.ts";

type Read = TarHeader & { readonly text: string };

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, size = 1000): Promise<Read[]> {
  const all: Read[] = [];
  for await (const { content, offset: _, ...header } of readTar(pieces(bytes, size))) {
    const parts: Uint8Array[] = [];
    for await (const part of content) parts.push(part);
    all.push({ ...header, text: Buffer.concat(parts).toString("latin1") });
  }
  return all;
}

for (const format of ["gnu", "pax", "ustar", "v7"]) {
  test(`what GNU tar writes in its ${format} format is read`, async (t) => {
    using dir = tempDir();
    const long = format === "v7" || format === "ustar" ? "n".repeat(90) : "n".repeat(200);
    mkdirSync(dir.join("a", "sub"), { recursive: true });
    writeFileSync(dir.join("a", long), "content\n");
    writeFileSync(dir.join("a", "two"), "x".repeat(1500));
    linkSync(dir.join("a", "two"), dir.join("a", "zwei"));
    symlinkSync(`to/${long}`.slice(0, format === "v7" ? 90 : 98), dir.join("a", "sub", "link"));
    let bytes: Buffer;
    try {
      bytes = execFileSync(
        "tar",
        ["-cf", "-", `--format=${format}`, "--sort=name", "--owner=7", "--group=8", "a"],
        { cwd: dir.path },
      );
    } catch (err) {
      t.skip(`no GNU tar: ${String(err)}`);
      return;
    }
    const entries = await read(bytes);
    assert.deepEqual(
      entries.map(({ type, name, text, linkName, uid }) => [
        type,
        name,
        linkName,
        text.length,
        uid,
      ]),
      [
        ["directory", "a/", "", 0, 7],
        ["file", `a/${long}`, "", 8, 7],
        ["directory", "a/sub/", "", 0, 7],
        ["symlink", "a/sub/link", `to/${long}`.slice(0, format === "v7" ? 90 : 98), 0, 7],
        ["file", "a/two", "", 1500, 7],
        ["hardlink", "a/zwei", "a/two", 0, 7],
      ],
    );
  });
}

test("what our writer writes is read as it was, however it comes", async () => {
  const text = fc
    .uint8Array({ maxLength: 1500 })
    .map((bytes) => Buffer.from(bytes).toString("latin1"));
  const name = fc
    .uint8Array({ minLength: 1, maxLength: 300, min: 1 })
    .map((bytes) => Buffer.from(bytes).toString("latin1"));
  const one = fc.record({
    name,
    text,
    uid: fc.nat(),
    gid: fc.nat({ max: 0xffffffff }),
    mtimeMs: fc.nat({ max: 4e12 }),
    mode: fc.nat({ max: 0o7777 }),
    value: fc.uint8Array({ maxLength: 50 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(one, { maxLength: 4 }),
      fc.integer({ min: 1, max: 3000 }),
      async (ones, size) => {
        const entries = ones.map(({ text: content, value, ...header }) =>
          entry(
            { ...header, type: "file", attributes: new Map([["user.x", Buffer.from(value)]]) },
            content,
          ),
        );
        const found = await read(await tarOf(entries), size);
        assert.deepEqual(
          found.map(({ name: path, text: content, uid, gid, mtimeMs, mode, attributes }) => ({
            name: path,
            text: content,
            uid,
            gid,
            mtimeMs,
            mode,
            value: new Uint8Array(attributes.get("user.x") ?? []),
          })),
          ones.map((each) => ({ ...each })),
        );
      },
    ),
    { numRuns: 50 },
  );
});

test("a size beyond what octal digits can say is read", async () => {
  const archive = await tarOf([entry({ name: "big" })]);
  const block = archive.subarray(0, 512);
  block.set([0x80, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0], 124);
  block.write("\0".repeat(8), 148, "latin1");
  block.fill(" ", 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  for await (const { sizeBytes } of readTar(pieces(archive, 512))) {
    assert.equal(sizeBytes, 2 ** 32);
    break;
  }
});

test("an archive that is cut off is refused", async () => {
  const archive = await tarOf([entry({ name: "a" }, "x".repeat(2000))]);
  await assert.rejects(read(archive.subarray(0, 1000)), TarError);
  await assert.rejects(read(archive.subarray(0, 100)), TarError);
});

test("headers that add up to more than memory should hold are refused", async () => {
  const header = (n: number): Promise<Buffer> =>
    tarOf([entry({ name: "a", attributes: new Map([[`user.${n}`, Buffer.alloc(400_000)]]) }, "")]);
  // Only the pax header of each, made one for all that follow.
  const headers = await Promise.all([0, 1, 2].map(header));
  const global = headers.map((archive) => asGlobal(archive.subarray(0, 512 + 400_384)));
  await assert.rejects(read(Buffer.concat(global)), /pax headers say more than/);
});

/** The archive, whose first header is said to be about all entries. */
function asGlobal(archive: Buffer): Buffer {
  archive.write("g", 156, "latin1");
  archive.fill(" ", 148, 156);
  const sum = archive.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  archive.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return archive;
}

test("what is no archive is refused", async () => {
  await assert.rejects(read(Buffer.from("hello".repeat(1000))), /no valid tar header at byte 0/);
});

test("bytes that were changed are refused or read, and never hang or crash the reader", async () => {
  const archive = await tarOf([entry({ name: "a".repeat(150) }, "text"), entry({ name: "b/" })]);
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: archive.length - 1 }),
      fc.nat({ max: 255 }),
      async (at, value) => {
        const bytes = Buffer.from(archive);
        bytes[at] = value;
        await read(bytes).catch((err: unknown) => assert.ok(err instanceof TarError, String(err)));
      },
    ),
    { numRuns: 300 },
  );
});
