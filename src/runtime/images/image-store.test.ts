import assert from "node:assert/strict";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { systemClock } from "../../base/clock.ts";
import { type TempDir, tempDir } from "../../base/testing/temp-dir.ts";
import { overlayMarks } from "../../mounts/xattr.ts";
import { ImageMissingError } from "../runtime.ts";
import { digestOf } from "./digest.ts";
import { ImageStore } from "./image-store.ts";
import {
  archiveOf,
  dockerArchive,
  entry,
  json,
  layerOf,
  ociArchive,
  ociImage,
  ociLayout,
  tarOf,
} from "./testing/archive-builder.ts";

const skip = process.getuid?.() === 0 ? false : "only root can unpack images";
const unused = { isLayerInUse: () => false };

function storeIn(dir: TempDir, maxBytes = 1e8): ImageStore {
  return new ImageStore({
    root: dir.join("data"),
    clock: systemClock,
    marks: overlayMarks,
    pid: process.pid,
    architecture: "amd64",
    limits: { maxBytes, maxEntries: 1000 },
  });
}

function fileWith(dir: TempDir, bytes: Buffer): string {
  const path = dir.join("archive");
  writeFileSync(path, bytes);
  return path;
}

function layersIn(dir: TempDir): string[] {
  const path = dir.join("data", "images", "layers", "sha256");
  return existsSync(path) ? readdirSync(path).filter((name) => !name.endsWith(".size")) : [];
}

function scratchIn(dir: TempDir): string[] {
  const path = dir.join("data", "images", "tmp");
  return existsSync(path) ? readdirSync(path) : [];
}

