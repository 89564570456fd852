import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { systemEnvironment } from "../src/environment.js";
import { snapshot } from "../src/index.js";
import { list } from "../src/plain.js";
import { takeSnapshot, undisturbed } from "../src/snapshot.js";
import { readPinned } from "../src/volume.js";
import { temporaryDirectory } from "./situation.ts";
import { VolumeWriter } from "./volume-writer.ts";

function newVolume(t: TestContext): VolumeWriter {
  return new VolumeWriter(join(temporaryDirectory(t), "config"));
}

describe("snapshot of a volume", () => {
  it("holds all files of the version, also in sub-directories, without the writer's notes", (t) => {
    const volume = newVolume(t);
    const version = volume.write({
      "b.txt": "B",
      "a.txt": "A",
      "sub/deep/c": "C",
      "..version": "x",
    });
    symlinkSync("/etc/hostname", join(version, "outside"));

    const taken = snapshot(volume.directory);

    assert.deepEqual(taken.keys, ["a.txt", "b.txt", "sub/deep/c"]);
    assert.equal(taken.text("sub/deep/c"), "C");
    assert.equal(taken.path, volume.directory);
    assert.equal(taken.has("..version"), false);
    assert.equal(taken.has("outside"), false);
  });

  it("has the same version for the same content in another place, and another for other content", (t) => {
    const one = newVolume(t);
    const two = newVolume(t);
    one.write({ a: "1", b: "2" });
    two.write({ b: "2", a: "1" });
    assert.equal(snapshot(one.directory).version, snapshot(two.directory).version);
    two.write({ a: "12", b: "" });
    assert.notEqual(snapshot(one.directory).version, snapshot(two.directory).version);
  });

  it("reads one key, nested or not, when pointed to a file in the volume", (t) => {
    const volume = newVolume(t);
    volume.write({ "app.yaml": "top", "sub/app.yaml": "nested", "sub/other": "o" });
    for (const [path, content] of [
      ["app.yaml", "top"],
      ["sub/app.yaml", "nested"],
      ["..data/app.yaml", "top"],
    ] as const) {
      const taken = snapshot(join(volume.directory, path));
      assert.deepEqual(taken.keys, ["app.yaml"]);
      assert.equal(taken.text("app.yaml"), content);
      assert.equal(taken.path, join(volume.directory, path));
    }
    assert.deepEqual(snapshot(join(volume.directory, "sub")).keys, ["app.yaml", "other"]);
  });

  it("finds the volume behind links from elsewhere", (t) => {
    const volume = newVolume(t);
    volume.write({ "app.yaml": "1", "sub/x": "2" });
    const elsewhere = temporaryDirectory(t);
    symlinkSync(join(volume.directory, "app.yaml"), join(elsewhere, "linked.yaml"));
    symlinkSync(join(volume.directory, "sub"), join(elsewhere, "linked"));
    const { isVolume, snapshot: file } = takeSnapshot(join(elsewhere, "linked.yaml"), clock());
    assert.equal(isVolume, true);
    assert.equal(file.text(file.keys[0] ?? ""), "1");
    assert.equal(takeSnapshot(join(elsewhere, "linked", "x"), clock()).isVolume, true);
  });

  it("does not take a directory beside ..data for a part of the volume", (t) => {
    const volume = newVolume(t);
    volume.write({ key: "v" });
    mkdirSync(join(volume.directory, "own"));
    writeFileSync(join(volume.directory, "own", "file"), "plain");
    assert.equal(snapshot(join(volume.directory, "own")).text("file"), "plain");
  });

  it("is empty for an empty volume, with the SHA-256 of nothing", (t) => {
    const volume = newVolume(t);
    volume.write({});
    assert.deepEqual(snapshot(volume.directory).keys, []);
    assert.equal(
      snapshot(volume.directory).version,
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    );
  });

  it("takes 10,000 keys and 1 MiB values", (t) => {
    const volume = newVolume(t);
    const files: Record<string, string> = { big: "x".repeat(2 ** 20) };
    for (let n = 0; n < 10_000; n += 1) files[`key-${n}`] = String(n);
    volume.write(files);
    const taken = snapshot(volume.directory);
    assert.equal(taken.keys.length, 10_001);
    assert.equal(taken.text("key-9999"), "9999");
    assert.equal(taken.bytes("big").length, 2 ** 20);
  });

  it("refuses a ..data link that leads out of the volume", (t) => {
    const directory = temporaryDirectory(t);
    symlinkSync("/etc", join(directory, "..data"));
    assert.throws(() => snapshot(directory), /its \.\.data link points to "\/etc"/);
  });

  it("names a path once when it is missing", (t) => {
    const path = join(temporaryDirectory(t), "none");
    assert.throws(() => snapshot(path), {
      message: `Cannot read "${path}": ENOENT: no such file or directory`,
    });
  });

  it("says so at once when ..data leads nowhere", (t) => {
    const directory = temporaryDirectory(t);
    symlinkSync("..gone", join(directory, "..data"));
    assert.throws(
      () => snapshot(directory),
      (error: Error) => {
        assert.match(error.message, /^Cannot read ".*": ENOENT/);
        assert.ok(error.cause instanceof Error);
        return true;
      },
    );
  });

  it("cannot be changed through anything that it hands out", (t) => {
    const volume = newVolume(t);
    volume.write({ key: "value" });
    const taken = snapshot(volume.directory);
    taken.bytes("key").fill(0);
    assert.equal(taken.text("key"), "value");
    assert.ok(Object.isFrozen(taken) && Object.isFrozen(taken.keys));
    assert.throws(() => Object.assign(taken, { text: () => "" }), TypeError);
    assert.throws(() => Object.assign(Object.getPrototypeOf(taken), { text: () => "" }), TypeError);
  });

  it("names key and path, and never the content, when the bytes are not UTF-8", (t) => {
    const volume = newVolume(t);
    volume.write({ key: Buffer.from("secret\xff\xfe", "latin1") });
    const taken = snapshot(volume.directory);
    assert.equal(taken.bytes("key").length, 8);
    assert.throws(
      () => taken.text("key"),
      (error: Error) => {
        assert.match(error.message, /"key" of ".*" as text: it is not UTF-8/);
        assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /secret/);
        return true;
      },
    );
    assert.throws(() => taken.text("other"), /"other" of ".*": no such key/);
  });

  it("is never a mix of two versions while another process swaps without a pause", async (t) => {
    const volume = newVolume(t);
    const program = new URL("programs/swap.mjs", import.meta.url).pathname;
    const writer = spawn(process.execPath, [program, volume.directory, "8"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    t.after(() => writer.kill("SIGKILL"));
    await once(writer.stdout, "data");

    const versions = new Set<string>();
    // Until enough versions were met, however slow this machine lets the writer be.
    const startMs = systemEnvironment.now();
    while (versions.size < 100 && systemEnvironment.now() - startMs < 60_000) {
      const taken = snapshot(volume.directory);
      const contents = new Set(taken.keys.map((key) => taken.text(key)));
      assert.equal(taken.keys.length, 8);
      assert.equal(contents.size, 1, `mixed: ${[...contents].join(" and ")}`);
      versions.add(taken.version);
    }
    writer.kill("SIGKILL");
    await once(writer, "close");
    assert.ok(versions.size >= 100, `only ${versions.size} versions: the writer stood still`);
  });
});

describe("snapshot of plain files", () => {
  it("takes a directory with its sub-directories, hidden files included", (t) => {
    const directory = temporaryDirectory(t);
    mkdirSync(join(directory, "sub"));
    writeFileSync(join(directory, "a"), "A");
    writeFileSync(join(directory, ".hidden"), "H");
    writeFileSync(join(directory, "..note"), "N");
    writeFileSync(join(directory, "sub", "b"), "B");
    const taken = snapshot(directory);
    assert.deepEqual(taken.keys, [".hidden", "a", "sub/b"]);
    assert.equal(taken.text("sub/b"), "B");
  });

  it("has the same version as a volume with the same content", (t) => {
    const directory = temporaryDirectory(t);
    const volume = newVolume(t);
    writeFileSync(join(directory, "a"), "A");
    volume.write({ a: "A" });
    assert.equal(snapshot(directory).version, snapshot(volume.directory).version);
    assert.equal(
      snapshot(join(directory, "a")).version,
      snapshot(join(volume.directory, "a")).version,
    );
  });

  it("survives links that loop, multiply or lead nowhere", (t) => {
    const directory = temporaryDirectory(t);
    mkdirSync(join(directory, "sub"));
    writeFileSync(join(directory, "sub", "file"), "1");
    symlinkSync("..", join(directory, "sub", "up"));
    symlinkSync(".", join(directory, "self"));
    symlinkSync("round", join(directory, "round"));
    symlinkSync("nowhere", join(directory, "dangling"));
    symlinkSync("sub/file", join(directory, "link"));
    assert.deepEqual(snapshot(directory).keys, ["link", "sub/file"]);
  });

  it("notices every way in which a directory can change between two looks", (t) => {
    const directory = temporaryDirectory(t);
    const file = join(directory, "a");
    mkdirSync(join(directory, "sub"));
    writeFileSync(file, "one");
    const changes = {
      "longer content": () => writeFileSync(file, "three"),
      "another file in its place": () => {
        writeFileSync(join(directory, "..new"), "four!");
        renameSync(join(directory, "..new"), file);
      },
      "another time": () => utimesSync(file, 1, 1),
      "a new file": () => writeFileSync(join(directory, "sub", "b"), ""),
      "a lost file": () => rmSync(join(directory, "sub", "b")),
      "a lost directory": () => rmSync(join(directory, "sub"), { recursive: true }),
    };
    for (const [what, change] of Object.entries(changes)) {
      const before = list(directory).mark;
      assert.equal(list(directory).mark, before);
      change();
      assert.notEqual(list(directory).mark, before, what);
    }
  });

  it("refuses what is neither a file nor a directory, and what does not exist", (t) => {
    assert.throws(() => snapshot("/dev/null"), /neither a regular file nor a directory/);
    assert.throws(
      () => snapshot(join(temporaryDirectory(t), "none")),
      /Cannot read ".*none": ENOENT/,
    );
  });
});

describe("the attempts of a snapshot", () => {
  const content = { files: new Map<string, Buffer>(), isFile: false };

  it("follow each other at once, then with pauses, until one was undisturbed", () => {
    let attempts = 0;
    let pauses = 0;
    const attempt = () => {
      attempts += 1;
      return attempts < 1500 ? ("moved" as const) : content;
    };
    const pause = () => {
      pauses += 1;
    };
    assert.equal(undisturbed(attempt, 1000, { now: () => 0, pause }), content);
    assert.equal(pauses, 499);
  });

  it("end with a clear error when the files never come to rest", () => {
    let nowMs = 0;
    const now = () => {
      nowMs += 10;
      return nowMs;
    };
    assert.throws(
      () => undisturbed(() => "moved", 1000, { now, pause: () => {} }),
      /it changed during each of 101 attempts in 1000 ms/,
    );
  });

  it("wait for a ..data link that is gone, but not for long", (t) => {
    const volume = newVolume(t);
    volume.write({ key: "v" });
    const location = { root: volume.directory, inner: "" };
    rmSync(join(volume.directory, "..data"));
    assert.equal(readPinned(location), "vanished");

    let pauses = 0;
    const comesBack = () => {
      pauses += 1;
      if (pauses === 20) volume.write({ key: "new" });
    };
    const found = undisturbed(() => readPinned(location), 1000, { now: () => 0, pause: comesBack });
    assert.equal(found.files.get("key")?.toString(), "new");

    rmSync(join(volume.directory, "..data"));
    assert.throws(
      () => undisturbed(() => readPinned(location), 1000, { now: () => 0, pause: () => {} }),
      /its \.\.data link is gone/,
    );
  });
});

function clock(): { now: () => number; pause: () => void } {
  return { now: () => 0, pause: () => {} };
}
