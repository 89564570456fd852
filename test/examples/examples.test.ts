// Examples that nobody finds, or that nobody runs, are none.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { EXAMPLES } from "./play-example.ts";
import { isShown, ReadmeSession, stepsOf } from "./readme-session.ts";

const entries = readdirSync(EXAMPLES, { withFileTypes: true });
const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);

describe("the examples", () => {
  it("are all in the table, and each is run by a test", () => {
    const readme = readFileSync(join(EXAMPLES, "README.md"), "utf8");
    const linked = [...readme.matchAll(/^\| \[([\w.-]+)\]\((\S+)\)/gm)];
    assert.deepEqual(new Set(linked.map(([, name]) => name)), new Set([...folders, "hello.yaml"]));
    for (const [, , path = ""] of linked) assert.ok(existsSync(join(EXAMPLES, path)), path);
    const tests = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".test.ts"));
    const played = tests.map((file) => readFileSync(join(import.meta.dirname, file), "utf8"));
    for (const name of folders) {
      assert.ok(
        played.some((text) => text.includes(`"${name}"`)),
        name,
      );
    }
  });

  it("have programs of fewer than 60 lines", () => {
    for (const file of readdirSync(EXAMPLES, { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".js")) continue;
      const lines = readFileSync(join(EXAMPLES, file), "utf8").trimEnd().split("\n").length;
      assert.ok(lines < 60, `${file} has ${lines} lines`);
    }
  });
});

describe("a README that is played", () => {
  const env = process.env;

  it("is read as commands and what they print", () => {
    const text =
      "# A\n\n```sh\na\n```\n\nthen\n\n```sh\nb\nc\n```\n\n```\nshown\n```\n\n```js\nd\n```\n";
    assert.deepEqual(stepsOf(text), [
      { commands: "a\n", output: undefined },
      { commands: "b\nc\n", output: "shown\n" },
    ]);
  });

  it("is one shell", async () => {
    await using session = new ReadmeSession({ cwd: "/", env });
    await session.play([
      { commands: "name=ann", output: undefined },
      { commands: 'echo "hello   $name"', output: "hello ann\n" },
    ]);
  });

  it("ends at a command that fails", async () => {
    await using session = new ReadmeSession({ cwd: "/", env });
    const steps = [{ commands: "echo no; (exit 3)", output: undefined }];
    await assert.rejects(session.play(steps), /no\n[\s\S]*3 !== 0/);
  });

  it("ends at an output that is another", async () => {
    await using session = new ReadmeSession({ cwd: "/", env });
    await assert.rejects(
      session.play([{ commands: "echo moin", output: "hello\n" }]),
      /printed\nmoin\nin place of\nhello/,
    );
  });

  it("looks again until what it shows is there", async () => {
    await using session = new ReadmeSession({ cwd: "/", env });
    await session.play([
      { commands: "n=0; curl() { n=$((n + 1)); echo $n; }", output: undefined },
      { commands: "curl -s http://example.com", output: "3\n" },
    ]);
  });

  for (const [output, meant, is] of [
    ["a  b\n", "a b\n", true],
    ["a\nb\n", "a b\n", false],
    ["before a\n", "a\n", false],
    ["pod-x1 1/1 0 3s\n", "pod-… 1/1 0 …\n", true],
    ["pod-x1 1/1 1 3s\n", "pod-… 1/1 0 …\n", false],
    ["a\nb\nc\n", "a…c\n", false],
    ["a.c\n", "a.c\n", true],
    ["abc\n", "a.c\n", false],
  ] as const) {
    it(`takes ${JSON.stringify(output)} ${is ? "" : "not "}for ${JSON.stringify(meant)}`, () => {
      assert.equal(isShown(output, meant), is);
    });
  }
});
