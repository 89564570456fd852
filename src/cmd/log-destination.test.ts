import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { logDestination } from "./log-destination.ts";

const LINE = '{"level":"info","message":"published","files":3}\n';

function written(isTTY: boolean): string[] {
  const texts: string[] = [];
  logDestination({ isTTY, write: (text) => texts.push(text) }).write(LINE);
  return texts.map(stripVTControlCharacters);
}

describe("logDestination", () => {
  it("leaves lines as they are for other programs", () => {
    deepEqual(written(false), [LINE]);
  });

  it("writes lines without braces to a terminal", () => {
    deepEqual(written(true), ["info  published  files=3\n"]);
  });
});