describe("ImageStore", { skip }, () => {
  test("has the machine's own root without an import", async () => {
    using dir = tempDir();
    const image = await storeIn(dir).get("host");
    assert.deepEqual([image.id, image.layers], ["host", ["/"]]);
    assert.match(image.config.env[0] ?? "", /^PATH=.*\/usr\/bin/);
  });

  test("says of an image that is missing how to bring it", async () => {
    using dir = tempDir();
    await assert.rejects(storeIn(dir).get("nginx"), (err: Error) => {
      assert.ok(err instanceof ImageMissingError);
      assert.match(err.message, /driftless image import nginx FILE/);
      assert.match(err.message, /image: host/);
      return true;
    });
  });

  for (const compression of ["gzip", "zstd", "none"] as const) {
    test(`imports an OCI archive with layers under ${compression}`, async () => {
      using dir = tempDir();
      const layers = [await layerOf({ "etc/": "", "etc/a": "1" }), await layerOf({ "etc/b": "2" })];
      const config = {
        Entrypoint: ["/app"],
        Cmd: ["-v"],
        Env: ["A=1"],
        User: "7:8",
        WorkingDir: "/w",
        StopSignal: "SIGINT",
      };
      const file = fileWith(dir, await ociArchive({ layers, compression, config }));
      const store = storeIn(dir);
      await store.importArchive("app:1", file);
      const image = await store.get("docker.io/library/app:1");
      assert.deepEqual(image.config.entrypoint, ["/app"]);
      assert.deepEqual(image.config, {
        entrypoint: ["/app"],
        cmd: ["-v"],
        env: [image.config.env[0] ?? "", "A=1"],
        user: "7:8",
        workingDir: "/w",
        stopSignal: "SIGINT",
      });
      assert.equal(readFileSync(`${image.layers[0]}/etc/b`, "utf8"), "2");
      assert.equal(readFileSync(`${image.layers[1]}/etc/a`, "utf8"), "1");
      assert.match(image.id, /^sha256:[0-9a-f]{64}$/);
    });
  }

  for (const [how, compress] of [
    ["gzip", gzipSync],
    ["zstd", zstdCompressSync],
    ["nothing", (b: Buffer) => b],
  ] as const) {
    test(`imports what docker saved, compressed with ${how}`, async () => {
      using dir = tempDir();
      const layers = [await layerOf({ a: "1" })];
      const file = fileWith(
        dir,
        compress(await dockerArchive({ layers, config: { Cmd: ["/a"] } })),
      );
      const store = storeIn(dir);
      await store.importArchive("app", file);
      const image = await store.get("app");
      assert.deepEqual(image.config.cmd, ["/a"]);
      assert.equal(readFileSync(`${image.layers[0]}/a`, "utf8"), "1");
      assert.deepEqual(scratchIn(dir), []);
    });
  }

  test("imports an old docker archive in which a layer is a link to another's", async () => {
    using dir = tempDir();
    const layer = await layerOf({ a: "1" });
    const config = json({
      os: "linux",
      architecture: "amd64",
      rootfs: { diff_ids: [digestOf(layer)] },
    });
    const manifest = json([{ Config: "c.json", Layers: ["two/layer.tar"] }]);
    const archive = await tarOf([
      entry({ name: "one/layer.tar" }, layer.toString("latin1")),
      entry({ name: "two/layer.tar", type: "symlink", linkName: "../one/layer.tar" }),
      entry({ name: "c.json" }, config.toString("latin1")),
      entry({ name: "manifest.json" }, manifest.toString("latin1")),
    ]);
    const store = storeIn(dir);
    await store.importArchive("app", fileWith(dir, archive));
    assert.equal((await store.get("app")).layers.length, 1);
  });

  test("takes the image of this machine's processor from an index", async () => {
    using dir = tempDir();
    const arm = ociImage({ layers: [await layerOf({ a: "arm" })], architecture: "arm64" });
    const amd = ociImage({ layers: [await layerOf({ a: "amd" })] });
    const inner = json({
      manifests: [
        { ...arm.manifest, platform: { os: "linux", architecture: "arm64" } },
        { ...amd.manifest, platform: { os: "linux", architecture: "amd64" } },
        {
          ...amd.manifest,
          digest: digestOf(Buffer.from("x")),
          platform: { os: "unknown", architecture: "unknown" },
        },
      ],
    });
    const digest = digestOf(inner);
    const blobs = new Map([
      ...arm.blobs,
      ...amd.blobs,
      [`blobs/sha256/${digest.slice(7)}`, inner] as const,
    ]);
    const mediaType = "application/vnd.oci.image.index.v1+json";
    const file = fileWith(dir, await ociLayout(blobs, [{ mediaType, digest }]));
    const store = storeIn(dir);
    await store.importArchive("app", file);
    assert.equal(readFileSync(`${(await store.get("app")).layers[0]}/a`, "utf8"), "amd");
  });

  test("refuses an image for another processor, and says for which it is", async () => {
    using dir = tempDir();
    const file = fileWith(
      dir,
      await ociArchive({ layers: [await layerOf({ a: "" })], architecture: "arm64" }),
    );
    await assert.rejects(
      storeIn(dir).importArchive("app", file),
      /it is for linux\/arm64, and this machine is linux\/amd64/,
    );
  });

  test("takes the image of the name from an archive with several, and asks if there is none", async () => {
    using dir = tempDir();
    const one = ociImage({ layers: [await layerOf({ a: "one" })] });
    const two = ociImage({ layers: [await layerOf({ a: "two" })] });
    const named = (built: typeof one, name: string): object => ({
      ...built.manifest,
      annotations: { "io.containerd.image.name": name },
    });
    const archive = await ociLayout(new Map([...one.blobs, ...two.blobs]), [
      named(one, "docker.io/library/one:latest"),
      named(two, "docker.io/library/two:latest"),
    ]);
    const file = fileWith(dir, archive);
    const store = storeIn(dir);
    await store.importArchive("two", file);
    assert.equal(readFileSync(`${(await store.get("two")).layers[0]}/a`, "utf8"), "two");
    await assert.rejects(
      store.importArchive("three", file),
      /there are 2 \(docker.io\/library\/one:latest, docker/,
    );
  });

  test("finds an image by the digest of its manifest", async () => {
    using dir = tempDir();
    const store = storeIn(dir);
    const file = fileWith(dir, await ociArchive({ layers: [await layerOf({ a: "1" })] }));
    const { manifestDigest, id } = await store.importArchive("app:1", file);
    assert.equal((await store.get(`app@${manifestDigest}`)).id, id);
    await assert.rejects(store.get(`other@${manifestDigest}`), ImageMissingError);
  });

  test("keeps the old image when a layer of the new one is damaged, and nothing of the new", async () => {
    using dir = tempDir();
    const store = storeIn(dir);
    const old = await store.importArchive(
      "app",
      fileWith(dir, await ociArchive({ layers: [await layerOf({ a: "old" })] })),
    );
    const layer = await layerOf({ a: "new" });
    const built = ociImage({ layers: [layer], compression: "none" });
    const damaged = Buffer.from(layer);
    damaged.write("bad", 512);
    const blobs = new Map([
      ...built.blobs,
      [`blobs/sha256/${digestOf(layer).slice(7)}`, damaged] as const,
    ]);
    const file = fileWith(dir, await ociLayout(blobs, [built.manifest]));
    await assert.rejects(store.importArchive("app", file), /its content is sha256:/);
    assert.equal((await store.get("app")).id, old.id);
    assert.equal(layersIn(dir).length, 1);
    assert.deepEqual(scratchIn(dir), []);
  });

  test("refuses a layer that is not the one of the configuration", async () => {
    using dir = tempDir();
    const [said, real] = [await layerOf({ a: "said" }), await layerOf({ a: "real" })];
    const config = json({
      os: "linux",
      architecture: "amd64",
      rootfs: { diff_ids: [digestOf(said)] },
    });
    const manifest = json([{ Config: "c.json", Layers: ["l.tar"] }]);
    const archive = await archiveOf(
      new Map([
        ["c.json", config],
        ["l.tar", real],
        ["manifest.json", manifest],
      ]),
    );
    await assert.rejects(
      storeIn(dir).importArchive("app", fileWith(dir, archive)),
      /its content is sha256:/,
    );
  });

  test("refuses a digest that is a path", async () => {
    using dir = tempDir();
    const layer = await layerOf({ a: "1" });
    const config = json({
      os: "linux",
      architecture: "amd64",
      rootfs: { diff_ids: ["sha256:../../../x"] },
    });
    const manifest = json([{ Config: "c.json", Layers: ["l.tar"] }]);
    const archive = await archiveOf(
      new Map([
        ["c.json", config],
        ["l.tar", layer],
        ["manifest.json", manifest],
      ]),
    );
    await assert.rejects(
      storeIn(dir).importArchive("app", fileWith(dir, archive)),
      /it is not sha256/,
    );
  });

  test("refuses an archive that is small and becomes huge", async () => {
    using dir = tempDir();
    const bomb = await tarOf([entry({ name: "zeros" }, "\0".repeat(3_000_000))]);
    const file = fileWith(dir, await ociArchive({ layers: [bomb] }));
    await assert.rejects(
      storeIn(dir, 1_000_000).importArchive("app", file),
      /larger than an image may be/,
    );
    const endless = fileWith(dir, gzipSync(Buffer.alloc(3_000_000)));
    await assert.rejects(
      storeIn(dir, 1_000_000).importArchive("app", endless),
      /larger than an image may be/,
    );
    assert.deepEqual([layersIn(dir), scratchIn(dir)], [[], []]);
  });

  test("refuses what is no image at all", async () => {
    using dir = tempDir();
    const store = storeIn(dir);
    await assert.rejects(
      store.importArchive("app", fileWith(dir, await layerOf({ a: "1" }))),
      /neither an index.json/,
    );
    await assert.rejects(
      store.importArchive("app", fileWith(dir, Buffer.from("hello".repeat(200)))),
      /no valid tar header/,
    );
    await assert.rejects(store.importArchive("host", "x"), /machine's own root/);
    await assert.rejects(store.importArchive("A", "x"), /must be lowercase/);
  });

  test("shares layers between images, and removes them with the last that has them", async () => {
    using dir = tempDir();
    const store = storeIn(dir);
    const base = await layerOf({ base: "1" });
    await store.importArchive(
      "one",
      fileWith(dir, await ociArchive({ layers: [base, await layerOf({ a: "1" })] })),
    );
    await store.importArchive("two", fileWith(dir, await ociArchive({ layers: [base] })));
    assert.equal(layersIn(dir).length, 2);
    await store.remove("one", unused);
    assert.deepEqual(layersIn(dir), [digestOf(base).slice(7)]);
    assert.deepEqual(
      store.list().map(({ name }) => name),
      ["docker.io/library/two:latest"],
    );
    await store.remove("two", unused);
    assert.deepEqual(layersIn(dir), []);
    await assert.rejects(store.remove("two", unused), ImageMissingError);
  });

  test("keeps a removed image's layers as long as something runs on them", async () => {
    using dir = tempDir();
    const store = storeIn(dir);
    await store.importArchive(
      "one",
      fileWith(dir, await ociArchive({ layers: [await layerOf({ a: "1" })] })),
    );
    const { layers } = await store.get("one");
    await store.remove("one", { isLayerInUse: (path) => path === layers[0] });
    assert.ok(existsSync(layers[0] ?? ""));
  });

  test("removes what an import has left that was killed, and not what another is doing", async () => {
    using dir = tempDir();
    mkdirSync(dir.join("data", "images", "tmp", "999999999-abc", "layer"), { recursive: true });
    mkdirSync(dir.join("data", "images", "tmp", `${process.pid}-abc`), { recursive: true });
    const store = storeIn(dir);
    await store.importArchive(
      "one",
      fileWith(dir, await ociArchive({ layers: [await layerOf({ a: "1" })] })),
    );
    assert.deepEqual(scratchIn(dir), [`${process.pid}-abc`]);
  });

  test("two imports at once do not disturb each other", async () => {
    using dir = tempDir();
    const store = storeIn(dir);
    const file = fileWith(dir, await ociArchive({ layers: [await layerOf({ a: "1" })] }));
    await Promise.all([store.importArchive("one", file), store.importArchive("two", file)]);
    assert.equal(store.list().length, 2);
    assert.equal(layersIn(dir).length, 1);
  });

  test("imports a directory as an image of one layer, with what it is told about it", async () => {
    using dir = tempDir();
    dir.write({ "app/bin/run": "program", "app/etc/conf": "x" });
    symlinkSync("bin/run", dir.join("app", "start"));
    const store = storeIn(dir);
    const given = { entrypoint: ["/start"], env: ["A=1"], user: "5" };
    const first = await store.importDirectory("app", dir.join("app"), given);
    const image = await store.get("app");
    assert.deepEqual(image.config.entrypoint, ["/start"]);
    assert.deepEqual(image.config.env.slice(1), ["A=1"]);
    assert.equal(readFileSync(`${image.layers[0]}/bin/run`, "utf8"), "program");
    assert.ok(lstatSync(`${image.layers[0]}/start`).isSymbolicLink());
    const again = await store.importDirectory("app", dir.join("app"), given);
    assert.equal(again.id, first.id);
    writeFileSync(dir.join("app", "etc", "conf"), "y");
    assert.notEqual((await store.importDirectory("app", dir.join("app"), given)).id, first.id);
  });
});
