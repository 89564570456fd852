// Two sidecars with one output: the second says who has it, and ends; what kill -9 leaves is no obstacle.

import { equal, match } from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { describe, it } from "node:test";
import { ended, SidecarScene } from "./sidecar-process.ts";

describe("two sidecars", { timeout: 240_000 }, () => {
  it("do not share an output, whatever it is called; the second names the first, and kill -9 lets it go", async () => {
    await using scene = new SidecarScene();
    const compose = { sources: { in: scene.join("in") }, output: { files: scene.join("out") } };
    scene.write("in/a", "one\n");
    const first = scene.start(compose, ["--state-dir", scene.join("one")]);
    await scene.until("it is live", () => scene.read("out/a") === "one\n");
    symlinkSync(scene.join("out"), scene.join("link"));
    const alias = { ...compose, output: { files: scene.join("link") } };
    scene.log = "";
    equal(await ended(scene.start(alias, ["--once", "--state-dir", scene.join("two")])), 1);
    match(
      scene.log,
      new RegExp(
        `^driftless: Another sidecar has ${scene.join("link")}: process ${first.pid}\\.`,
        "m",
      ),
    );
    // The first is not disturbed.
    scene.write("in/a", "two\n");
    await scene.until("it goes on", () => scene.read("out/a") === "two\n");
    await scene.kill(first);
    scene.write("in/a", "three\n");
    equal(await ended(scene.start(compose, ["--once", "--state-dir", scene.join("two")])), 0);
    equal(scene.read("out/a"), "three\n");
  });

  it("do not share a state directory", async () => {
    await using scene = new SidecarScene();
    const state = ["--state-dir", scene.join("state")];
    const compose = { sources: { in: scene.join("in") }, output: scene.join("out") };
    scene.write("in/a", "one\n");
    scene.start(compose, state);
    await scene.until("it is live", () => scene.read("out/a") === "one\n");
    scene.log = "";
    equal(
      await ended(scene.start({ ...compose, output: scene.join("other") }, [...state, "--once"])),
      1,
    );
    match(scene.log, /Another sidecar has .*\/state: process \d+\./);
    equal(scene.read("other/a"), undefined);
  });

  it("do not share an output across containers that do not see each other's processes", async (t) => {
    const unshare = ["--pid", "--fork", "--kill-child", "--mount-proc"];
    const { status, stderr } = spawnSync("unshare", [...unshare, "true"], { encoding: "utf8" });
    if (status !== 0) {
      t.skip(`there are no PID namespaces for us: ${stderr.trim()}`);
      return;
    }
    await using scene = new SidecarScene();
    const compose = { sources: { in: scene.join("in") }, output: scene.join("out") };
    scene.write("in/a", "one\n");
    const argv = scene.argv(compose);
    const first = scene.keep(spawn("unshare", [...unshare, ...argv], { stdio: "ignore" }));
    await scene.until("it is live", () => scene.read("out/a") === "one\n");
    equal(await ended(scene.start(compose, ["--once"])), 1);
    match(scene.log, /Another sidecar has .*\/out: process 1 of another container\./);
    await scene.kill(first);
    // What is in the namespace goes with its first process, a moment after the one that we have killed.
    while ((await ended(scene.start(compose, ["--once"]))) !== 0) scene.log = "";
  });
});
