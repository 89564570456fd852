// Runs the script as npm does, in a tiny project, with a small program in the place of npm.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type TempDir, tempDir } from "../src/base/testing/temp-dir.ts";

// Does what `npm ci` does to a directory, and notes that it was called.
const fakeNpm = `
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
appendFileSync("calls.txt", process.argv.slice(2).join(" ") + "\\n");
if (process.env.FAKE_NPM_ERROR) {
  console.error(process.env.FAKE_NPM_ERROR);
  process.exit(1);
}
if (process.env.FAKE_NPM_STRICT && process.argv[2] === "ci") {
  console.error("npm ci can only install packages when your package.json and package-lock.json are in sync");
  process.exit(1);
}
rmSync("node_modules", { recursive: true, force: true });
await new Promise((done) => setTimeout(done, 200));
mkdirSync("node_modules/a", { recursive: true });
writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages: {} }));
`;

function lockFile(version: string): string {
  return JSON.stringify({
    packages: {
      "": { name: "tiny" },
      "node_modules/a": { version, integrity: `sha512-${version}` },
      "node_modules/elsewhere": { version, optional: true },
    },
  });
}

function project(): TempDir {
  const dir = tempDir();
  mkdirSync(dir.join("tools"));
  const name = "tools/install-missing.mjs";
  copyFileSync(join(import.meta.dirname, "..", name), dir.join(name));
  dir.write({ "package-lock.json": lockFile("1.0.0"), "npm.mjs": fakeNpm });
  return dir;
}

function runScript(dir: TempDir, env = {}): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, ["tools/install-missing.mjs"], {
    cwd: dir.path,
    env: { ...process.env, npm_execpath: dir.join("npm.mjs"), TMPDIR: dir.path, ...env },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  }
  return new Promise((resolve) => {
    child.on("close", (code) => resolve({ code, text }));
  });
}

function calls(dir: TempDir): number {
  const file = dir.join("calls.txt");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0;
}

describe("install-missing", () => {
  it("installs on a fresh clone, says so, and is silent the second time", async () => {
    using dir = project();

    const first = await runScript(dir);
    const second = await runScript(dir);

    assert.equal(first.code, 0, first.text);
    assert.match(first.text, /^Installing 1 packages the first time.*\nInstalled in \d+ s\n$/);
    assert.deepEqual(second, { code: 0, text: "" });
    assert.equal(calls(dir), 1);
    assert.match(readFileSync(dir.join("calls.txt"), "utf8"), /^ci --no-audit/);
  });

  it("installs again when package-lock.json has changed", async () => {
    using dir = project();
    await runScript(dir);
    dir.write({ "package-lock.json": lockFile("2.0.0") });

    const { text } = await runScript(dir);

    assert.match(text, /because package-lock\.json has changed/);
    assert.equal(calls(dir), 2);
  });

  it("leaves alone what was installed by hand from the same lock file", async () => {
    using dir = project();
    dir.write({ "node_modules/.package-lock.json": lockFile("1.0.0"), "node_modules/a/x": "" });

    assert.deepEqual(await runScript(dir), { code: 0, text: "" });
    assert.equal(calls(dir), 0);
  });

  it("installs when a package was installed by hand in another version", async () => {
    using dir = project();
    dir.write({ "node_modules/.package-lock.json": lockFile("0.9.0"), "node_modules/a/x": "" });

    await runScript(dir);

    assert.equal(calls(dir), 1);
  });

  it("installs once when several start at the same time", async () => {
    using dir = project();

    const all = await Promise.all([runScript(dir), runScript(dir), runScript(dir)]);

    assert.deepEqual(
      all.map(({ code }) => code),
      [0, 0, 0],
    );
    assert.equal(calls(dir), 1);
    assert.match(all.map(({ text }) => text).join(""), /Waiting for another installation/);
  });

  it("shows all that npm said when it fails, says what to do, and tries again next time", async () => {
    using dir = project();

    const failed = await runScript(dir, { FAKE_NPM_ERROR: "npm error code ENOTFOUND" });
    const again = await runScript(dir);

    assert.equal(failed.code, 1);
    assert.match(failed.text, /npm error code ENOTFOUND/);
    assert.match(failed.text, /the registry cannot be reached\. Connect to a network/);
    assert.equal(again.code, 0);
  });

  it("falls back to npm install when the lock file lacks packages of other platforms", async () => {
    using dir = project();

    const { code, text } = await runScript(dir, { FAKE_NPM_STRICT: "1" });

    assert.equal(code, 0, text);
    assert.doesNotMatch(text, /in sync/);
    assert.match(readFileSync(dir.join("calls.txt"), "utf8"), /^ci .*\ninstall --no-save .*\n$/);
  });

  it("does not wait for an installation that was killed", async () => {
    using dir = project();
    const name = createHash("sha256").update(dir.path).digest("hex").slice(0, 16);
    const lock = dir.join(`driftless-install-${name}`);
    // Process numbers end below 2^22, so nobody has this one.
    dir.write({ [`driftless-install-${name}/owner`]: "99999999" });

    const { code, text } = await runScript(dir);

    assert.equal(code, 0, text);
    assert.equal(existsSync(lock), false);
  });
});
