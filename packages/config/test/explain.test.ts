import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, it } from "node:test";
import { explainWith } from "../src/explain.js";
import { type Explanation, explain } from "../src/index.js";
import { mountOf, parseMount } from "../src/mountinfo.js";
import { open, temporaryDirectory } from "./situation.ts";
import { VolumeWriter } from "./volume-writer.ts";

const version = "..2026_08_20_18_59_46.1234567890";

function mountLine(root: string, mountPoint: string): string {
  return `67 65 254:0 ${root} ${mountPoint} ro,relatime - ext4 /dev/vda1 rw`;
}

describe("the mount table", () => {
  it("is read with optional fields, escapes and marks of deletion", () => {
    assert.deepEqual(
      parseMount("36 35 98:0 /a\\040b /mnt/c\\134d rw shared:1 master:2 - tmpfs none rw,size=1k"),
      { root: "/a b", mountPoint: "/mnt/c\\d", filesystem: "tmpfs", deleted: false },
    );
    assert.deepEqual(parseMount(mountLine("/x/app.yaml//deleted", "/app.yaml")), {
      root: "/x/app.yaml",
      mountPoint: "/app.yaml",
      filesystem: "ext4",
      deleted: true,
    });
    for (const line of ["", "1 2 3", "36 35 98:0 / /mnt rw shared:1"]) {
      assert.equal(parseMount(line), undefined);
    }
  });

  it("answers with the deepest mount, and of several in one place with the last", () => {
    const table = ["/r1 /", "/r2 /etc", "/r3 /etc/config", "/r4 /etc/config", "/r5 /etc/conf"]
      .map((line) => mountLine(...(line.split(" ") as [string, string])))
      .join("\n");
    assert.equal(mountOf(table, "/etc/config/app.yaml")?.root, "/r4");
    assert.equal(mountOf(table, "/etc/config")?.root, "/r4");
    assert.equal(mountOf(table, "/etc/configuration")?.root, "/r2");
    assert.equal(mountOf(table, "/usr")?.root, "/r1");
    assert.equal(mountOf("", "/usr"), undefined);
  });
});

