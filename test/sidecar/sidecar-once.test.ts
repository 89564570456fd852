// `driftless sidecar --once`, as init containers run it: what is on disk when it ends, and with which code it does.

import { deepEqual, equal, match } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ended, SidecarScene } from "./sidecar-process.ts";

const isRoot = process.getuid?.() === 0;

describe("driftless sidecar --once", { timeout: 240_000 }, () => {
  for (const kind of ["volume", "files"]) {
    it(`leaves files with their modes and owners (${kind}), and ends with 0`, async () => {
      await using scene = new SidecarScene();
      scene.write("in/open", "1");
      scene.write("in/key", "2");
      chmodSync(scene.join("in/open"), 0o644);
      chmodSync(scene.join("in/key"), 0o600);
      const owner = isRoot ? "1234:2345" : `${process.getuid?.()}:${process.getgid?.()}`;
      const compose = {
        sources: { in: scene.join("in") },
        files: [
          "in/open",
          "in/key",
          { path: "sub/tool", copy: "in/open", mode: "0750", owner },
          { path: "shared", copy: "in/key", mode: "0440" },
        ],
        output: { [kind]: scene.join("out") },
      };
      equal(await ended(scene.start(compose, ["--once"])), 0, scene.log);
      const modeOf = (path: string): string =>
        (statSync(scene.join("out", path)).mode & 0o777).toString(8);
      deepEqual(["open", "key", "sub/tool", "shared"].map(modeOf), ["644", "600", "750", "440"]);
      const { uid, gid } = statSync(scene.join("out/sub/tool"));
      equal(`${uid}:${gid}`, owner);
    });
  }

  it("takes the compose file from the standard input", async () => {
    await using scene = new SidecarScene();
    scene.write("in/a", "1");
    const compose = { sources: { in: scene.join("in") }, output: scene.join("out") };
    const main = join(import.meta.dirname, "../../src/cmd/driftless.ts");
    const argv = [main, "sidecar", "-f", "-", "--once"];
    const once = (input: string): { readonly status: number | null; readonly stderr: string } =>
      spawnSync(process.execPath, argv, { input, encoding: "utf8" });
    equal(once(JSON.stringify(compose)).status, 0);
    equal(readFileSync(scene.join("out/a"), "utf8"), "1");
    const { status, stderr } = once("{}");
    equal(status, 2);
    match(stderr, /^driftless: stdin:1:1: /);
  });

  it("ends with 1 when it is stopped before it is done, and says what was missing", async () => {
    await using scene = new SidecarScene();
    const compose = { sources: { in: scene.join("none") }, output: scene.join("out") };
    const child = scene.start(compose, ["--once"]);
    await scene.until("it waits", () => scene.log.includes("there is no directory"));
    const end = ended(child);
    child.kill("SIGTERM");
    equal(await end, 1);
    match(scene.log, /^driftless: stopped before it was done: source: in: there is no directory/m);
  });

  it("ends with 2 and every mistake of the file, and touches nothing", async () => {
    await using scene = new SidecarScene();
    const compose = { source: {}, output: scene.join("out"), reload: { signal: "HUPP" } };
    equal(await ended(scene.start(compose, ["--once"])), 2);
    match(scene.log, /compose\.yaml:1:2: source: there is no such field; do you mean "sources"\?/);
    match(scene.log, /"HUPP" is no signal/);
    deepEqual(readdirSync(scene.path).toSorted(), [".cache", "compose.yaml", "in"]);
  });
});
