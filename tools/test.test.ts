import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type TempDir, tempDir } from "../src/base/testing/temp-dir.ts";
import { runTests, type TestCounts, type TestRunOptions } from "./test-runner.ts";

interface Outcome {
  readonly counts: TestCounts;
  readonly lines: readonly string[];
  readonly text: string;
}

async function runIn(
  dir: TempDir,
  groups: readonly (readonly string[])[],
  settings: Partial<Pick<TestRunOptions, "timeoutMs" | "env" | "signal" | "repeatFailed">> = {},
): Promise<Outcome> {
  const lines: string[] = [];
  const counts = await runTests({
    root: dir.path,
    groups: groups.map((group) => group.map((file) => dir.join(file))),
    env: { ...process.env, ...settings.env },
    timeoutMs: settings.timeoutMs ?? 30_000,
    repeatFailed: settings.repeatFailed ?? 0,
    concurrency: 2,
    print: (line) => lines.push(...line.split("\n")),
    signal: settings.signal ?? new AbortController().signal,
  });
  return { counts, lines, text: lines.join("\n") };
}

function testFile(body: string): string {
  return `import assert from "node:assert/strict";\nimport { describe, it, test } from "node:test";\n${body}\n`;
}

/** A process that has ended may wait a while, as a zombie, for init to take note of it. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false; // It has no entry: it is gone.
  }
}

const passing = testFile(`it("passes", () => {});`);

describe("the test runner", () => {
  it("counts leaf tests, not suites or tests with tests inside", async () => {
    using dir = tempDir();
    dir.write({
      "a.test.ts": testFile(`
        describe("A", () => { describe("B", () => { it("one", () => {}); it("two", () => {}); }); });
        test("outer", async (t) => { await t.test("inner", () => {}); });`),
    });

    const { counts, lines } = await runIn(dir, [["a.test.ts"]]);

    assert.deepEqual(counts, { passed: 3, failed: 0, skipped: 0 });
    assert.match(lines[0] ?? "", /^ok +a\.test\.ts +3 tests +[\d.]+ s$/);
    assert.match(lines.at(-2) ?? "", /^0 skipped, [\d.]+ s$/);
    assert.equal(lines.at(-1), "3 passed, 0 failed");
  });

  it("shows a failure with its names, its place and its error, and what the file printed", async () => {
    using dir = tempDir();
    dir.write({
      "a.test.ts": testFile(`console.log("printed before");
        describe("A", () => { it("adds", () => assert.equal(1 + 1, 3)); it("fine", () => {}); });`),
    });

    const { counts, text } = await runIn(dir, [["a.test.ts"]]);

    assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 0 });
    assert.match(text, /^FAILED +a\.test\.ts.*\n {8}A > adds: \S/m, "at once, and why");
    assert.match(text, /^FAILED A > adds\n {2}at a\.test\.ts:4$/m);
    assert.match(text, /2 !== 3/);
    assert.match(text, /printed before/);
  });

  it("lists skipped tests with their reasons and does not count them as passed", async () => {
    using dir = tempDir();
    dir.write({
      "a.test.ts": testFile(`it("later", { todo: "not yet" }, () => { throw new Error("x"); });
        it("needs root", { skip: "not root" }, () => {}); it("runs", (t) => t.skip("no strace"));`),
    });

    const { counts, text } = await runIn(dir, [["a.test.ts"]]);

    assert.deepEqual(counts, { passed: 0, failed: 0, skipped: 3 });
    assert.match(text, /^skipped a\.test\.ts {2}needs root: not root$/m);
    assert.match(text, /^skipped a\.test\.ts {2}runs: no strace$/m);
    assert.match(text, /^skipped a\.test\.ts {2}later: to do: not yet$/m);
  });

  it("fails a file that throws when it is imported and goes on with the next", async () => {
    using dir = tempDir();
    dir.write({ "a.test.ts": `throw new Error("broken at import");`, "b.test.ts": passing });

    const { counts, text } = await runIn(dir, [["a.test.ts", "b.test.ts"]]);

    assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 0 });
    assert.match(text, /broken at import/);
  });

  it("fails a file that exits in the middle, and runs the rest of the group", async () => {
    using dir = tempDir();
    dir.write({
      "a.test.ts": passing,
      "b.test.ts": testFile(`it("one", () => {}); it("leaves", () => process.exit(0));
        it("never runs", () => {});`),
      "c.test.ts": passing,
    });

    const { counts, text } = await runIn(dir, [["a.test.ts", "b.test.ts", "c.test.ts"]]);

    assert.equal(counts.failed, 1);
    assert.match(text, /^ok +a[\s\S]*^FAILED +b[\s\S]*^ok +c/m);
    assert.match(
      text,
      /at b\.test\.ts\n +The process ended with code 0 before the file was through/,
    );
  });

  it("fails a file without tests", async () => {
    using dir = tempDir();
    dir.write({ "a.test.ts": "export const nothing = 1;" });

    const { counts, text } = await runIn(dir, [["a.test.ts"]]);

    assert.deepEqual(counts, { passed: 0, failed: 1, skipped: 0 });
    assert.match(text, /The file has no tests/);
  });

  it("fails a test that never ends and goes on with the next", async () => {
    using dir = tempDir();
    dir.write({
      "a.test.ts": testFile(`it("hangs", () => new Promise(() => setInterval(() => {}, 1000)));
        it("fine", () => {});`),
    });

    const { counts, text } = await runIn(dir, [["a.test.ts"]], { timeoutMs: 300 });

    assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 0 });
    assert.match(text, /FAILED hangs[\s\S]*timed out after 300ms/);
  });

  it("fails a file whose promise is rejected while no test is running", async () => {
    using dir = tempDir();
    dir.write({
      "a.test.ts": testFile(`it("a", () => { Promise.reject(new Error("floating")); });`),
    });

    const { counts, text } = await runIn(dir, [["a.test.ts"]]);

    assert.equal(counts.failed, 1);
    assert.match(text, /floating/);
  });

  it("fails when a hook around the tests fails", async () => {
    using dir = tempDir();
    const body = `describe("A", () => { after(() => { throw new Error("no cleanup"); }); it("a", () => {}); });`;
    dir.write({ "a.test.ts": `import { after, describe, it } from "node:test";\n${body}` });

    const { counts, text } = await runIn(dir, [["a.test.ts"]]);

    assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 0 });
    assert.match(text, /no cleanup/);
  });

  it("prints what a test reports while it is still running", async () => {
    using dir = tempDir();
    const report = `it("long", (t) => { t.diagnostic("seed 42"); process.exit(1); });`;
    dir.write({ "a.test.ts": testFile(report) });

    const { lines } = await runIn(dir, [["a.test.ts"]]);

    assert.equal(lines[0], "        a.test.ts: seed 42");
  });

  it("gives the tests its environment, without what node:test put there", async () => {
    using dir = tempDir();
    dir.write({
      "a.test.ts": testFile(`it("env", () => {
        assert.equal(process.env.DRIFTLESS_TEST_SEED, "7");
        assert.equal(process.env.NODE_TEST_CONTEXT, undefined);
      });`),
    });
    const env = { DRIFTLESS_TEST_SEED: "7", NODE_TEST_CONTEXT: "child-v8" };

    const { counts } = await runIn(dir, [["a.test.ts"]], { env });

    assert.deepEqual(counts, { passed: 1, failed: 0, skipped: 0 });
  });

  /** Fails the first time, and each time unless its seed is 7. */
  const shaky = (seed: string): string =>
    testFile(`import { existsSync, writeFileSync } from "node:fs";
      it("is shaky", (t) => {
        t.diagnostic("seed ${seed}");
        const isFirst = !existsSync("ran");
        writeFileSync("ran", "");
        assert.equal(isFirst, false, "the first time");
        assert.equal(process.env.DRIFTLESS_TEST_SEED, "7");
      });`);

  it("repeats what failed with its seed, and says in full what was unstable", async () => {
    using dir = tempDir();
    dir.write({ "a.test.ts": shaky("7"), "b.test.ts": passing });

    const { counts, text } = await runIn(dir, [["a.test.ts"], ["b.test.ts"]], { repeatFailed: 1 });

    assert.deepEqual(counts, { passed: 2, failed: 0, skipped: 0 });
    assert.match(text, /^UNSTABLE[^\n]* is shaky\n {2}at a[\s\S]*the first time/m);
    assert.match(text, /^0 skipped, 1 unstable, /m);
  });

  it("fails what fails again, and repeats nothing unless told, or when much failed", async () => {
    const fails = testFile(`it("fails", () => { throw new Error("always"); });`);
    for (const [other, repeatFailed] of [
      [shaky("8"), 1],
      [shaky("7"), 0],
      [shaky("7"), undefined],
    ] as const) {
      using dir = tempDir();
      dir.write({ "a.test.ts": other, "b.test.ts": fails });
      const groups = repeatFailed === undefined ? [["a.test.ts"], ["b.test.ts"]] : [["a.test.ts"]];

      const { counts } = await runIn(dir, groups, { repeatFailed: repeatFailed ?? 1 });

      assert.deepEqual(counts, { passed: 0, failed: groups.length, skipped: 0 });
    }
  });

  it("does not repeat files that share a process", async () => {
    using dir = tempDir();
    dir.write({ "a.test.ts": shaky("7"), "b.test.ts": passing });

    const { counts } = await runIn(dir, [["a.test.ts", "b.test.ts"]], { repeatFailed: 3 });

    assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 0 });
  });

  it("leaves no process behind when it is killed itself", async (t) => {
    using dir = tempDir();
    dir.write({
      "a.test.ts": testFile(`import { writeFileSync } from "node:fs";
        writeFileSync("pid", String(process.pid));
        it("waits", () => new Promise(() => setInterval(() => {}, 1000)));`),
      "run.ts": `import { runTests } from ${JSON.stringify(join(import.meta.dirname, "test-runner.ts"))};
        await runTests({ root: ".", groups: [["${dir.join("a.test.ts")}"]], env: process.env,
          timeoutMs: 60_000, concurrency: 1, print: () => {}, signal: new AbortController().signal });`,
    });
    const runner = spawn(process.execPath, ["run.ts"], { cwd: dir.path, stdio: "ignore" });
    const pid = await t.waitFor(() => Number(readFileSync(dir.join("pid"), "utf8")), {
      timeout: 60_000,
    });

    runner.kill("SIGKILL");

    await t.waitFor(() => assert.equal(isRunning(pid), false), { timeout: 60_000 });
  });

  it("ends everything at once when it is told to stop", async () => {
    using dir = tempDir();
    dir.write({ "a.test.ts": testFile(`it("spins", (t) => { t.diagnostic("in"); for (;;); });`) });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 500);

    const { counts, text } = await runIn(dir, [["a.test.ts"]], { signal: controller.signal });

    assert.equal(counts.failed, 1);
    assert.match(text, /The test run was stopped/);
  });
});
