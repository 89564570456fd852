import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createLogger, type Logger, type LogLevel } from "./logger.ts";

type Line = Readonly<Record<string, unknown>>;

function logTo(lines: Line[], level: LogLevel = "debug"): Logger {
  const write = (line: string): void => {
    lines.push(JSON.parse(line) as Line);
  };
  return createLogger({ level, destination: { write } });
}

describe("createLogger", () => {
  it("writes level, time, message and fields as one line of JSON", () => {
    const lines: Line[] = [];

    logTo(lines).info("volume updated", { namespace: "default", files: 3 });

    const { time, ...rest } = lines[0] ?? {};
    assert.deepEqual(rest, {
      level: "info",
      message: "volume updated",
      namespace: "default",
      files: 3,
    });
    assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it("writes nothing below its level", () => {
    const lines: Line[] = [];
    const logger = logTo(lines, "warn");

    logger.debug("a");
    logger.info("b");
    logger.warn("c");
    logger.error("d");

    assert.deepEqual(
      lines.map((line) => line["message"]),
      ["c", "d"],
    );
  });

  it("asks for the fields of a debug line only if it is written", () => {
    const lines: Line[] = [];
    let asked = 0;
    const fields = (): Line => ({ count: ++asked });

    logTo(lines, "info").debug("a", fields);
    assert.equal(asked, 0);
    logTo(lines, "debug").debug("b", fields);

    assert.deepEqual(
      lines.map(({ message, count }) => [message, count]),
      [["b", 1]],
    );
  });

  it("adds the fields of a child and of its parents to each line", () => {
    const lines: Line[] = [];

    logTo(lines).child({ node: "n1" }).child({ volume: "v" }).warn("not ready", { attempt: 2 });

    const { node, volume, attempt } = lines[0] ?? {};
    assert.deepEqual({ node, volume, attempt }, { node: "n1", volume: "v", attempt: 2 });
  });

  it("writes message, stack and cause of an error under err", () => {
    const lines: Line[] = [];
    const err = new Error("cannot write", { cause: new Error("disk full") });

    logTo(lines).error("sync failed", { err });

    const written = lines[0]?.["err"] as Record<string, string>;
    assert.equal(written["message"], "cannot write: disk full");
    assert.match(written["stack"] ?? "", /logger\.test\.ts/);
    assert.match(written["stack"] ?? "", /caused by: Error: disk full/);
  });

  it("says what a wrapper repeats of its cause once", () => {
    const lines: Line[] = [];
    const cause = new Error("no such key");

    logTo(lines).warn("failed", { err: new Error("Cannot mount: no such key", { cause }) });
    logTo(lines).warn("failed", { err: "a string" });

    const [first, second] = lines.map(({ err }) => err);
    assert.equal((first as Line)["message"], "Cannot mount: no such key");
    assert.equal(second, "a string");
  });

  it("does not format placeholders in a message", () => {
    const lines: Line[] = [];

    logTo(lines).info("100 %s done", { name: "x" });

    assert.equal(lines[0]?.["message"], "100 %s done");
  });
});
