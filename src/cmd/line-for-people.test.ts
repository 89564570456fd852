import { equal, match } from "node:assert/strict";
import { describe, it } from "node:test";
import { lineForPeople } from "./line-for-people.ts";

const plain = { hasColour: false };

describe("lineForPeople", () => {
  it("says what happened, why, and the circumstances", () => {
    const line = {
      level: "error",
      time: "2026-11-17T03:04:05.678Z",
      path: "/a b",
      count: 7,
      keys: ["a", "b"],
      err: { message: "no disk", stack: "at …" },
      message: "cannot write",
    };
    equal(
      lineForPeople(JSON.stringify(line), plain),
      'error  cannot write: no disk  path="/a b" count=7 keys=a,b',
    );
  });

  it("has the reason of what went wrong right behind it, and only of that", () => {
    const of = (level: string): string =>
      lineForPeople(JSON.stringify({ level, message: "m", reason: "no disk", n: 1 }), plain);
    equal(of("error"), "error  m: no disk  n=1");
    equal(of("info"), 'info  m  reason="no disk" n=1');
  });

  it("has the time of the day where it is asked for", () => {
    const line = '{"level":"info","time":"2026-11-17T03:04:05.678Z","message":"m"}';
    match(lineForPeople(line, { ...plain, hasTime: true }), /^\d\d:04:05 info {2}m$/);
  });

  it("shows versions in their short form", () => {
    const line = JSON.stringify({
      level: "info",
      message: "m",
      version: "0123456789ab".padEnd(64, "c"),
    });
    equal(lineForPeople(line, plain), "info  m  version=0123456789");
  });

  it("is in colour if that is wanted", () => {
    const line = lineForPeople('{"level":"warn","message":"m","a":1}', { hasColour: true });
    equal(line.startsWith("\u001B[33mwarn"), true);
  });

  it("lets nothing through that a terminal would obey", () => {
    const line = JSON.stringify({
      level: "info",
      message: "m",
      key: "\u001B[2Jx",
      err: { message: "\u001B[2Jy" },
    });
    equal(lineForPeople(line, plain).includes("\u001B"), false);
  });
});
