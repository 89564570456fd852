// `driftless image` as people use it: a process, its output, its exit code.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type TempDir, tempDir } from "../../src/base/testing/temp-dir.ts";
import { imageArchitecture } from "../../src/runtime/images/image-architecture.ts";
import { dockerArchive, layerOf } from "../../src/runtime/images/testing/archive-builder.ts";

const skip = process.getuid?.() === 0 ? false : "only root can import images";
const program = join(import.meta.dirname, "..", "..", "src", "cmd", "driftless.ts");

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function image(dir: TempDir, ...args: readonly string[]): Outcome {
  const all = [program, "image", ...args, "--data-dir", dir.join("data")];
  const { status, stdout, stderr } = spawnSync(process.execPath, all, { encoding: "utf8" });
  return { code: status, out: stdout, err: stderr };
}

describe("driftless image", { skip }, () => {
  test("imports and lists an image", async () => {
    using dir = tempDir();
    const architecture = imageArchitecture(process.arch);
    const layers = [await layerOf({ a: "x".repeat(2048) })];
    writeFileSync(dir.join("app.tar"), await dockerArchive({ layers, architecture }));
    assert.deepEqual(image(dir, "import", "app", dir.join("app.tar")), {
      code: 0,
      out: "driftless: imported docker.io/library/app:latest (1 layer, 2.0 KiB)\n",
      err: "",
    });
    const [head, row] = image(dir, "list").out.split("\n");
    assert.match(head ?? "", /^NAME +ID +LAYERS +SIZE +IMPORTED$/);
    assert.match(
      row ?? "",
      /^docker.io\/library\/app:latest {3}[0-9a-f]{12} {3}1 {8}2.0 KiB {3}\d{4}-.*Z$/,
    );
  });

  test("imports a directory with arguments that look like options, and removes it", () => {
    using dir = tempDir();
    dir.write({ "app/run": "x" });
    const words = ["--entrypoint", "/run", "--cmd", "--port", "--cmd", "80", "--env", "A=b=c"];
    const who = ["--user", "7", "--workdir", "/w", "-o", "json"];
    const { out, err, code } = image(dir, "import", "app", dir.join("app"), ...words, ...who);
    assert.deepEqual([code, err], [0, ""]);
    const { config } = JSON.parse(out) as { config: Record<string, unknown> };
    assert.deepEqual(config["entrypoint"], ["/run"]);
    assert.deepEqual(config["cmd"], ["--port", "80"]);
    assert.equal((config["env"] as string[])[1], "A=b=c");
    assert.deepEqual([config["user"], config["workingDir"]], ["7", "/w"]);
    assert.equal(
      image(dir, "remove", "app").out,
      "driftless: removed docker.io/library/app:latest\n",
    );
  });

  test("says what is wrong with a name, and that it was called wrongly", () => {
    using dir = tempDir();
    const { code, err } = image(dir, "import", "App", dir.path);
    assert.equal(code, 2);
    assert.match(err, /^driftless: couldn't parse image name "App": invalid reference format/);
  });
});