describe("explain", () => {
  const table = mountLine("/", "/");

  it("calls everything below a ..data link live", (t) => {
    const volume = new VolumeWriter(join(temporaryDirectory(t), "config"));
    volume.write({ "app.yaml": "1", "sub/x": "2" });
    for (const path of ["", "app.yaml", "sub", "sub/x"]) {
      const explanation = explainWith(join(volume.directory, path), table);
      assert.equal(explanation.kind, "volume");
      assert.equal(explanation.updates, "live");
      assert.equal(explanation.volume, volume.directory);
      assert.equal(explanation.filesystem, "ext4");
      assert.equal(explanation.fix, "");
    }
  });

  it("calls a bind mount of one version frozen, for the file, the directory and what is below", (t) => {
    const directory = temporaryDirectory(t);
    writeFileSync(join(directory, "app.yaml"), "");
    const file = explainWith(
      join(directory, "app.yaml"),
      `${table}\n${mountLine(`/pods/x/cfg/${version}/app.yaml`, join(directory, "app.yaml"))}`,
    );
    assert.equal(file.kind, "subPath");
    assert.equal(file.updates, "frozen");
    assert.equal(file.stale, false);
    assert.equal(
      file.fix,
      "Mount the whole volume as a directory, without subPath, and point the app at the file inside it.",
    );

    // The content of a removed directory is gone: the path below it is missing, and the reason is known.
    const below = explainWith(
      join(directory, "sub", "x"),
      `${table}\n${mountLine(`/pods/x/cfg/${version}/sub//deleted`, join(directory, "sub"))}`,
    );
    assert.equal(below.kind, "subPath");
    assert.equal(below.stale, true);
    assert.match(below.summary, /removed since/);
  });

  it("calls a bind mount of one version live where the node says that it replaces it", (t) => {
    const directory = temporaryDirectory(t);
    const file = join(directory, "app.yaml");
    writeFileSync(file, "");
    symlinkSync(directory, join(directory, "link"));
    const mounts = `${table}\n${mountLine(`/pods/x/cfg/${version}/app.yaml//deleted`, file)}`;
    for (const place of [file, join(directory, "link", "app.yaml")]) {
      const { kind, updates, fix } = explainWith(place, mounts, [place]);
      assert.deepEqual({ kind, updates, fix }, { kind: "subPath", updates: "live", fix: "" });
    }
    assert.equal(explainWith(file, mounts, [`${file}2`]).updates, "frozen");
  });

  it("tells a single bound file from plain files and directories", (t) => {
    const directory = temporaryDirectory(t);
    const file = join(directory, "app.yaml");
    writeFileSync(file, "");
    const kinds = (path: string, mounts: string) => {
      const { kind, updates, stale } = explainWith(path, `${table}\n${mounts}`);
      return { kind, updates, stale };
    };
    const bound = mountLine("/host/app.yaml", file);
    assert.deepEqual(kinds(file, ""), { kind: "file", updates: "live", stale: false });
    assert.deepEqual(kinds(directory, ""), { kind: "directory", updates: "live", stale: false });
    assert.deepEqual(kinds(file, bound), { kind: "bindFile", updates: "inPlace", stale: false });
    assert.deepEqual(kinds(file, mountLine("/host/app.yaml//deleted", file)), {
      kind: "bindFile",
      updates: "frozen",
      stale: true,
    });
    assert.deepEqual(kinds(file, mountLine("/host//deleted", directory)), {
      kind: "file",
      updates: "frozen",
      stale: true,
    });
    assert.deepEqual(kinds(join(directory, "none"), ""), {
      kind: "missing",
      updates: "unknown",
      stale: false,
    });
    const link = join(directory, "link");
    symlinkSync("app.yaml", link);
    assert.equal(explainWith(link, bound).kind, "bindFile");
  });

  it("does not pretend to know without a mount table", (t) => {
    const { updates, filesystem } = explainWith(temporaryDirectory(t), "");
    assert.deepEqual({ updates, filesystem }, { updates: "unknown", filesystem: undefined });
  });

  it("knows the real mount table", (t) => {
    const { kind, filesystem, mountPoint } = explain(temporaryDirectory(t));
    assert.equal(kind, "directory");
    assert.ok(filesystem && mountPoint);
  });

  it("recognises real subPath mounts before and after the swap", (t) => {
    const directory = temporaryDirectory(t);
    const volume = new VolumeWriter(join(directory, "config"));
    const old = volume.write({ "app.yaml": "1", "sub/x": "1" });
    mkdirSync(join(directory, "with space"));
    writeFileSync(join(directory, "with space", "app.yaml"), "");
    mkdirSync(join(directory, "sub"));
    writeFileSync(join(directory, "single"), "");
    writeFileSync(join(directory, "source"), "s");
    const program = new URL("programs/explain.mjs", import.meta.url).pathname;
    const paths = ["with space/app.yaml", "sub", "sub/x", "single", "config/app.yaml"];
    const script = `
      set -e
      mount --bind "${old}/app.yaml" "with space/app.yaml"
      mount --bind "${old}/sub" sub
      mount --bind source single
      "$NODE" "$PROGRAM" "$@"
      mkdir "config/${version}" && echo 2 > "config/${version}/app.yaml"
      ln -s "${version}" config/..data_tmp && mv -T config/..data_tmp config/..data
      rm -r "${old}" && rm source
      "$NODE" "$PROGRAM" "$@"`;
    const ran = spawnSync(
      "env",
      [
        `NODE=${process.execPath}`,
        `PROGRAM=${program}`,
        ...["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", ...paths],
      ],
      { cwd: directory, encoding: "utf8" },
    );
    if (ran.status !== 0 && /unshare: .*(not permitted|No such file)/i.test(ran.stderr)) {
      t.skip(`mount namespaces are not allowed here: ${ran.stderr.trim()}`);
      return;
    }
    assert.equal(ran.status, 0, ran.stderr);
    const found = ran.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Explanation)
      .map(({ path, kind, updates, stale }) => [basename(path), kind, updates, stale]);
    assert.deepEqual(found, [
      ["app.yaml", "subPath", "frozen", false],
      ["sub", "subPath", "frozen", false],
      ["x", "subPath", "frozen", false],
      ["single", "bindFile", "inPlace", false],
      ["app.yaml", "volume", "live", false],
      ["app.yaml", "subPath", "frozen", true],
      ["sub", "subPath", "frozen", true],
      ["x", "subPath", "frozen", true],
      ["single", "bindFile", "frozen", true],
      ["app.yaml", "volume", "live", false],
    ]);
  });
});

describe("watchConfig", () => {
  it("warns at the start about a mount that will never change, with the fix", async (t) => {
    const file = join(temporaryDirectory(t), "app.yaml");
    writeFileSync(file, "1");
    const mountinfo = () => mountLine(`/pods/x/cfg/${version}/app.yaml`, file);
    const frozen = await open<string>(t, file, { environment: { mountinfo } });
    assert.equal(frozen.warnings.length, 1);
    assert.match(
      frozen.warnings[0] ?? "",
      /^DRIFTLESS_FROZEN ".*app\.yaml" is a subPath mount .* Mount the whole volume as a directory/,
    );
    assert.deepEqual((await open<string>(t, file)).warnings, []);
    const liveSubPaths = () => [file];
    const live = await open<string>(t, file, { environment: { mountinfo, liveSubPaths } });
    assert.deepEqual(live.warnings, []);
  });
});
