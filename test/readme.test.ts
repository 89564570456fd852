// What the README tells people to try, tried.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { tempDir } from "../src/base/testing/temp-dir.ts";
import { UpDirectory } from "./up/driftless-up.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const README = readFileSync(`${ROOT}/README.md`, "utf8");

function scripts(): Readonly<Record<string, string>> {
  const file = JSON.parse(readFileSync(`${ROOT}/package.json`, "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  return file.scripts;
}

describe("the README", () => {
  it("shows a first try that runs: npm start prints the commands that the README has", async (t) => {
    assert.match(README, /```sh\nnpm start\n```/);
    assert.equal(scripts()["start"], "node src/cmd/driftless.ts up");
    if (process.getuid?.() !== 0) return t.skip("needs root, for a node");
    await using directory = new UpDirectory();
    const up = await directory.start();
    const printed = up.stdout
      .split("\n")
      .filter((line) => /^ {2}\S*(driftless|kubectl) /.test(line));
    assert.equal(printed.length, 6);
    for (const line of printed) {
      // Here the checkout is another directory than where this runs.
      const command = line.trim().replaceAll(/\S*\/(?=driftless |examples\/)/g, "");
      assert.ok(README.replaceAll("./driftless", "driftless").includes(`\n${command}\n`), command);
    }
  });

  it("shows a demo that tells the story to its end", async () => {
    const [program = "", ...args] = (scripts()["demo"] ?? "").split(" ");
    assert.equal(program, "node");

    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });

    assert.match(stdout, /app +\w{10} {2}"hello", 4 workers at start/);
    assert.match(stdout, /app +\w{10} {2}"bonjour", 4 workers after .* changed settings\.json/);
    assert.match(stdout, /refused: .*workers: Invalid input/);
    assert.match(stdout, /still running on "bonjour", 4 workers/);
    assert.match(stdout, /"hola", 8 workers after .* added flags\/beta, changed settings\.json/);
    assert.match(stdout, /removed motd\.txt/);
    assert.match(stdout, /\.\.data -> \.\.\d{4}_/);
  });

  it("shows an app that follows a file that is saved by rename", async () => {
    using dir = tempDir();
    const code = /```js\n([\s\S]*?)```/.exec(README)?.[1];
    assert.ok(code, "there is an example");
    const library = new URL("../packages/config/src/index.js", import.meta.url).href;
    dir.write({
      "app.mjs": code.replace('"@driftless/config"', JSON.stringify(library)),
      "settings.json": '{ "level": 1 }',
    });
    const app = spawn(process.execPath, ["app.mjs"], {
      cwd: dir.path,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    const lines: string[] = [];
    let onLine = (): void => undefined;
    app.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      lines.splice(0, Number.POSITIVE_INFINITY, ...printed.split("\n").slice(0, -1));
      onLine();
    });
    const until = (count: number): Promise<void> =>
      new Promise((resolve) => {
        onLine = () => (lines.length >= count ? resolve() : undefined);
        onLine();
      });

    try {
      await until(2);
      writeFileSync(dir.join("settings.json.new"), '{ "level": 2 }');
      renameSync(dir.join("settings.json.new"), dir.join("settings.json"));
      await until(3);
    } finally {
      app.kill();
    }

    assert.deepEqual(lines, ["start { level: 1 }", "initial { level: 1 }", "update { level: 2 }"]);
  });
});
