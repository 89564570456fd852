import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { describe, it } from "node:test";
import { CaptureLogger } from "../../base/testing/capture-logger.ts";
import { type TempDir, tempDir } from "../../base/testing/temp-dir.ts";
import { testCandidate } from "../testing/test-candidate.ts";
import { FilesOutput, type FilesOutputOptions } from "./files-output.ts";

function outputIn(dir: TempDir, more: Partial<FilesOutputOptions> = {}): FilesOutput {
  return new FilesOutput({
    ...{ directory: dir.join("out"), removesOthers: true, takesOver: false, allowsOutside: false },
    ...{ leavesOut: false, logger: new CaptureLogger(), ...more },
  });
}

const text = (dir: TempDir, path: string): string => readFileSync(dir.join("out", path), "utf8");

describe("FilesOutput", () => {
  it("leaves out what has no place if it may, says so, and writes it when there is one", () => {
    using dir = tempDir();
    dir.write({ "out/b/of-others": "here" });
    const set = testCandidate({ a: "1", b: "2", "/proc/nowhere/c": "3", "\0d": "4" });
    throws(() => outputIn(dir, { allowsOutside: true }).write(set));
    equal(existsSync(dir.join("out/a")), false, "one that has no place keeps all away");
    const output = outputIn(dir, { allowsOutside: true, leavesOut: true });
    equal(output.write(set), "written");
    equal(text(dir, "a"), "1");
    const leftOut = output.leftOut() ?? "";
    for (const part of ['"b": a directory', "/proc/nowhere", "\0d"]) {
      ok(leftOut.includes(part), `${part} is not in: ${leftOut}`);
    }
    equal(output.write(set), "unchanged");
    deepEqual(output.read(), new Map([["a", Buffer.from("1")]]), "it is not taken for ours");
    rmSync(dir.join("out/b"), { recursive: true });
    equal(output.write(set), "written");
    equal(text(dir, "b"), "2");
    equal(output.write(testCandidate({ a: "1", b: "2" })), "unchanged");
    equal(output.leftOut(), undefined);
  });

  it("shares a directory with others that have names of their own, and removes only what is its own", () => {
    using dir = tempDir();
    const [one, other] = ["one", "other"].map((share) => outputIn(dir, { share, takesOver: true }));
    one?.write(testCandidate({ a: "1", both: "1" }));
    other?.write(testCandidate({ b: "2", both: "2" }));
    equal(text(dir, "both"), "2");
    one?.write(testCandidate({ c: "1" }));
    other?.write(testCandidate({ b: "2", both: "2" }));
    const shown = readdirSync(dir.join("out")).filter((name) => !name.startsWith(".."));
    deepEqual(shown.toSorted(), ["b", "both", "c"]);
  });

  it("writes what differs with its mode, and leaves the rest untouched", () => {
    using dir = tempDir();
    const output = outputIn(dir);
    equal(output.write(testCandidate({ a: "1", "sub/b": "2" }, { mode: 0o640 })), "written");
    const { ino } = statSync(dir.join("out/a"));
    equal(lstatSync(dir.join("out/sub/b")).mode & 0o777, 0o640);
    equal(output.write(testCandidate({ a: "1", "sub/b": "3" }, { mode: 0o640 })), "written");
    equal(text(dir, "sub/b"), "3");
    equal(statSync(dir.join("out/a")).ino, ino, "an unchanged file is the same one");
    equal(output.write(testCandidate({ a: "1", "sub/b": "3" }, { mode: 0o640 })), "unchanged");
  });

  it("removes files of its own that are gone, with their directories, and nothing of others", () => {
    using dir = tempDir();
    dir.write({ "out/theirs": "x", "out/sub/theirs": "y" });
    const output = outputIn(dir);
    output.write(testCandidate({ a: "1", "sub/b": "2", "own/c": "3" }));
    outputIn(dir).write(testCandidate({ a: "1" }));
    deepEqual(readdirSync(dir.join("out")).toSorted(), ["..driftless-files", "a", "sub", "theirs"]);
    deepEqual(readdirSync(dir.join("out/sub")), ["theirs"]);
  });

  for (const leavesOut of [false, true]) {
    const how = leavesOut ? "says so and goes on" : "fails";
    it(`${how} when a file of its own cannot be removed, and removes it when it can`, (t) => {
      using dir = tempDir();
      const output = outputIn(dir, { leavesOut });
      output.write(testCandidate({ a: "1", "d/gone": "1" }));
      const immutable = (flag: string): number | null =>
        spawnSync("chattr", [flag, dir.join("out/d/gone")]).status;
      if (immutable("+i") !== 0) return t.skip("nothing can be made immutable here");
      try {
        const next = testCandidate({ a: "2" });
        if (leavesOut) equal(output.write(next), "written");
        else throws(() => output.write(next), /d\/gone/);
        equal(text(dir, "a"), "2");
        equal(output.leftOut()?.includes("d/gone") ?? false, leavesOut);
        immutable("-i");
        equal(outputIn(dir, { leavesOut }).write(next), "written", "in another life too");
        equal(existsSync(dir.join("out/d")), false);
      } finally {
        immutable("-i");
      }
      return undefined;
    });
  }

  it("leaves a directory alone that somebody made of a file of its own", () => {
    using dir = tempDir();
    const output = outputIn(dir);
    output.write(testCandidate({ a: "1", gone: "1" }));
    rmSync(dir.join("out/gone"));
    dir.write({ "out/gone/of-others": "here" });
    equal(output.write(testCandidate({ a: "1" })), "written");
    equal(text(dir, "gone/of-others"), "here");
    equal(output.write(testCandidate({ a: "1" })), "unchanged", "it is not ours any more");
  });

  it("keeps its files that are gone from the set if it is to", () => {
    using dir = tempDir();
    const output = outputIn(dir, { removesOthers: false });
    output.write(testCandidate({ a: "1", b: "2" }));
    output.write(testCandidate({ a: "1" }));
    equal(text(dir, "b"), "2");
  });

  it("refuses a place where somebody else's file is, and changes nothing", () => {
    using dir = tempDir();
    dir.write({ "out/b": "theirs" });
    const set = testCandidate({ a: "1", b: "2" });
    const reason = /Cannot write "b": a file that the sidecar did not write is in its place/;
    throws(() => outputIn(dir).write(set), reason);
    match(outputIn(dir).obstacle(set) ?? "", reason);
    equal(outputIn(dir, { takesOver: true }).obstacle(set), undefined);
    deepEqual(readdirSync(dir.join("out")), ["b"]);
    outputIn(dir, { takesOver: true }).write(testCandidate({ a: "1", b: "2" }));
    equal(text(dir, "b"), "2");
  });

  it("takes a file for its own that has the wanted content already", () => {
    using dir = tempDir();
    const set = testCandidate({ a: "1" }, { mode: 0o600 });
    outputIn(dir).write(set);
    const again = dir.join("out/..driftless-files");
    dir.write({ "out/..driftless-files": "{ not a manifest" });
    equal(outputIn(dir).write(set), "unchanged");
    equal(readFileSync(again, "utf8"), '["a"]\n');
  });

  it("puts back what somebody changed", () => {
    using dir = tempDir();
    const output = outputIn(dir);
    output.write(testCandidate({ a: "1" }));
    dir.write({ "out/a": "2" });
    equal(output.write(testCandidate({ a: "1" })), "written");
    equal(text(dir, "a"), "1");
  });

  it("follows no link below the output, and no path out of it", () => {
    using dir = tempDir();
    mkdirSync(dir.join("out"));
    mkdirSync(dir.join("elsewhere"));
    symlinkSync(dir.join("elsewhere"), dir.join("out/sub"));
    throws(() => outputIn(dir).write(testCandidate({ "sub/a": "1" })), /out\/sub" is no directory/);
    throws(() => outputIn(dir).write(testCandidate({ "../a": "1" })), /would leave/);
    throws(() => outputIn(dir).write(testCandidate({ "/a": "1" })), /must be relative/);
    deepEqual(readdirSync(dir.join("elsewhere")), []);
    dir.write({ "elsewhere/a": "theirs", "out/..driftless-files": '["sub/a"]' });
    outputIn(dir).write(testCandidate({ b: "1" }));
    equal(readFileSync(dir.join("elsewhere/a"), "utf8"), "theirs", "removed through a link");
    const outside = { [dir.join("elsewhere/c")]: "1" };
    outputIn(dir, { allowsOutside: true }).write(testCandidate(outside));
    equal(readFileSync(dir.join("elsewhere/c"), "utf8"), "1");
  });

  it("takes no link below the output for its own, however the output is spelled", () => {
    using dir = tempDir();
    mkdirSync(dir.join("out"));
    mkdirSync(dir.join("elsewhere"));
    symlinkSync(dir.join("elsewhere"), dir.join("out/sub"));
    for (const directory of [`${dir.join("out")}/`, dir.join("out/../out//")]) {
      throws(
        () => outputIn(dir, { directory }).write(testCandidate({ "sub/a": "1" })),
        /out\/sub" is no directory/,
      );
    }
    deepEqual(readdirSync(dir.join("elsewhere")), []);
  });

  it("replaces a link that somebody put in place of its file, and not what that leads to", () => {
    using dir = tempDir();
    dir.write({ theirs: "precious" });
    const output = outputIn(dir);
    output.write(testCandidate({ a: "1" }));
    rmSync(dir.join("out/a"));
    symlinkSync(dir.join("theirs"), dir.join("out/a"));
    equal(output.write(testCandidate({ a: "1" })), "written");
    equal(lstatSync(dir.join("out/a")).isFile(), true);
    equal(readFileSync(dir.join("theirs"), "utf8"), "precious");
  });

  it("removes nothing outside that a list says which others can write", () => {
    using dir = tempDir();
    dir.write({ theirs: "precious", "ours/x": "1" });
    const list = [dir.join("theirs"), "../theirs", "sub/../../theirs", "gone"];
    dir.write({ "out/..driftless-files": JSON.stringify(list), "out/gone": "1" });
    const outsideManifest = dir.join("outside");
    const output = outputIn(dir, { allowsOutside: true, outsideManifest });
    output.write(testCandidate({ a: "1", [dir.join("ours/b")]: "2" }));
    equal(readFileSync(dir.join("theirs"), "utf8"), "precious");
    equal(existsSync(dir.join("out/gone")), false, "in the output, the list counts");
    // What another life put outside is known, and removed.
    outputIn(dir, { allowsOutside: true, outsideManifest }).write(testCandidate({ a: "1" }));
    deepEqual(readdirSync(dir.join("ours")), ["x"]);
  });

  it("has no path with ../, whether it may go outside or not", () => {
    using dir = tempDir();
    for (const allowsOutside of [true, false]) {
      for (const path of ["../a", "b/../../a", `${dir.path}/../a`, `/${dir.join("a")}`]) {
        throws(() => outputIn(dir, { allowsOutside }).write(testCandidate({ [path]: "1" })));
      }
    }
    deepEqual(readdirSync(dir.path).toSorted(), ["out"]);
    deepEqual(readdirSync(dir.join("out")), []);
  });

  it("leaves every file as it was when one cannot be written", () => {
    using dir = tempDir();
    const output = outputIn(dir);
    output.write(testCandidate({ a: "1", b: "1" }));
    const long = "x".repeat(256);
    throws(() => output.write(testCandidate({ a: "2", b: "2", [long]: "2" })));
    mkdirSync(dir.join("out/z"));
    throws(() => output.write(testCandidate({ a: "2", b: "2", z: "2" })), /a directory is in/);
    deepEqual([text(dir, "a"), text(dir, "b")], ["1", "1"]);
  });

  it("sweeps what a crash left beside a file, and shows what is live", () => {
    using dir = tempDir();
    const set = testCandidate({ a: "1" });
    outputIn(dir).write(set);
    const name = "..driftless-new.ca978112ca1bbdca"; // The beginning of the SHA-256 of "a".
    dir.write({ [`out/${name}`]: "half" });
    outputIn(dir).write(set);
    equal(existsSync(dir.join("out", name)), false);
    const live = [...outputIn(dir).read()].map(([path, data]) => [
      path,
      Buffer.from(data).toString(),
    ]);
    deepEqual(live, [["a", "1"]]);
  });

  it("neither waits for a pipe nor follows a link that somebody put in place of a file or of the list", () => {
    using dir = tempDir();
    dir.write({ secret: "of somebody else", list: '["a"]' });
    outputIn(dir).write(testCandidate({ a: "1", b: "1", c: "1" }));
    for (const path of ["a", "b"]) rmSync(dir.join("out", path));
    execFileSync("mkfifo", [dir.join("out/a")]);
    symlinkSync(dir.join("secret"), dir.join("out/b"));
    deepEqual([...outputIn(dir).read().keys()], ["c"]);
    for (const put of [
      (place: string) => execFileSync("mkfifo", [place]),
      (place: string) => symlinkSync(dir.join("list"), place),
    ]) {
      rmSync(dir.join("out/..driftless-files"));
      put(dir.join("out/..driftless-files"));
      deepEqual([...outputIn(dir).read().keys()], []);
      equal(outputIn(dir, { takesOver: true }).write(testCandidate({ a: "2" })), "written");
      rmSync(dir.join("out/a"));
    }
    equal(readFileSync(dir.join("list"), "utf8"), '["a"]');
  });
});
