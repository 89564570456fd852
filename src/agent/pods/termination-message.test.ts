import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { symlinkSync, truncateSync } from "node:fs";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type TempDir, tempDir } from "../../base/testing/temp-dir.ts";
import type { ContainerStatus } from "../../runtime/runtime.ts";
import { notes } from "./pod-containers.ts";
import { cutToBytes, messageBytes, terminationMessage } from "./termination-message.ts";
import { runtimeContainer } from "./testing/runtime-container.ts";
import { testContainer, testPod } from "./testing/test-pod.ts";

describe("terminationMessage", () => {
  let dir: TempDir;
  beforeEach(() => {
    dir = tempDir();
  });
  afterEach(() => dir[Symbol.dispose]());

  const ended = (policy = "File", exitCode = 1): ContainerStatus => ({
    ...runtimeContainer("app", { exitCode }),
    annotations: {
      [notes.terminationFile]: dir.join("message"),
      [notes.terminationPolicy]: policy,
    },
    logPath: dir.join("0.log"),
  });
  const logLine = (text: string, tag = "F", stream = "stdout"): string =>
    `2024-01-01T00:00:00.000000000Z ${stream} ${tag} ${text}\n`;

  it("is what the container wrote", () => {
    dir.write({ message: "out of cheese\n" });
    assert.equal(terminationMessage(ended("File", 0)), "out of cheese\n");
  });

  it("is the end of a file that is too long, however long", () => {
    dir.write({ message: `begin${"x".repeat(5000)}end` });
    const message = terminationMessage(ended());
    assert.equal(message.length, 4096);
    assert.ok(message.endsWith("xend"));

    truncateSync(dir.join("message"), 2 ** 34);
    assert.equal(Buffer.byteLength(terminationMessage(ended())), 4096);
  });

  it("is nothing where there is no file, no log or no wish for one", () => {
    assert.equal(terminationMessage(ended()), "");
    assert.equal(terminationMessage(ended("FallbackToLogsOnError")), "");
    assert.equal(terminationMessage({ ...ended(), annotations: {} }), "");
  });

  it("follows no link and waits for nobody", () => {
    dir.write({ secret: "secret" });
    symlinkSync(dir.join("secret"), dir.join("message"));
    assert.match(terminationMessage(ended()), /^Error on reading termination log .*ELOOP/);

    const pipe = dir.join("pipe");
    execFileSync("mkfifo", [pipe]);
    const annotations = { [notes.terminationFile]: pipe };
    const message = terminationMessage({ ...ended(), annotations });
    assert.equal(message, `Error on reading termination log ${pipe}: it is not a regular file`);
  });

  it("falls back to the log of a container that failed and said nothing else", () => {
    const log = logLine("a") + logLine("b", "P", "stderr") + logLine("c", "F", "stderr");
    dir.write({ message: "", "0.log": log });
    assert.equal(terminationMessage(ended("FallbackToLogsOnError")), "a\nbc\n");
    assert.equal(terminationMessage(ended("FallbackToLogsOnError", 0)), "");
    assert.equal(terminationMessage(ended("File")), "");

    dir.write({ message: "said" });
    assert.equal(terminationMessage(ended("FallbackToLogsOnError")), "said");
  });

  it("takes no more than 80 lines and 2 KiB of a log", () => {
    const many = Array.from({ length: 200 }, (_, i) => logLine(`${i}`)).join("");
    dir.write({ "0.log": many });
    const lines = terminationMessage(ended("FallbackToLogsOnError")).trimEnd().split("\n");
    assert.deepEqual([lines.length, lines[0], lines.at(-1)], [80, "120", "199"]);

    dir.write({ "0.log": logLine("y".repeat(16_000)).repeat(20) });
    const long = terminationMessage(ended("FallbackToLogsOnError"));
    assert.deepEqual([long.length, long.slice(-3)], [2048, "yy\n"]);
  });
});

describe("cutToBytes", () => {
  it("cuts to the share of a container, and never through a character", () => {
    const containers = [testContainer("a"), testContainer("b"), testContainer("c")];
    assert.equal(messageBytes(testPod({ spec: { containers } })), 4096);
    assert.equal(cutToBytes("äöü", 6), "äöü");
    assert.equal(cutToBytes("äöü", 5), "äö");
    assert.equal(cutToBytes("a😀", 4), "a");
    assert.equal(cutToBytes("abc", 2), "ab");
  });
});
